/** A queued close lands its work on the target, wherever the agent works. With real processes and git. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aProject } from '../a-project.ts'
import { describeWithGit, gitIn, gitVariables } from '../a-repository.ts'
import { isSandboxed } from '../bubblewrap.ts'
import { main } from '../built-command.ts'
import { answerIn, withoutResident } from './a-client.ts'

const project = aProject()
const { asked, done, rowsById } = project
const at = (name: string) => join(project.folder, name)
const put = (name: string, text: string) => writeFileSync(at(name), text)
const read = (name: string) => readFileSync(at(name), 'utf8')
const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
const row = () => rowsById()['bd-1']
const agentFolder = () => `${project.folder}-agent`
const agentGit = (...args: readonly string[]) => gitIn(agentFolder(), ...args)
const agentPut = (name: string, text: string) => writeFileSync(join(agentFolder(), name), text)

const open = { schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode: 'open' } } }
const closing = { id: 'bd-1', leaseId: 'lease1_bd-1_me', fence: 1 }
const flags = ['--lease-id', closing.leaseId, '--fence', '1']

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise(settle => child.once('close', settle))
    child.kill('SIGKILL')
    await ended
  }
  rmSync(agentFolder(), { recursive: true, force: true })
})

const soon = { timeout: 60_000, interval: 50 }

function commit(subject: string): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', subject)
}

function queued(cwd = project.folder): void {
  const args = ['issue', 'close', 'bd-1', '--queue', ...flags]
  expect(asked(args, { cwd }).json.result).toBe('queued')
}

const landed = () => asked(['land'], { env: gitVariables }).json.closes
const closed = [{ issueId: 'bd-1', state: 'closed' }]

/** The subjects of the commits on main since the one with which the test begins. */
const subjects = () => git('log', '--format=%s', 'base..main').split('\n').filter(Boolean)
const files = (folder = project.folder) =>
  gitIn(folder, 'status', '--porcelain', '--', ':!.premath')

/** The verification says that it began, and waits for `go`. */
function waitsInCheck(): void {
  const script = [
    'echo begun >> "$PREMATH_ROOT/begun"',
    'while [ ! -e "$PREMATH_ROOT/go" ]; do sleep 0.02; done',
    'grep -q hello greeting.txt',
    '',
  ]
  put('check.sh', script.join('\n'))
  commit('Wait')
}

/** The agent works in a worktree of its own, on its own branch. */
function agentWorktree(): void {
  git('worktree', 'add', '--quiet', '-b', 'agent', agentFolder())
}

describeWithGit('a queued close', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch', 'main')
    done('init')
    done('config', 'set', 'verify', 'sh check.sh')
    done('config', 'set', 'sandbox', 'off')
    put('check.sh', 'grep -q hello greeting.txt\n')
    put('greeting.txt', 'goodbye\n')
    put('other.txt', 'other\n')
    put('.gitignore', 'begun\ngo\n')
    put('.premath/policy.json', JSON.stringify(open))
    done('issue', 'add', 'Greet')
    commit('base')
    git('tag', 'base')
    done('issue', 'claim', 'bd-1', '--assignee', 'me')
  })

  test('[mcp.15.close-lands] is one commit on the target and one of issue memory, and can be rerun', () => {
    put('greeting.txt', 'hello\n')
    put('new.txt', 'new\n')
    rmSync(at('other.txt'))
    queued()
    expect(landed()).toMatchObject(closed)
    expect(subjects()).toEqual(['Record issue memory', 'Greet (bd-1)'])
    expect([files(), git('status', '--porcelain')]).toEqual(['', ''])
    expect(git('diff', '--name-status', 'base', 'main', '--', ':!.premath').split('\n')).toEqual([
      'M\tgreeting.txt',
      'A\tnew.txt',
      'D\tother.txt',
    ])
    const rerun = asked(['witness', 'verify', '--all', '--rerun', '--sandbox', 'off'])
    expect(rerun).toMatchObject({ status: 0 })
    expect(git('for-each-ref', 'refs/premath', 'refs/heads/premath')).toBe('')
  })

  test('[mcp.15.close-lands] lands from a worktree of the agent, and the main worktree follows', () => {
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    queued(agentFolder())
    agentPut('greeting.txt', 'half done\n')
    put('mine.txt', 'mine\n')
    expect(landed()).toMatchObject(closed)
    expect([read('greeting.txt'), files()]).toEqual(['hello\n', '?? mine.txt'])
    // Its branch has no commits of its own, so it follows too.
    expect(readFileSync(join(agentFolder(), 'greeting.txt'), 'utf8')).toBe('half done\n')
    expect(agentGit('log', '--format=%s', 'base..')).toBe('Greet (bd-1)')
    expect(files(agentFolder())).toBe('M greeting.txt'.padStart(15))
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[trust.30.branch] lands on the branch of the claim, though the agent began another one', () => {
    // Git records the time of a checkout in seconds.
    const later = { GIT_COMMITTER_DATE: new Date(Date.now() + 60_000).toISOString() }
    const agent = (...args: readonly string[]) =>
      execFileSync('git', args, {
        cwd: project.folder,
        env: { ...process.env, ...gitVariables, ...later },
      })
    agent('switch', '--quiet', '--create', 'fix')
    put('check.sh', 'true\n')
    agent('commit', '--quiet', '--all', '--message', 'Judge less')
    queued()
    expect(landed()).toMatchObject([{ failureClasses: ['protected_path_changed'] }])
    git('checkout', '--quiet', 'main', '--', 'check.sh')
    put('greeting.txt', 'hello\n')
    agent('commit', '--quiet', '--all', '--message', 'Greet')
    queued()
    expect(landed()).toMatchObject(closed)
    expect(subjects()).toEqual(['Record issue memory', 'Greet (bd-1)'])
    expect(git('branch', '--show-current')).toBe('fix')
  })

  test('[mcp.15.close-lands] is verified as it would be on the target', () => {
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    queued(agentFolder())
    put('check.sh', 'grep -q hello greeting.txt && grep -q later other.txt\n')
    put('other.txt', 'later\n')
    commit('Somebody else was faster')
    expect(landed()).toMatchObject(closed)
    expect(subjects()).toEqual(['Record issue memory', 'Greet (bd-1)', 'Somebody else was faster'])
    expect([read('other.txt'), files()]).toEqual(['later\n', ''])
  })

  test('[mcp.15.close-lands] is verified again if the target moves meanwhile', async () => {
    waitsInCheck()
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    queued(agentFolder())
    const child = started('land')
    await expect.poll(() => existsSync(at('begun')), soon).toBe(true)
    put('other.txt', 'later\n')
    git('add', 'other.txt')
    git('commit', '--quiet', '--message', 'Somebody else')
    put('go', '')
    await ended(child)
    expect(row().status).toBe('closed')
    expect(read('begun')).toBe('begun\nbegun\n')
    expect(subjects().slice(1, 3)).toEqual(['Greet (bd-1)', 'Somebody else'])
  })

  test('[mcp.15.close-lands] whose work the agent committed on the target closes with that commit', () => {
    put('greeting.txt', 'hello\n')
    git('commit', '--quiet', '--all', '--message', 'Greet, by hand')
    queued()
    const [failed] = landed()
    expect(failed).toMatchObject({ state: 'failed', failureClasses: ['work_changed_nothing'] })
    const [, args = ''] = /git (commit .*)\.$/.exec(failed.remedy) ?? []
    git(
      ...args
        .split(/ (?=-)/)
        .flatMap((word: string) => word.replaceAll("'", '').split(/(?<=trailer) /)),
    )
    const own = git('rev-parse', 'main')
    put('other.txt', 'later\n')
    git('commit', '--quiet', '--all', '--message', 'Something else')
    queued()
    expect(landed()).toMatchObject(closed)
    expect(done('issue', 'show', 'bd-1').issue.landed.commit).toBe(own)
    expect(subjects()).toEqual(['Record issue memory', 'Something else', 'Greet, by hand'])
    expect(asked(['witness', 'verify', '--all', '--rerun', '--sandbox', 'off']).status).toBe(0)
  })

  test('[mcp.16.close-stays-out] without work closes nothing, though the verification passes', () => {
    put('greeting.txt', 'hello\n')
    git('commit', '--quiet', '--all', '--message', 'Greet', '--trailer', 'Premath-Issue: bd-2')
    queued()
    expect(landed()).toMatchObject([{ failureClasses: ['work_changed_nothing'] }])
    expect(row().status).toBe('in_progress')
    const args = ['issue', 'update', 'bd-1', '--label', 'no-change', ...flags]
    expect(asked(args).status).toBe(0)
    queued()
    expect(landed()).toMatchObject(closed)
  })

  test('[mcp.15.close-lands] does not bring back what was reverted meanwhile', () => {
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    queued(agentFolder())
    expect(landed()).toMatchObject(closed)
    const wide = 'grep -q . greeting.txt'
    put('check.sh', `${wide}\n`)
    git('commit', '--quiet', '--all', '--message', 'Accept any greeting')
    expect(asked(['land', 'revert', 'bd-1', '--sandbox', 'off']).status).toBe(0)
    expect(read('greeting.txt')).toBe('goodbye\n')
    done('issue', 'add', 'Another')
    const claim = asked(['issue', 'claim', 'bd-2', '--assignee', 'me']).json
    agentPut('other.txt', 'new\n')
    const lease = ['--lease-id', claim.issue.lease.leaseId, '--fence', '1']
    asked(['issue', 'close', 'bd-2', '--queue', ...lease], { cwd: agentFolder() })
    expect(landed()).toMatchObject([{ issueId: 'bd-2', state: 'closed' }])
    expect([read('greeting.txt'), read('other.txt')]).toEqual(['goodbye\n', 'new\n'])
  })

  test('[mcp.15.close-lands] records issue memory where the work landed', async () => {
    waitsInCheck()
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    queued(agentFolder())
    const child = started('land')
    await expect.poll(() => existsSync(at('begun')), soon).toBe(true)
    git('switch', '--quiet', '--create', 'other')
    put('go', '')
    await ended(child)
    expect(row().status).toBe('closed')
    expect(subjects().slice(0, 2)).toEqual(['Record issue memory', 'Greet (bd-1)'])
    expect(git('log', '--format=%s', '-1', 'other')).toBe('Wait')
  })

  test('[trust.31.attributes] that changes how git writes the files that judge is refused', () => {
    put('check.sh', 'grep -q hello greeting.txt && test ! -e bad.txt\n')
    commit('Refuse bad.txt')
    put('.gitattributes', 'check.sh text eol=crlf\n')
    put('greeting.txt', 'hello\n')
    put('bad.txt', 'bad\n')
    queued()
    expect(landed()).toMatchObject([
      {
        failureClasses: ['protected_path_changed'],
        diagnostic: expect.stringContaining('.gitattributes'),
      },
    ])
  })

  test.each([
    ['core.autocrlf', 'true'],
    ['core.eol', 'crlf'],
  ])(
    '[trust.29.neutral] is verified without the setting %s of git, as in a clone',
    (name, value) => {
      put('.gitattributes', '* text=auto\n')
      put('check.sh', 'grep -q hello greeting.txt && test ! -e bad.txt\n')
      commit('Refuse bad.txt')
      git('config', name, value)
      put('greeting.txt', 'hello\n')
      put('bad.txt', 'bad\n')
      queued()
      expect(landed()).toMatchObject([{ failureClasses: ['close_proof_failed'] }])
      rmSync(at('bad.txt'))
      queued()
      expect(landed()).toMatchObject(closed)
      const cwd = join(project.folders, `a clone ${name}`)
      gitIn(project.folders, 'clone', '--quiet', project.folder, cwd)
      const rerun = asked(['witness', 'verify', '--all', '--rerun', '--sandbox', 'off'], { cwd })
      expect(rerun.status).toBe(0)
    },
  )

  test('[mcp.16.close-stays-out] of a merge that is not resolved is refused when it is asked for', () => {
    git('switch', '--quiet', '--create', 'other')
    put('greeting.txt', 'hello from here\n')
    git('commit', '--quiet', '--all', '--message', 'Here')
    git('switch', '--quiet', 'main')
    put('greeting.txt', 'hello from there\n')
    git('commit', '--quiet', '--all', '--message', 'There')
    expect(() => git('merge', '--quiet', 'other')).toThrow()
    const { json } = asked(['issue', 'close', 'bd-1', '--queue', ...flags])
    expect(json).toMatchObject({
      failureClasses: ['close_proof_failed'],
      diagnostic: 'git could not take the work: a merge is not resolved in greeting.txt',
    })
  })

  test('[mcp.14.close-door] a file that names another issue than its content asks for nothing', () => {
    put('greeting.txt', 'hello\n')
    done('issue', 'add', 'Two')
    queued()
    const [name = ''] = readdirSync(at('.premath/closes')).filter(one => one.endsWith('.json'))
    const path = at(`.premath/closes/${name}`)
    const request = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...request, issueId: 'bd-2' }))
    expect(asked(['land'])).toMatchObject({ status: 0, json: { closes: [], waiting: 0 } })
    expect(done('issue', 'show', 'bd-1').close).toMatchObject({
      failureClasses: ['close_request_invalid'],
    })
    queued()
    expect(landed()).toMatchObject(closed)
  })

  test('is listed while it waits, and when it failed', () => {
    put('greeting.txt', 'good day\n')
    queued()
    expect(done('land', 'status').items).toMatchObject([{ issueId: 'bd-1', state: 'queued' }])
    expect(done('status').landing).toMatchObject([{ issueId: 'bd-1', state: 'queued' }])
    landed()
    expect(done('land', 'status').items).toEqual([])
    expect(done('status').attention).toMatchObject([
      { about: 'close_failed', issueId: 'bd-1', failureClasses: ['close_proof_failed'] },
    ])
  })

  test('[mcp.16.close-stays-out] that conflicts with the target tells what to do, and then lands', () => {
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    put('greeting.txt', 'good evening\n')
    git('commit', '--quiet', '--all', '--message', 'Another greeting')
    queued(agentFolder())
    expect(landed()).toMatchObject([
      {
        state: 'failed',
        failureClasses: ['landing_conflict'],
        diagnostic: 'the work conflicts with the target in greeting.txt',
        remedy:
          'Commit the work on a branch of its own, merge main into it and resolve the conflict, then close it again.',
      },
    ])
    expect(row()).toMatchObject({ status: 'in_progress', lease: { lease_id: closing.leaseId } })
    agentGit('checkout', '--quiet', '--', '.')
    agentGit('merge', '--quiet', 'main')
    agentPut('greeting.txt', 'good evening and hello\n')
    queued(agentFolder())
    expect(landed()).toMatchObject(closed)
    expect(read('greeting.txt')).toBe('good evening and hello\n')
  })

  test('[mcp.16.close-stays-out] names the files of a person that are in its way, and leaves them', () => {
    agentWorktree()
    agentPut('greeting.txt', 'hello\n')
    agentPut('new.txt', 'of the agent\n')
    put('greeting.txt', 'an edit of mine\n')
    put('new.txt', 'mine\n')
    queued(agentFolder())
    expect(landed()).toMatchObject([
      {
        state: 'failed',
        failureClasses: ['landing_parked'],
        diagnostic: expect.stringMatching(/would be overwritten: greeting\.txt, new\.txt$/),
        remedy: 'Commit these files or move them away, then close the issue again.',
      },
    ])
    expect([read('greeting.txt'), read('new.txt')]).toEqual(['an edit of mine\n', 'mine\n'])
    expect(row()).toMatchObject({ status: 'in_progress', lease: { lease_id: closing.leaseId } })
    git('checkout', '--quiet', '--', 'greeting.txt')
    rmSync(at('new.txt'))
    queued(agentFolder())
    expect(landed()).toMatchObject(closed)
  })

  test('[mcp.17.close-review] waits on its branch where the settings ask for a review', () => {
    done('config', 'set', 'land', 'branch')
    done('config', 'set', 'landCommand', 'echo "$PREMATH_BRANCH onto $PREMATH_TARGET" > announced')
    commit('Review work')
    put('greeting.txt', 'hello\n')
    queued()
    expect(landed()).toMatchObject([{ issueId: 'bd-1', state: 'in_review' }])
    expect(read('announced')).toBe('premath/bd-1 onto main\n')
    expect(row().status).toBe('in_review')
    expect([row().assignee, row().lease]).toEqual([undefined, undefined])
    expect(done('issue', 'show', 'bd-1').close.state).toBe('in_review')
    expect(git('show', 'premath/bd-1:greeting.txt')).toBe('hello')
    expect(git('show', 'main:greeting.txt')).toBe('goodbye')
    git('checkout', '--quiet', '--', 'greeting.txt')
    git('merge', '--quiet', '--no-edit', 'premath/bd-1')
    expect(asked(['land', 'bd-1'], { env: gitVariables }).status).toBe(0)
    expect([row().status, done('issue', 'show', 'bd-1').close.state]).toEqual(['closed', 'closed'])
  })

  test('[mcp.17.close-review] closes without a commit where the settings land nothing', () => {
    done('config', 'set', 'land', 'none')
    commit('Land nothing')
    put('greeting.txt', 'hello\n')
    queued()
    expect(landed()).toMatchObject(closed)
    expect(git('show', 'main:greeting.txt')).toBe('goodbye')
    expect(files()).toBe('M greeting.txt'.padStart(15))
  })

  test('[mcp.18.close-killed] closes once after a kill while the target moves, and the files stay', async () => {
    done('config', 'set', 'landHooks', 'true')
    commit('Hooks')
    put('greeting.txt', 'hello\n')
    put('new.txt', 'new\n')
    queued()
    mkdirSync(at('.git/hooks'), { recursive: true })
    const hook = at('.git/hooks/reference-transaction')
    const wait = [
      '#!/bin/sh',
      'grep -q refs/heads/main || exit 0',
      `echo begun > '${at('begun')}'`,
      `while [ ! -e '${at('go')}' ]; do sleep 0.02; done`,
      'exit 1',
      '',
    ]
    writeFileSync(hook, wait.join('\n'))
    chmodSync(hook, 0o755)
    const child = started('land')
    await expect.poll(() => existsSync(at('begun')), soon).toBe(true)
    child.kill('SIGKILL')
    await ended(child)
    put('go', '')
    rmSync(hook)
    expect(asked(['issue', 'show', 'bd-1']).json.issue.landing).toBeDefined()
    expect(landed()).toMatchObject(closed)
    expect(subjects().slice(0, 2)).toEqual(['Record issue memory', 'Greet (bd-1)'])
    expect([read('greeting.txt'), read('new.txt'), files()]).toEqual(['hello\n', 'new\n', ''])
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[mcp.19.close-lease] keeps the lease of its holder while it is verified', () => {
    put('greeting.txt', 'hello\n')
    queued()
    // Most of the hour of the lease is over when the close is worked off.
    const late = { path: at('greeting.txt'), ms: 3_000_000 }
    expect(asked(['land'], { laterFrom: late, env: gitVariables }).json.closes).toMatchObject(
      closed,
    )
    const lines = readFileSync(project.issues, 'utf8').trim().split('\n')
    const ends = lines.flatMap(line => JSON.parse(line).lease?.expires_at ?? [])
    const [first = '', last = ''] = [ends[0], ends.at(-1)]
    expect(Date.parse(last) - Date.parse(first)).toBeGreaterThan(2_900_000)
  })

  test('[mcp.15.close-lands] is asked for over HTTP and worked off by that server', async () => {
    put('greeting.txt', 'hello\n')
    const tokenFile = join(project.folders, 'token')
    const args = ['mcp-serve', '--http', '127.0.0.1:0', '--token-file', tokenFile]
    const child = spawn(process.execPath, [main, ...args], {
      cwd: project.folder,
      env: { ...withoutResident(project.env), ...gitVariables },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.push(child)
    const client = new Client({ name: 'test', version: '1' })
    for await (const line of createInterface({ input: child.stderr })) {
      const [url] = /http:\S+/.exec(line) ?? []
      if (url === undefined) continue
      const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }
      const requestInit = { headers }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      break
    }
    const call = async (name: string, args: Record<string, unknown>) =>
      answerIn(await client.callTool({ name, arguments: args }))
    expect((await call('issue_close', closing)).json.result).toBe('queued')
    const state = async () => (await call('issue_show', { id: 'bd-1' })).json.close.state
    await expect.poll(state, soon).toBe('closed')
    expect(subjects()).toContain('Greet (bd-1)')
    await client.close()
  })

  test.runIf(isSandboxed)('[mcp.15.close-lands] is verified in the sandbox', () => {
    done('config', 'set', 'sandbox', 'require')
    commit('Sandbox')
    put('greeting.txt', 'hello\n')
    queued()
    expect(landed()).toMatchObject(closed)
    expect(asked(['witness', 'verify', '--all', '--require-sandbox']).status).toBe(0)
  })
})

function started(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [main, ...args, '--sandbox', 'off'], {
    cwd: project.folder,
    env: { ...project.env, ...gitVariables },
    stdio: 'ignore',
  })
  children.push(child)
  return child
}

const ended = (child: ChildProcess) =>
  new Promise(settle => {
    if (child.exitCode !== null || child.signalCode !== null) settle(undefined)
    else child.once('close', settle)
  })

/** Verifications that run again in clones, also on results that somebody forged there. */

import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { printBundle } from '../src/kernel/proof/proof-bundle.ts'
import { chainDigestOf, printChain } from '../src/kernel/proof/proof-chain.ts'
import { bundleFileOf, chainFileOf } from '../src/kernel/proof/proof-folder.ts'
import { aProject } from './a-project.ts'
import { describeWithGit, gitEnv, gitIn, gitVariables } from './a-repository.ts'
import { isSandboxed } from './bubblewrap.ts'

const project = aProject()
const { premath } = project

/** Speaks of one issue: its work is a file with its name. */
const verifyCommand = 'test -s done/$PREMATH_ISSUE_ID'
const work = 'mkdir -p done && echo ok > done/$PREMATH_ISSUE_ID'

const spec = (word: string) => `# Two

\`\`\`yaml spec-test
id: TWO
type: text.file
path: /done/bd-2
assert:
- target: text
  must:
  - contain: [${word}]
\`\`\`
`

let temporary = ''

const setupAt = (cwd: string) => ({ cwd, env: gitVariables }) as const

/** In a process of its own, for tests of what it leaves in the temporary folder. */
const processAt = (cwd: string) => ({ cwd, env: { ...gitEnv, TMPDIR: temporary } }) as const

function done(cwd: string, ...args: readonly string[]) {
  const { status, stderr, stdout } = premath(args, setupAt(cwd))
  expect({ args, status, stderr: status === 0 ? '' : `${stderr}${stdout}` }).toEqual({
    args,
    status: 0,
    stderr: '',
  })
}

const run = (cwd: string, ...args: readonly string[]) => done(cwd, 'run', '--workers', '1', ...args)

const commit = (cwd: string, message: string) => {
  gitIn(cwd, 'add', '--all')
  gitIn(cwd, 'commit', '--quiet', '--allow-empty', '--message', message)
}

/** The ids and results of the reruns, with the exit code. The sandbox is slow, and has its own tests. */
function rerun(cwd: string, ...args: readonly string[]) {
  const isChosen = args.includes('--sandbox')
  const mode = isChosen ? [] : ['--sandbox', 'off']
  const named = args.length > 0 ? args : ['--all']
  const asked = ['witness', 'verify', '--rerun', ...named, ...mode, '--json']
  const { status, stdout } = premath(asked, isChosen ? processAt(cwd) : setupAt(cwd))
  const json = JSON.parse(stdout)
  return { status, reruns: json.reruns, classes: json.failureClasses }
}

const clone = (from: string, ...args: readonly string[]) => {
  const place = join(mkdtempSync(join(project.folders, 'a clone ')), 'clone')
  gitIn(project.folders, 'clone', '--quiet', ...args, from, place)
  return place
}

const rows = (cwd: string) =>
  readFileSync(join(cwd, '.premath/issues.jsonl'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
const rowOf = (cwd: string, id: string) => rows(cwd).findLast(row => row.id === id)

describeWithGit('a rerun', () => {
  let root = ''

  let begun = ''

  /** bd-1 is done and landed, bd-2 waits; memory is committed. Made once and copied. */
  function begin() {
    begun = mkdtempSync(join(project.folders, 'begun '))
    gitIn(begun, 'init', '--quiet', '--template=', '--initial-branch=main')
    done(begun, 'init')
    const config = { work, verify: verifyCommand }
    writeFileSync(join(begun, '.premath/config.json'), JSON.stringify(config))
    mkdirSync(join(begun, 'specs'))
    writeFileSync(join(begun, 'specs/two.spec.md'), spec('done'))
    done(begun, 'issue', 'add', 'One')
    commit(begun, 'Begin')
    run(begun)
    done(begun, 'issue', 'add', 'Two', '--spec', 'specs/two.spec.md')
    commit(begun, 'Plan')
  }

  beforeEach(() => {
    temporary = mkdtempSync(join(project.folders, 'tmp-'))
    if (begun === '') begin()
    root = project.folder
    cpSync(begun, root, { recursive: true })
  })

  test('[proofs.3.rerun] reproduces a landed issue in a clone without a home', () => {
    const there = clone(root)
    const before = gitIn(there, 'status', '--porcelain')
    const home = mkdtempSync(join(project.folders, 'home-'))
    const { status, stdout } = premath(['witness', 'verify', '--all', '--rerun'], {
      cwd: there,
      isSpawned: true,
      env: { ...gitEnv, TMPDIR: temporary, HOME: home, XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' },
    })
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^reproduced bd-1 on [0-9a-f]{12}\n.*\n1 of 1 verification reproduced\n$/,
      ),
    ])
    expect(gitIn(there, 'status', '--porcelain')).toBe(before)
    expect(
      gitIn(there, 'worktree', 'list')
        .split('\n')
        .filter(line => line !== ''),
    ).toHaveLength(1)
    expect(readdirSync(temporary)).toEqual([])
  })

  test('runs the verify command and the specs of the commit before the work', () => {
    run(root, '--work-cmd', 'echo done > done/$PREMATH_ISSUE_ID')
    const { commands, ...rest } = rerun(root, 'bd-2').reruns[0]
    expect(commands).toMatchObject([
      { role: 'verify', command: verifyCommand, exitCode: 0 },
      { role: 'specs', command: 'premath spec run specs/two.spec.md', exitCode: 0 },
    ])
    expect(rest).toMatchObject({
      issueId: 'bd-2',
      result: 'reproduced',
      why: null,
      notes: [],
      base: gitIn(root, 'rev-parse', `${rest.commit}^`).trim(),
    })
  })

  test('takes the command of the caller where the commit before has none', () => {
    const other = mkdtempSync(join(project.folders, 'plain '))
    gitIn(other, 'init', '--quiet', '--template=', '--initial-branch=main')
    done(other, 'init')
    done(other, 'issue', 'add', 'One')
    commit(other, 'Begin')
    run(other, '--work-cmd', work, '--verify-cmd', verifyCommand)
    expect(rerun(other)).toMatchObject({ status: 3, classes: ['not_rerunnable'] })
    expect(rerun(other).reruns[0].why).toContain('give --verify-cmd')
    expect(rerun(other, '--all', '--verify-cmd', verifyCommand)).toMatchObject({ status: 0 })
    expect(rerun(other, '--all', '--verify-cmd', 'false')).toMatchObject({
      status: 1,
      classes: ['rerun_failed'],
    })
    writeFileSync(join(other, '.premath/config.json'), JSON.stringify({ verify: 'test -d done' }))
    const { status, reruns } = rerun(other)
    expect([status, reruns[0].commands[0].command]).toEqual([0, 'test -d done'])
    expect(reruns[0].notes).toEqual([
      'the proof was made with another command than the one that ran now',
    ])
  })

  test('runs the start-up command first, and tells if that one fails', () => {
    const config = { work, verify: `${verifyCommand} && test -f ready`, startup: 'touch ready' }
    writeFileSync(join(root, '.premath/config.json'), JSON.stringify(config))
    writeFileSync(join(root, '.gitignore'), 'ready\n')
    commit(root, 'Need a start')
    done(root, 'issue', 'add', 'Three', '--priority', '0')
    run(root, '--max-steps', '1')
    expect(rerun(root, 'bd-3').reruns[0].commands).toMatchObject([
      { role: 'startup' },
      { role: 'verify' },
    ])
  })

  test('fails with the last lines of the output, and ends a command after the timeout', () => {
    const failing = rerun(root, 'bd-1', '--verify-cmd', 'echo no such luck; exit 3')
    expect(failing).toMatchObject({
      status: 1,
      classes: ['rerun_failed'],
      reruns: [
        {
          result: 'failed',
          lastLines: ['no such luck'],
          why: 'echo no such luck; exit 3 ended with exit code 3',
        },
      ],
    })
    const slow = rerun(root, 'bd-1', '--verify-cmd', 'sleep 60', '--timeout', '1')
    expect(slow).toMatchObject({ status: 1, reruns: [{ why: 'sleep 60 timed out' }] })
    const missing = rerun(root, 'bd-1', '--verify-cmd', 'no-such-program-here')
    expect(missing).toMatchObject({ status: 3, classes: ['not_rerunnable'] })
  })

  test('cannot run where the target branch is gone, and fails where it lacks the commit', () => {
    gitIn(root, 'switch', '--quiet', '-c', 'feat')
    done(root, 'issue', 'add', 'Three', '--priority', '0')
    run(root, '--max-steps', '1')
    gitIn(root, 'switch', '--quiet', 'main')
    gitIn(root, 'merge', '--quiet', '--squash', 'feat')
    gitIn(root, 'commit', '--quiet', '--message', 'Squash')
    expect(rerun(root, 'bd-3')).toMatchObject({ status: 0, reruns: [{ result: 'reproduced' }] })
    gitIn(root, 'branch', '--quiet', '-D', 'feat')
    const gone = rerun(root, 'bd-3')
    expect(gone).toMatchObject({ status: 3, classes: ['not_rerunnable'] })
    expect(gone.reruns[0].why).toContain('landed on feat, a branch that is gone here')
    gitIn(root, 'branch', 'feat', 'main')
    const lacking = rerun(root, 'bd-3')
    expect(lacking).toMatchObject({ status: 1, classes: ['rerun_failed'] })
    expect(lacking.reruns[0].why).toMatch(/is not on feat$/)
  })

  test('cannot run without the commit, without a commit, or without git', () => {
    const shallow = clone(`file://${root}`, '--depth', '1')
    expect(rerun(shallow)).toMatchObject({ status: 3, classes: ['not_rerunnable'] })
    expect(rerun(shallow).reruns[0].why).toContain('this clone is shallow')
    done(root, 'issue', 'add', 'By hand')
    done(root, 'close', 'bd-3', '--verify-cmd', 'test -d done')
    expect(rerun(root, '--issue', 'bd-3').reruns).toMatchObject([
      {
        result: 'not_rerunnable',
        why: 'it was closed without a commit, so there is nothing to check out',
      },
    ])
    done(root, 'issue', 'add', 'Moot')
    done(root, 'close', 'bd-4', '--force', '--reason', 'Moot')
    expect(rerun(root, 'bd-4')).toMatchObject({
      status: 1,
      classes: ['not_rerunnable', 'proof_forced'],
    })
    const plain = mkdtempSync(join(project.folders, 'no git '))
    done(plain, 'init')
    done(plain, 'issue', 'add', 'One')
    done(plain, 'close', 'bd-1', '--verify-cmd', 'test -d .')
    expect(rerun(plain).reruns[0].why).toContain('is not in a git repository')
  })

  test('[proofs.3.rerun] takes the specs that the issue may bring from its own commit', () => {
    const own = join(project.folders, 'own.md')
    const changes = `cp '${own}' specs/two.spec.md; sed s/TWO/OWN/ '${own}' > specs/own.spec.md`
    const work = `${changes}; echo own > done/bd-2`
    writeFileSync(own, spec('own'))
    done(root, 'issue', 'update', 'bd-2', '--spec', 'specs', '--writes-specs')
    commit(root, 'Allow it')
    run(root, '--work-cmd', work)
    expect(rerun(root, 'bd-2').reruns).toMatchObject([
      {
        result: 'reproduced',
        notes: [],
        commands: [
          { role: 'verify' },
          { command: 'premath spec run specs/own.spec.md specs/two.spec.md' },
        ],
      },
    ])
  })

  describe.runIf(isSandboxed)('in the sandbox', () => {
    const required = ['--sandbox', 'require']

    test('[proofs.6.sandboxed-rerun] runs the verify command and the specs', () => {
      run(root, '--work-cmd', 'echo done > done/$PREMATH_ISSUE_ID')
      expect(rerun(root, 'bd-2', ...required)).toMatchObject({
        status: 0,
        reruns: [{ result: 'reproduced', sandbox: 'bubblewrap', commands: [{}, {}] }],
      })
      expect(rerun(root, 'bd-2').reruns[0].sandbox).toBe('off')
    })

    test('[proofs.6.sandboxed-rerun] the command changes nothing of the caller, and sees no memory', () => {
      const attack = [
        `echo x > '${root}/broken'`,
        `ls -A '${root}/.premath' | wc -l`,
        `git log --format=%s -1`,
        'exit 9',
      ].join('; ')
      const [{ lastLines, why }] = rerun(root, 'bd-1', '--verify-cmd', attack, ...required).reruns
      expect(why).toContain('ended with exit code 9')
      expect(lastLines).toEqual(expect.arrayContaining(['0', 'One (bd-1)']))
      expect(existsSync(join(root, 'broken'))).toBe(false)
      expect(readdirSync(temporary)).toEqual([])
    })
  })

  test('[proofs.6.sandboxed-rerun] without a sandbox it says so, or exits 3 if it is required', () => {
    const bin = mkdtempSync(join(project.folders, 'bin-'))
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions" >&2; exit 1\n')
    chmodSync(join(bin, 'bwrap'), 0o755)
    const { env } = processAt(root)
    const setup = { cwd: root, env: { ...env, PATH: `${bin}:${process.env['PATH']}` } }
    const asked = (...mode: readonly string[]) =>
      premath(['witness', 'verify', 'bd-1', '--rerun', ...mode], setup)
    const { status, stderr } = asked()
    expect([status, stderr]).toEqual([0, 'note: not sandboxed: No permissions\n'])
    expect(asked('--sandbox', 'require')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('the sandbox does not work here: No permissions'),
    })
    expect(readdirSync(temporary)).toEqual([])
  })

  test('needs --rerun for its own flags', () => {
    for (const flags of [
      ['--timeout', '5'],
      ['--verify-cmd', 'true'],
      ['--sandbox', 'off'],
    ]) {
      expect(premath(['witness', 'verify', '--all', ...flags], setupAt(root)).status).toBe(2)
    }
  })

  describe('finds a result that was forged on a clone:', () => {
    let there = ''

    beforeEach(() => {
      there = clone(root)
      gitIn(there, 'config', 'user.name', 'Mallory')
    })

    /** Everything verifies by itself, and the rerun in a fresh clone does not. */
    function forged(id = 'bd-2') {
      const fresh = clone(there)
      expect(premath(['witness', 'verify', '--all'], setupAt(fresh)).status).toBe(0)
      const { status, reruns } = rerun(fresh)
      expect(status).toBe(1)
      expect(reruns.find((one: { issueId: string }) => one.issueId === 'bd-1').result).toBe(
        'reproduced',
      )
      return reruns.find((one: { issueId: string }) => one.issueId === id)
    }

    test('[proofs.3.rerun] other work, verified by a weaker command', () => {
      done(there, 'issue', 'add', 'Three', '--priority', '0')
      commit(there, 'Plan')
      const weak = ['--work-cmd', 'echo junk > junk.txt', '--verify-cmd', 'test -d done']
      run(there, ...weak, '--max-steps', '1')
      expect(forged('bd-3')).toMatchObject({
        result: 'failed',
        why: `${verifyCommand} ended with exit code 1`,
        notes: ['the proof was made with another command than the one that ran now'],
      })
    })

    test('[proofs.3.rerun] work that changed the spec that judges it', () => {
      writeFileSync(join(project.folders, 'weak.md'), spec('cheated'))
      const cheat = `echo cheated > done/bd-2; cp '${join(project.folders, 'weak.md')}' specs/two.spec.md`
      done(there, 'issue', 'update', 'bd-2', '--writes-specs')
      run(there, '--work-cmd', cheat)
      expect(readFileSync(join(there, 'specs/two.spec.md'), 'utf8')).toContain('cheated')
      const found = forged()
      expect(found).toMatchObject({ result: 'failed' })
      expect(found.why).toContain('premath spec run specs/two.spec.md ended with exit code 1')
    })

    test('[proofs.3.rerun] specs that were taken out of the row', () => {
      const { metadata, ...row } = rowOf(there, 'bd-2')
      appendFileSync(join(there, '.premath/issues.jsonl'), `${JSON.stringify(row)}\n`)
      run(there, '--work-cmd', 'echo junk > done/bd-2')
      const found = forged()
      expect(found).toMatchObject({ result: 'failed' })
      expect(found.notes).toContain(
        'the issue named other specs before the work; the specs of both times run',
      )
    })

    /** A proof made by hand, intact in every digest, and the row that names it. */
    function handMade(landed: string, change: object = {}) {
      const specs = rowOf(there, 'bd-2')
      appendFileSync(
        join(there, '.premath/issues.jsonl'),
        `${JSON.stringify({ ...specs, metadata: undefined })}\n`,
      )
      done(there, 'close', 'bd-2', '--verify-cmd', 'test -d done')
      const folder = join(there, '.premath/proofs/bd-2')
      const [file = ''] = readdirSync(folder)
      const bundle = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const { [chainFileOf(bundle.chainDigest)]: text = '{}', ...copies } = bundle.files
      const tree = gitIn(there, 'rev-parse', `${landed}^{tree}`).trim()
      const own = { commit: landed, tree, target: 'main' }
      const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
      const { chainDigest: _old, ...members } = JSON.parse(text)
      const chain = { ...members, head: landed, landed: own, ...change }
      const chainDigest = chainDigestOf(chain, sha256)
      rmSync(join(folder, file))
      const files = { [chainFileOf(chainDigest)]: printChain({ ...chain, chainDigest }), ...copies }
      writeFileSync(
        join(folder, bundleFileOf(chainDigest)),
        printBundle({ issueId: 'bd-2', chainDigest }, Object.entries(files)),
      )
      const { metadata, ...row } = rowOf(there, 'bd-2')
      const premathClose = { ...metadata.premathClose, ...own, chain: chainDigest }
      const closed = { ...row, metadata: { ...specs.metadata, premathClose } }
      appendFileSync(join(there, '.premath/issues.jsonl'), `${JSON.stringify(closed)}\n`)
      commit(there, 'Record issue memory')
    }

    const head = () => gitIn(there, 'rev-parse', 'HEAD').trim()

    test('[proofs.3.rerun] a proof by hand that names the work of another issue', () => {
      const other = rowOf(there, 'bd-1').metadata.premathClose.commit
      handMade(other)
      expect(forged()).toMatchObject({
        result: 'failed',
        why: `commit ${other} is the work of bd-1`,
      })
    })

    test('[proofs.3.rerun] a proof by hand for a commit that changes nothing', () => {
      commit(there, 'Two\n\nPremath-Issue: bd-2')
      const empty = head()
      handMade(empty)
      expect(forged()).toMatchObject({ result: 'failed', why: `commit ${empty} changes no file` })
    })

    test('[proofs.3.rerun] a proof by hand for a commit without the work', () => {
      writeFileSync(join(there, 'junk.txt'), 'x')
      commit(there, 'Two\n\nPremath-Issue: bd-2')
      handMade(head())
      expect(forged()).toMatchObject({
        result: 'failed',
        why: `${verifyCommand} ended with exit code 1`,
      })
    })

    test('[proofs.3.rerun] a commit that brings its own verify command', () => {
      writeFileSync(join(there, 'junk.txt'), 'x')
      writeFileSync(
        join(there, '.premath/config.json'),
        JSON.stringify({ work, verify: 'test -d done' }),
      )
      commit(there, 'Two\n\nPremath-Issue: bd-2')
      handMade(head())
      expect(forged()).toMatchObject({
        result: 'failed',
        why: `${verifyCommand} ended with exit code 1`,
        notes: [
          'this project now has another verify command than the commit before the work',
          'the proof was made with another command than the one that ran now',
        ],
      })
    })

    test('[proofs.3.rerun] a proof by hand about other files than those of its commit', () => {
      writeFileSync(join(there, 'junk.txt'), 'x')
      commit(there, 'Two\n\nPremath-Issue: bd-2')
      const landed = head()
      writeFileSync(join(there, 'done/bd-2'), 'done\n')
      handMade(landed)
      expect(forged().why).toMatch(/^the files of its commit are tree1_/)
    })

    test('[proofs.3.rerun] an open issue that claims to be imported closed, with its log rewritten', () => {
      const row = rowOf(there, 'bd-2')
      const closedAt = '2026-01-02T03:04:05Z'
      const closed = {
        ...row,
        status: 'closed',
        closed_at: closedAt,
        metadata: { premathImported: { closedAt } },
      }
      const others = rows(there).filter(({ id }) => id !== 'bd-2')
      const text = [...others, closed].map(one => `${JSON.stringify(one)}\n`).join('')
      writeFileSync(join(there, '.premath/issues.jsonl'), text)
      rmSync(join(there, '.premath/memory/events.jsonl'))
      commit(there, 'Record issue memory')
      expect(forged().why).toMatch(
        /^its row says that it was imported closed, and it was open in commit/,
      )
    })
  })
})

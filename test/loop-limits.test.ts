/** Conditions that could keep a run from ending or from its summary, on the built command. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aLoop, does, linesIn, named, premathInShell, writes } from './a-loop.ts'
import { main } from './built-command.ts'
import { byAnother } from './by-another.ts'

const loop = aLoop()
const { add, at, worker, coordinator } = loop
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20)
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a run ends', () => {
  test('if the work releases its issue each time', () => {
    const [one, two] = [add('One'), add('Two')]
    const giveBack = `[ $PREMATH_ISSUE_ID = ${two} ] || ${byAnother} ${premathInShell} issue update $PREMATH_ISSUE_ID --status open`
    const { status, events } = worker(does(giveBack))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([
      { closed: [two], failed: [], lost: [{ issueId: one }], left: 1 },
    ])
    expect(loop.attention().filter(({ about }) => about === 'lease_lost')).toHaveLength(1)
  })

  test('if somebody closes its issue meanwhile, which is reported when the verification fails', () => {
    const id = add('One')
    // Acts as a person, since the work of a step may not use --verify-cmd.
    const force = `${byAnother} ${premathInShell} issue update $PREMATH_ISSUE_ID --status closed --verify-cmd true`
    const { status, events } = worker(does(force, 'false'))
    expect(status).toBe(1)
    expect(named(events, 'run.ended')).toMatchObject([{ closed: [], failed: [{ issueId: id }] }])
    expect(loop.attention()).toMatchObject([{ about: 'closed_unverified', issueId: id }])
  })

  test('with a summary if issue memory is removed', () => {
    add('One')
    add('Two')
    const take = `[ $PREMATH_ISSUE_ID = bd-1 ] || rm -r '${at('.premath/issues.jsonl')}' "$XDG_STATE_HOME/premath" '${at('.git/premath/memory')}'`
    const { status, events } = worker(does(take))
    expect(status).toBe(3)
    expect(named(events, 'run.ended')).toMatchObject([{ closed: ['bd-1'], left: null }])
  })

  test('after its work, even if nobody reads its output', async () => {
    for (let made = 1; made <= 12; made++) add(`Issue ${made} ${'x'.repeat(60_000)}`)
    const noise = `head -c 9000 /dev/zero | tr '\\0' x`
    const words = [
      main,
      'harness-loop',
      'worker',
      '--sandbox',
      'off',
      ...does(noise, 'true'),
      '--json',
    ]
    const child = spawn(process.execPath, words, {
      cwd: loop.project.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = new Promise(settle => child.on('close', settle))
    // Far more than a pipe holds, and not a byte of it read.
    await until(() => loop.statuses().every((status: string) => status === 'closed'))
    let output = ''
    child.stdout.on('data', text => {
      output += text
    })
    expect(await ended).toBe(0)
    expect(output.length).toBeGreaterThan(512 * 1024)
    expect(named(linesIn(output), 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
  })
})

describe('a run cleans up', () => {
  test('after a startup command whose worker was killed', async () => {
    add('One')
    const startup = `echo $$ > '${at('pid')}'; exec sleep 300`
    const running = loop.begin('worker', does('true', 'true', '--startup-cmd', startup))
    await running.until(() => existsSync(at('pid')) && readFileSync(at('pid'), 'utf8') !== '')
    const pid = Number(readFileSync(at('pid'), 'utf8'))
    running.signal('SIGKILL')
    await running.ended
    expect(isRunning(pid)).toBe(true)
    expect(worker(does('true')).status).toBe(0)
    await until(() => !isRunning(pid))
  })

  test('the worktrees of a run that was killed, whatever its workers were called', () => {
    loop.repository()
    add('One')
    const left = at('.premath/worktrees/agent.9')
    loop.git('worktree', 'add', '--quiet', '--detach', left)
    expect(coordinator(does(writes, 'true', '--create-worktrees', '1')).status).toBe(0)
    expect(loop.git('worktree', 'list')).not.toContain('.premath/worktrees/')
  })
})

describe('a live command under --json prints lines of JSON', () => {
  test('for a refusal and a fault too', () => {
    loop.repository()
    add('One')
    const policy = at('none.json')
    writeFileSync(policy, '{}')
    for (const args of [
      does('true', 'true', '--create-worktrees', '17'),
      does('true', 'true', '--create-worktrees', '2', '--decomposition-policy', policy),
      does('true', 'true', '--worktree', ' '),
    ]) {
      const { status, stdout } = coordinator(args)
      expect([1, 2]).toContain(status)
      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      JSON.parse(stdout)
    }
  })
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeDisk } from '../world/node-disk.ts'
import { nodeProcesses } from '../world/node-processes.ts'
import { procTable, psTable } from '../world/process-group.ts'
import type { CommandSpec, ProcessGroup } from '../world/world.ts'
import { contractScript, describeProcesses } from './processes.contract.ts'
import { SimDisk } from './sim-disk.ts'
import { SimProcesses } from './sim-processes.ts'

const root = mkdtempSync(join(tmpdir(), 'premath-processes-'))
afterAll(() => rmSync(root, { recursive: true }))

mkdirSync(join(root, 'contract'))
describeProcesses('the machine', {
  processes: nodeProcesses,
  disk: nodeDisk,
  root: join(root, 'contract'),
})

const simDisk = new SimDisk({ files: { '/r/x': '' } })
describeProcesses('the simulated world', {
  processes: new SimProcesses({ disk: simDisk, script: contractScript }),
  disk: simDisk,
  root: '/r',
})

function spec(command: CommandSpec['command'], more: Partial<CommandSpec> = {}): CommandSpec {
  const env = { PATH: process.env['PATH'] }
  return { command, cwd: root, env, timeoutMs: 50_000, outputBytesMax: 100_000, ...more }
}

/** Starts a command and waits for its first line. */
async function started(command: string, more: Partial<CommandSpec> = {}) {
  let ready = (_: string) => {}
  const line = new Promise<string>(resolve => {
    ready = resolve
  })
  const running = await nodeProcesses.start(
    spec(command, { onOutput: (_, last) => ready(last), ...more }),
  )
  return { running, line: await line }
}

/** Asks `ps`, which the code does not use on Linux. A zombie does not run. */
function runs(pid: number | string): boolean {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' }).split('\n')
  return lines.some(line => new RegExp(`^\\s*${pid}\\s+[^ZX\\s]`).test(line))
}

const groupRuns = (group: ProcessGroup | undefined) =>
  execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .some(line => new RegExp(`^\\s*${group?.id}\\s+[^ZX\\s]`).test(line))

describe('a command that', () => {
  test('leaves a child that holds its output open ends after the child is stopped', async () => {
    const end = await nodeProcesses.run(spec('sleep 1000 & echo $!'))
    expect(end).toMatchObject({ exitCode: 0, leftBehind: 'ended', timedOut: false })
    expect(end.stdout.tail).toMatch(/^\d+\n$/)
    expect(runs(end.stdout.tail.trim())).toBe(false)
  })

  test('leaves a child that ignores SIGTERM ends after the child is killed', async () => {
    const command = '(trap "" TERM; echo $$; sleep 1000) & read -r go < fifo'
    execFileSync('mkfifo', [join(root, 'fifo')])
    const { running } = await started(command, { graceMs: 50 })
    execFileSync('sh', ['-c', 'echo go > fifo'], { cwd: root })
    expect(await running.end).toMatchObject({ exitCode: 0, leftBehind: 'ended' })
    expect(groupRuns(running.group)).toBe(false)
  })

  test('leaves a child that is about to end gets its output', async () => {
    const end = await nodeProcesses.run(spec('(echo late) & exit 0'))
    expect(end).toMatchObject({ exitCode: 0, stdout: { tail: 'late\n' } })
  })

  test('ignores the request to end is killed, and all of its group with it', async () => {
    const { running } = await started('trap "" TERM; sh -c "sleep 1000" & echo ready; wait', {
      graceMs: 50,
    })
    running.stop()
    expect(await running.end).toMatchObject({ signal: 'SIGKILL', stopped: true })
    expect(groupRuns(running.group)).toBe(false)
  })

  test('is killed at the second request need not be waited for', async () => {
    const { running } = await started('trap "" TERM; echo ready; sleep 1000', { graceMs: 1e6 })
    running.stop()
    running.stop('SIGKILL')
    expect(await running.end).toMatchObject({ signal: 'SIGKILL', stopped: true })
  })

  test('takes too long is ended with its children', async () => {
    const running = await nodeProcesses.start(
      spec('sleep 1000 & sleep 1000 | sleep 1000', { timeoutMs: 100 }),
    )
    expect(await running.end).toMatchObject({ signal: 'SIGTERM', timedOut: true })
    expect(groupRuns(running.group)).toBe(false)
  })

  test('closes its output continues until it ends', async () => {
    const command = 'exec >&- 2>&-; sleep 0.05; exit 4'
    expect(await nodeProcesses.run(spec(command))).toMatchObject({
      exitCode: 4,
      stdout: { bytes: 0 },
    })
  })

  test('prints no newline has its output recorded', async () => {
    const { running, line } = await started('printf Password:; sleep 1000')
    expect(line).toBe('Password:')
    running.stop()
    await running.end
  })

  test('opens its output again by name adds to it', async () => {
    const command = 'echo a; echo b > /dev/stdout; echo c >&2; echo d > /dev/stderr; cat /dev/stdin'
    const { exitCode, stdout, stderr } = await nodeProcesses.run(spec(command, { stdin: 'in' }))
    expect([exitCode, stdout.tail, stderr.tail]).toEqual([0, 'a\nb\nin', 'c\nd\n'])
  })

  test('joins its outputs keeps the order in which it writes', async () => {
    const writes = 'for n in 1 2 3; do echo $n; echo e$n >&2; echo n$n > /dev/stderr; done'
    const command = `${writes}; sh -c 'echo child >&2'; echo end`
    const { stdout, stderr } = await nodeProcesses.run(spec(command, { joinsOutputs: true }))
    expect(stdout.tail).toBe('1\ne1\nn1\n2\ne2\nn2\n3\ne3\nn3\nchild\nend\n')
    expect(stderr.bytes).toBe(0)
  })

  test('joins its outputs and cannot be started leaves the pipe for the next command', async () => {
    const missing = ['no-such-program'] as const
    for (let count = 0; count < 40; count++) {
      const end = await nodeProcesses.run(spec('', { command: missing, joinsOutputs: true }))
      expect(end.spawnFailed?.code).toBe('ENOENT')
    }
    expect((await nodeProcesses.run(spec('echo a; echo b >&2'))).stderr.tail).toBe('b\n')
  })

  test('prints without end is ended when it passes its limit', async () => {
    const end = await nodeProcesses.run(spec('yes >&2', { endAboveBytes: 1_000_000 }))
    expect(end).toMatchObject({ signal: 'SIGTERM', timedOut: false, stopped: false })
    expect(end.stderr.bytes).toBeGreaterThan(1_000_000)
  })

  test('does not read its stdin ends normally', async () => {
    const stdin = 'x'.repeat(1_000_000)
    expect(await nodeProcesses.run(spec('exit 5', { stdin }))).toMatchObject({ exitCode: 5 })
  })

  test('gets a larger environment than the system allows is reported', async () => {
    const env = { PATH: '/bin', ISSUE: 'x'.repeat(10_000_000) }
    expect(await nodeProcesses.run(spec('true', { env }))).toMatchObject({
      spawnFailed: { code: 'E2BIG' },
    })
  })

  test('gets an empty path as its folder does not run in the current one', async () => {
    expect(await nodeProcesses.run(spec('true', { cwd: '' }))).toHaveProperty('spawnFailed')
  })

  test('inherits no open files', async () => {
    const { stdout } = await nodeProcesses.run(spec('/usr/bin/env', { env: { A: 'b' } }))
    const names = stdout.tail
      .trim()
      .split('\n')
      .map(line => line.split('=')[0])
    // A shell sets `PWD`, some also `_`, `SHLVL` and `OLDPWD`.
    expect(names.filter(name => !/^(_|PWD|OLDPWD|SHLVL)$/.test(name ?? '')).sort()).toEqual([
      'A',
      'PREMATH_GROUP',
    ])
  })

  test('prints 200 MB needs little memory, and every byte is in the hash', async () => {
    const stdoutPath = join(root, 'much')
    let buffersMax = 0
    const { stdout } = await nodeProcesses.run(
      spec('yes | head -c 200000000', {
        stdoutPath,
        timeoutMs: 600_000,
        onOutput() {
          buffersMax = Math.max(buffersMax, process.memoryUsage().arrayBuffers)
        },
      }),
    )
    expect(stdout).toMatchObject({
      bytes: 200_000_000,
      sha256: '294dc044302beef2e1797f194f18c661eaa2cb51ea864efaeb955f5b1700c40e',
      truncated: true,
    })
    expect(statSync(stdoutPath).size).toBeLessThanOrEqual(100_000)
    expect(readFileSync(stdoutPath, 'utf8')).toMatch(
      /^(y\n)+\n\[… \d+ bytes are not kept …\]\n(y\n)+$/,
    )
    expect(buffersMax).toBeLessThan(100_000_000)
  })
})

test('concurrent commands have separate outputs', async () => {
  const numbers = Array.from({ length: 20 }, (_, number) => `${number}\n`)
  const ends = await Promise.all(
    numbers.map(number => nodeProcesses.run(spec(['cat'], { stdin: number }))),
  )
  expect(ends.map(({ stdout }) => stdout.tail)).toEqual(numbers)
})

test.each([
  'echo "$0 $# $*"',
  'echo a # b',
  'if true; then\n  echo c\nfi\nexit 7',
  '( exit 5 )',
  'echo "unclosed',
  'set -- x y; echo "$@"',
  'ls /dev/fd | wc -l',
])('output that is delayed gives the same result: %s', async text => {
  const plain = await nodeProcesses.run(spec(text))
  const waited = await nodeProcesses.run(spec(text, { beforeRun: async () => {} }))
  expect([waited.exitCode, waited.stdout.tail]).toEqual([plain.exitCode, plain.stdout.tail])
})

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('the output of a process that left the group never becomes that of a later command', async () => {
    const wait = (file: string) => `while [ ! -e ${file} ]; do sleep 0.01; done`
    // Nobody reads what it says, which would end it before it says so.
    const stray = `trap "" PIPE; ${wait('go')}; echo stray; touch said`
    await nodeProcesses.run(spec(`setsid sh -c '${stray}' & :`))
    // More commands than one mkfifo makes pipes for, so that pipes are used again.
    const later = Array.from({ length: 20 }, () => nodeProcesses.run(spec(wait('said'))))
    execFileSync('touch', ['go'], { cwd: root })
    for (const { stdout, timedOut } of await Promise.all(later)) {
      expect([stdout.tail, timedOut]).toEqual(['', false])
    }
  })

  test('a process that left the group and keeps the output open is not awaited', async () => {
    const end = await nodeProcesses.run(spec('setsid sleep 1000 & echo $!'))
    expect(end).toMatchObject({ exitCode: 0 })
    process.kill(Number(end.stdout.tail), 'SIGKILL')
  })

  test('a full disk ends the command and is reported', async () => {
    const running = await nodeProcesses.start(spec('yes', { stdoutPath: '/dev/full' }))
    await expect(running.end).rejects.toMatchObject({
      code: 'unavailable',
      detail: { code: 'ENOSPC' },
    })
    expect(groupRuns(running.group)).toBe(false)
  })

  test('commands leave no file open', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length
    await nodeProcesses.run(spec('true'))
    const before = openFiles()
    for (let count = 0; count < 40; count++) {
      await nodeProcesses.run(spec('echo', { stdin: 'x', stdoutPath: join(root, 'out') }))
      await nodeProcesses.run(spec(['no-such-program']))
    }
    // Up to 16 spare pipes stay open, with two ends each.
    expect(openFiles() - before).toBeLessThanOrEqual(32)
  })

  test('both ways to list processes agree', () => {
    const group = Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)]))
    for (const table of [procTable, psTable]) {
      expect(table.startOf(process.pid)).toBe(table.startOf(process.pid))
      expect(table.startOf(process.pid)).toBeTruthy()
      expect(table.startOf(2 ** 22 + 1)).toBeUndefined()
      expect(table.membersOf(group)).toContain(process.pid)
      expect(table.membersOf(2 ** 22 + 1)).toEqual([])
    }
  })
})

test.each([0, 1, -5, 1.5, Number.NaN])('%d is no group', async id => {
  const group = { id, startedAt: procTable.startOf(1) ?? '', mark: '' }
  expect(await nodeProcesses.groupAlive(group)).toBe(false)
})

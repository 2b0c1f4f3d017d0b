import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CommandSpec, Disk, Processes, ProcessGroup } from '../world/world.ts'
import type { SimScript } from './sim-processes.ts'

const never = new Promise<never>(() => {})

/** The commands of the contract, as scripts for a world without a shell. */
export function contractScript({ command, env, stdin, timeoutMs }: CommandSpec): SimScript {
  const scripts: Readonly<Record<string, SimScript>> = {
    'echo one; echo two >&2; exit 3': { stdout: 'one\n', stderr: 'two\n', exitCode: 3 },
    "echo '$X'": { stdout: '$X\n' },
    'printf %s "$X"': { stdout: env['X'] ?? '' },
    cat: { stdout: stdin ?? '' },
    'kill -KILL $$': { signal: 'SIGKILL' },
    'echo ready; sleep 1000': {
      stdout: 'ready\n',
      ...(timeoutMs < 1_000 ? { takesMs: 1_000_000 } : { until: never }),
    },
    'no-such-program': { exitCode: 127, stderr: 'not found\n' },
    'echo made > made': {},
    [[1, 2, 3].map(line => `echo ${line}`).join('; ')]: { stdout: '1\n2\n3\n' },
  }
  if (typeof command !== 'string') {
    if (command[0] === 'no-such-program') {
      return { spawnFailed: { code: 'ENOENT', reason: 'there is no program no-such-program' } }
    }
    return { stdout: `${command.slice(1).join(' ')}\n` }
  }
  return scripts[command] ?? { stdout: 'x'.repeat(Number(/head -c (\d+)/.exec(command)?.[1])) }
}

/** The contract of `Processes`. `root` is an existing folder. */
export function describeProcesses(
  name: string,
  { processes, disk, root }: { processes: Processes; disk: Disk; root: string },
) {
  const spec = (command: CommandSpec['command'], more: Partial<CommandSpec> = {}): CommandSpec => ({
    command,
    cwd: root,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 100_000,
    outputBytesMax: 1_000,
    ...more,
  })
  const run = (command: CommandSpec['command'], more?: Partial<CommandSpec>) =>
    processes.run(spec(command, more))

  /** A command that has written its first line. */
  async function startedAndReady(more: Partial<CommandSpec> = {}) {
    let ready = () => {}
    const isReady = new Promise<void>(resolve => {
      ready = resolve
    })
    const running = await processes.start(
      spec('echo ready; sleep 1000', { onOutput: () => ready(), ...more }),
    )
    await isReady
    if (!running.group) throw new Error('it has output, so it runs')
    return { ...running, end: running.end, stop: running.stop.bind(running), group: running.group }
  }

  async function contentOf(path: string) {
    const file = await disk.open(path)
    const bytes = await file?.read(0, 100_000)
    await file?.close()
    return new TextDecoder().decode(bytes)
  }

  describe(`${name} keeps the promises of processes`, () => {
    test('a command ends with its exit code and its output', async () => {
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
      const nothingKept = { bytes: 4, keptBytes: 0, truncated: false }
      expect(await run('echo one; echo two >&2; exit 3')).toEqual({
        exitCode: 3,
        signal: null,
        timedOut: false,
        stopped: false,
        leftBehind: 'none',
        durationMs: expect.any(Number),
        stdout: { ...nothingKept, sha256: sha256('one\n'), tail: 'one\n' },
        stderr: { ...nothingKept, sha256: sha256('two\n'), tail: 'two\n' },
      })
    })

    test('a command that a signal ends has no exit code', async () => {
      expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    })

    test('joined outputs are both kept as stdout', async () => {
      const { stdout, stderr } = await run('echo one; echo two >&2; exit 3', { joinsOutputs: true })
      expect([stdout.tail, stderr.tail, stderr.bytes]).toEqual(['one\ntwo\n', '', 0])
    })

    test('the arguments of a program pass through no shell', async () => {
      expect((await run(['echo', '$HOME', '*'])).stdout.tail).toBe('$HOME *\n')
    })

    test('the environment is the given one', async () => {
      expect((await run('printf %s "$X"', { env: { X: 'a b' } })).stdout.tail).toBe('a b')
      expect((await run('printf %s "$X"', { env: { X: undefined } })).stdout.tail).toBe('')
    })

    test('a command reads the given stdin, or an empty one', async () => {
      expect((await run('cat', { stdin: 'é\nb' })).stdout.tail).toBe('é\nb')
      expect((await run('cat')).stdout.tail).toBe('')
    })

    test('output goes to files, and replaces their content', async () => {
      const paths = { stdoutPath: `${root}/out`, stderrPath: `${root}/err` }
      await run('echo one; echo two >&2; exit 3', paths)
      const { stdout } = await run('echo one; echo two >&2; exit 3', paths)
      expect(stdout).toMatchObject({ bytes: 4, keptBytes: 4, truncated: false })
      expect(await contentOf(paths.stdoutPath)).toBe('one\n')
      expect(await contentOf(paths.stderrPath)).toBe('two\n')
    })

    test('a command without output makes no file, and empties an existing one', async () => {
      const paths = { stdoutPath: `${root}/said`, stderrPath: `${root}/unsaid` }
      await run('echo one', paths)
      expect(await disk.stamp(paths.stderrPath)).toBeUndefined()
      await run('true', paths)
      expect(await contentOf(paths.stdoutPath)).toBe('')
    })

    test('an output file stays within its limit', async () => {
      const stdoutPath = `${root}/large`
      const { stdout } = await run("head -c 5000 /dev/zero | tr '\\0' x", { stdoutPath })
      expect(stdout).toMatchObject({ bytes: 5_000, keptBytes: 936, truncated: true })
      const content = await contentOf(stdoutPath)
      expect(content).toMatch(/^x{686}\n\[… 4064 bytes are not kept …\]\nx{250}$/)
      expect(new TextEncoder().encode(content).length).toBeLessThanOrEqual(1_000)
    })

    test('a file without its folder is a failure of the environment, and nothing runs', async () => {
      const running = run('echo made > made', { stdoutPath: `${root}/none/out` })
      await expect(running).rejects.toMatchObject({
        code: 'unavailable',
        detail: { code: 'ENOENT' },
      })
      expect(await disk.stamp(`${root}/made`)).toBeUndefined()
    })

    test('the tail has the requested length', async () => {
      expect((await run('echo 1; echo 2; echo 3', { tailBytesMax: 3 })).stdout.tail).toBe('\n3\n')
    })

    test('a command that the shell cannot find ends with 127', async () => {
      const end = await run('no-such-program')
      expect(end).toMatchObject({ exitCode: 127, signal: null })
      expect(end.stderr.tail).toContain('not found')
      expect(end).not.toHaveProperty('spawnFailed')
    })

    test.each([
      ['a program that is not there', spec(['no-such-program']), 'ENOENT', 'no program'],
      ['a folder that is not there', spec('cat', { cwd: `${root}/none` }), 'ENOTDIR', 'no folder'],
      ['a null byte', spec(['echo', 'a\0b']), 'ERR_INVALID_ARG_VALUE', 'null byte'],
    ])('%s is reported, and nothing runs', async (_, command, code, reason) => {
      const { group, end } = await processes.start(command)
      expect(group).toBeUndefined()
      expect(await end).toMatchObject({
        exitCode: null,
        signal: null,
        spawnFailed: { code, reason: expect.stringContaining(reason) },
      })
    })

    test('a command that takes too long is ended', async () => {
      expect(await run('echo ready; sleep 1000', { timeoutMs: 50 })).toMatchObject({
        exitCode: null,
        signal: 'SIGTERM',
        timedOut: true,
        stopped: false,
      })
    })

    test.each(['SIGTERM', 'SIGKILL'] as const)('a command is stopped with %s', async signal => {
      const { group, end, stop } = await startedAndReady()
      expect(await processes.groupAlive(group)).toBe(true)
      expect(await processes.isRunning(group.id)).toBe(true)
      stop(signal)
      stop(signal)
      expect(await end).toMatchObject({ exitCode: null, signal, timedOut: false, stopped: true })
      expect(await processes.groupAlive(group)).toBe(false)
      expect(await processes.isRunning(group.id)).toBe(false)
      stop(signal)
    })

    test('onOutput gets the last line', async () => {
      const seen: string[] = []
      await run('echo one; echo two >&2; exit 3', {
        onOutput: (from, line) => seen.push(`${from} ${line}`),
      })
      expect(seen.sort()).toEqual(['stderr two', 'stdout one'])
    })

    test('a recorded process group can be ended by another process', async () => {
      const { group, end } = await startedAndReady()
      const known: ProcessGroup = JSON.parse(JSON.stringify(group))
      await processes.endGroup(known)
      expect(await end).toMatchObject({ signal: 'SIGTERM', stopped: false })
      expect(await processes.groupAlive(known)).toBe(false)
      await processes.endGroup(known)
    })

    test('a group that has the number of another is left alone', async () => {
      const { group, end, stop } = await startedAndReady()
      const other = { ...group, startedAt: 'earlier', mark: 'another' }
      expect(await processes.groupAlive(other)).toBe(false)
      await processes.endGroup(other)
      expect(await processes.groupAlive(group)).toBe(true)
      stop()
      await end
    })

    test('a command waits until its group is recorded', async () => {
      const written: ProcessGroup[] = []
      const { group, end } = await processes.start(
        spec('echo one; echo two >&2; exit 3', {
          async beforeRun(before) {
            expect(await processes.groupAlive(before)).toBe(true)
            written.push(before)
          },
        }),
      )
      expect(written).toEqual([group])
      expect(await end).toMatchObject({ exitCode: 3, stdout: { tail: 'one\n' } })
    })

    test('a command whose group cannot be recorded never runs', async () => {
      const full = new Error('disk full')
      let group: ProcessGroup | undefined
      const starting = processes.start(
        spec('echo made > made', {
          async beforeRun(before) {
            group = before
            throw full
          },
        }),
      )
      await expect(starting).rejects.toBe(full)
      expect(group && (await processes.groupAlive(group))).toBe(false)
      expect(await disk.stamp(`${root}/made`)).toBeUndefined()
    })
  })
}

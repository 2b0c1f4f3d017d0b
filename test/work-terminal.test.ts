/** The work of a step in a pseudo-terminal, for an agent that talks with the person there. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { isSandboxed } from './bubblewrap.ts'
import { main } from './built-command.ts'

const hasTerminals =
  spawnSync('python3', ['-c', 'import pty']).status === 0 &&
  spawnSync('script', ['-qfec', 'exit 7', '/dev/null']).status === 7
if (!hasTerminals) console.log('skipped: no python3 that can open a terminal, or no util-linux')

const project = aProject()
const { done, rowsById } = project
const at = (path: string) => join(project.folder, path)
const saved = (path: string) => readFileSync(at(path), 'utf8')

/**
 * Types the answer at the first question of the program. `script` restores the modes of the terminal
 * when its program ends. Output that is shown after that gets a second carriage return, which no
 * person sees.
 */
function typed(answer: string, program: readonly string[], env = {}) {
  const args = [resolve('test/answered-terminal.py'), answer, ...program]
  const { status, stdout } = spawnSync('python3', args, {
    cwd: project.folder,
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...project.env, ...env },
  })
  return { status, stdout: stdout.replaceAll('\r\r\n', '\r\n') }
}

const premath = [process.execPath, main]
const step = (sandbox: string, ...more: readonly string[]) => [
  'harness-step',
  '--terminal',
  '--sandbox',
  sandbox,
  '--work-cmd',
  'sh agent.sh',
  '--verify-cmd',
  'test -s answer.txt',
  ...more,
]

const asks = "printf 'go on? [y/N] '; read -r answer"
const agent = (...lines: readonly string[]) => writeFileSync(at('agent.sh'), lines.join('\n'))

const again = 'test "$PREMATH_ATTEMPT" = 1 || { echo done > answer.txt; exit; }'

/** Runs it, and compares the modes of the terminal. Returns what was shown there. */
function restored(args: readonly string[]): string {
  const command = [...premath, ...args].map(word => `'${word}'`).join(' ')
  const { stdout } = typed('', ['sh', '-c', `stty -a > before; ${command}; stty -a > after`])
  expect(saved('after')).toBe(saved('before'))
  return stdout
}

describe.runIf(hasTerminals)('the work of a step', () => {
  beforeEach(() => {
    done('init')
    done('issue', 'add', 'One')
  })

  describe.each(isSandboxed ? ['require', 'off'] : ['off'])('with --sandbox %s', sandbox => {
    test('[trust.36.terminal] talks with the person, and its issue is closed', () => {
      const streams = 'for file in 0 1 2; do test -t $file && echo $file >> streams.txt; done'
      const shell = `printf %s "$SHELL" > shell.txt`
      agent(streams, shell, asks, 'echo "$answer" > /dev/tty', 'echo "$answer" > answer.txt')
      const { status, stdout } = typed('yes', [...premath, ...step(sandbox)], { SHELL: '/bin/x' })
      expect(stdout).toContain('go on? [y/N] yes\r\nyes\r\n')
      expect(stdout).toContain('Closed')
      expect(status).toBe(0)
      expect(saved('answer.txt')).toBe('yes\n')
      expect(saved('streams.txt')).toBe('0\n1\n2\n')
      expect(saved('shell.txt')).toBe('/bin/x')
      expect(saved('artifacts/steps/worker.bd-1.1.1/work.stdout')).toBe(
        'go on? [y/N] yes\r\nyes\r\n',
      )
    })

    test('[trust.36.terminal] gets Ctrl-C, and decides what that means', () => {
      agent("trap 'echo heard > answer.txt' INT", asks, 'true')
      const { status } = typed('\u0003', [...premath, ...step(sandbox)])
      expect(saved('answer.txt')).toBe('heard\n')
      expect(status).toBe(0)
    })

    test('[trust.36.terminal] does not type into the terminal of the person', () => {
      const type = `import fcntl, termios; [fcntl.ioctl(0, termios.TIOCSTI, c) for c in b'id'.decode()]`
      agent(`python3 -c "${type}"`, 'echo done > answer.txt')
      const after = 'stty -icanon min 0 time 5; dd bs=9 count=1 of=typed.txt 2> dd.txt'
      const command = [...premath, ...step(sandbox)].map(word => `'${word}'`).join(' ')
      expect(typed('', ['sh', '-c', `${command}; ${after}`]).stdout).toContain('Closed')
      expect(saved('typed.txt')).toBe('')
    })

    test('[trust.36.terminal] leaves the terminal as it was, also if it is ended', () => {
      agent(again, "trap '' TERM HUP", 'stty raw -echo', 'sleep 60')
      expect(restored(step(sandbox, '--work-timeout-seconds', '1'))).toContain('command_timeout')
    })
  })

  test('[trust.36.terminal] leaves the terminal as it was, also if script is killed', () => {
    agent(
      'stty -a > "modes.$PREMATH_ATTEMPT"',
      again,
      'stty raw -echo',
      'kill -KILL $(cut -d " " -f 4 "/proc/$PPID/stat")',
      'sleep 60',
    )
    expect(restored(step('off'))).toContain('attempt 2: completed')
    // A pseudo-terminal begins with the modes of the terminal.
    expect(saved('modes.2')).toBe(saved('modes.1'))
  })

  test('[trust.36.terminal] still changes no issue', () => {
    const force = `'${premath.join("' '")}' close bd-1 --force --reason Moot`
    agent(`${force} > said.txt 2>&1; echo $? >> said.txt`, 'echo done > answer.txt')
    const { stdout } = typed('y', [...premath, ...step('off')])
    expect(stdout).not.toContain('[y/N]')
    expect(saved('said.txt')).toMatch(/mutation_not_granted[\s\S]*\n1\n$/)
    expect(rowsById()['bd-1'].metadata.premathOverride).toBeUndefined()
  })

  test('[trust.36.terminal] has none without --terminal', () => {
    agent(
      'for file in 0 1 2; do test -t $file && echo $file >> streams.txt; done; echo > answer.txt',
    )
    const without = step('off').filter(word => word !== '--terminal')
    expect(typed('', [...premath, ...without]).status).toBe(0)
    expect(existsSync(at('streams.txt'))).toBe(false)
  })
})

/** The built command, in real processes. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Module } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from './built-command.ts'
import { runInProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'premath-cli-'))
const bin = join(folder, 'bin')

beforeAll(() => {
  mkdirSync(bin)
  // The way npm installs it: a link on the path, and the first line of the file does the rest.
  symlinkSync(main, join(bin, 'premath'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const environment = (extra: Readonly<Record<string, string>> = {}) => {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env
  return { ...inherited, PATH: `${bin}${delimiter}${process.env['PATH']}`, ...extra }
}

interface Setup {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

function premath(args: readonly string[], { input = '', env = {} }: Setup = {}) {
  return ended(
    spawnSync('premath', args, { encoding: 'utf8', input, cwd: folder, env: environment(env) }),
  )
}

function shell(line: string, program = 'bash') {
  const args = program === 'bash' ? ['--norc', '-o', 'pipefail', '-c', line] : ['-c', line]
  return ended(spawnSync(program, args, { encoding: 'utf8', cwd: folder, env: environment() }))
}

const ended = ({ status, stdout, stderr }: SpawnSyncReturns<string>) => ({ status, stdout, stderr })

test.each(['--version', '-V', 'version'])('%s prints the version alone', argument => {
  expect(premath([argument])).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})

test('without arguments premath shows help on stdout', () => {
  const { status, stdout, stderr } = premath([])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('premath <command>')
  expect(stdout).not.toContain('\u001b')
})

test('an unknown command is refused with the nearest one', () => {
  expect(premath(['scheam'])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'error: unknown command "scheam"\n  did you mean: premath schema\n',
  })
})

test('under --json a fault is on stdout too', () => {
  const { status, stdout, stderr } = premath(['schema', '--knd', 'x', '--json'])
  expect(status).toBe(2)
  expect(stderr).toContain('unknown flag --knd')
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' }, exitCode: 2 })
})

test('a schema is printed as it is published', () => {
  const { kinds } = JSON.parse(premath(['schema', '--json']).stdout)
  expect(kinds.length).toBeGreaterThan(0)
  for (const { kind } of kinds) {
    const inProcess = (...more: readonly string[]) =>
      runInProcess({ args: ['schema', kind, ...more], cwd: folder, env: environment(), input: '' })
    expect(inProcess()).toEqual(inProcess('--json'))
    expect(JSON.parse(inProcess().stdout)).toMatchObject({ title: kind })
  }
})

describe('the exit code of the gate is', () => {
  const turn = (calls: readonly string[]) => ({
    evidence: {
      callSpec: {
        callId: 'call-1',
        modelRef: 'some-model',
        actionMode: 'json',
        executionPattern: 'parallel',
        normalizerId: 'nf.v1',
        mutationPolicyDigest: 'mut.pol.v1',
        governancePolicyDigest: 'gov.pol.v1',
        toolRenderProtocolDigest: 'render.pol.v1',
        reminderQueuePolicyDigest: 'queue.pol.v1',
        stateViewPolicyDigest: 'state.pol.v1',
        decompositionPolicyDigest: 'decomp.pol.v1',
      },
      toolRequests: calls.map(toolCallId => ({ toolCallId, toolName: 'fs.read' })),
      protocolState: { stopReason: 'end_turn', continuationAllowed: false },
    },
  })
  const check = ['harness-join-check', '--input', '-']

  test('0 for a turn without calls', () => {
    expect(premath(check, { input: JSON.stringify(turn([])) })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('accepted'),
      stderr: '',
    })
  })

  test('1 for a call without a result', () => {
    expect(premath(check, { input: JSON.stringify(turn(['tc-1'])) })).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('tool.result_missing'),
      stderr: '',
    })
  })

  test('2 for a document that is not a turn', () => {
    expect(premath(check, { input: 'not json' })).toMatchObject({ status: 2, stdout: '' })
  })

  test('3 for a stream that was cut short', () => {
    const lines = `${JSON.stringify(turn([]))}\n`.repeat(5000)
    writeFileSync(join(folder, 'turns.ndjson'), lines)
    const { stdout, stderr } = shell(
      'premath harness-join-check --input turns.ndjson --ndjson | head -c 1; echo " $PIPESTATUS"',
    )
    expect(stdout).toMatch(/ 3\n$/)
    expect(stderr).toBe('')
  })
})

describe('colour', () => {
  test('is printed when it is forced', () => {
    expect(premath(['help'], { env: { FORCE_COLOR: '1' } }).stdout).toContain('\u001b[1m')
  })

  test('is not printed under NO_COLOR', () => {
    const env = { FORCE_COLOR: '1', NO_COLOR: '1' }
    expect(premath(['help'], { env }).stdout).not.toContain('\u001b')
  })
})

describe('a reader that leaves early', () => {
  test('causes no error message', () => {
    const { status, stdout, stderr } = shell('premath help --json | head -1')
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '{\n', stderr: '' })
  })

  test('does not change the answer', () => {
    expect(shell('premath help | true')).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

test.skipIf(!existsSync('/dev/full'))('a full disk is an environment failure', () => {
  for (const line of ['premath --version', 'premath help', 'premath help --json']) {
    const { status, stderr } = shell(`${line} > /dev/full`)
    expect(status).toBe(3)
    expect(stderr).toContain('could not write standard output: ENOSPC')
    expect(stderr).not.toContain('    at ')
  }
})

test.skipIf(!existsSync('/dev/full'))('a lost answer is reported as such after a change', () => {
  const { status, stderr } = shell('premath issue add kept --issues full.jsonl --json > /dev/full')
  expect(status).toBe(3)
  expect(stderr).toContain('The change was made and is kept')
  expect(shell('premath issue list --issues full.jsonl').stdout).toContain('kept')
})

test('a closed standard error changes nothing', () => {
  expect(shell('premath scheam 2>&-').status).toBe(2)
})

test('a missing working folder fails only commands that need it', () => {
  const { status, stderr } = shell('mkdir gone && cd gone && rmdir ../gone && premath help')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

describe('the code of a command is loaded when it runs', () => {
  const loaded = (line: readonly string[]) => {
    const spy = join(folder, 'spy.cjs')
    writeFileSync(
      spy,
      `process.on('exit', () => require('node:fs').writeSync(2, JSON.stringify(Object.keys(require.cache))))`,
    )
    const { stderr } = premath(line, { env: { NODE_OPTIONS: `--require=${spy}` } })
    return JSON.parse(stderr.slice(stderr.lastIndexOf('['))).filter(
      (path: string) => path !== spy,
    ) as string[]
  }

  test('the version needs one file', () => {
    expect(loaded(['--version'])).toEqual([main])
  })

  test.each([
    ['judging a turn', ['harness-join-check', '--input', 'no-such-file'], 'gate.cjs'],
    ['listing ready issues', ['issue', 'ready', '--issues', 'no-such-file'], 'issues.cjs'],
  ])('%s needs four', (_, line, chunk) => {
    const names = loaded(line).map(name => basename(name))
    expect(names.toSorted()).toEqual(
      ['core.cjs', 'main.cjs', 'rolldown-runtime.cjs', chunk].toSorted(),
    )
  })

  test('help of a command loads no package', () => {
    const names = loaded(['help', 'schema']).join('\n')
    expect(names).not.toMatch(/node_modules|completion|complaints|explain/)
  })

  test.each([
    ['keeps it for the user', {}, 'enableCompileCache' in Module ? ['premath'] : []],
    ['keeps nothing if it is turned off', { NODE_DISABLE_COMPILE_CACHE: '1' }, []],
  ])('a Node with a compile cache %s', (name, setting, kept) => {
    const cache = join(folder, name)
    mkdirSync(cache)
    premath(['help', 'schema'], { env: { XDG_CACHE_HOME: cache, ...setting } })
    expect(readdirSync(cache)).toEqual(kept)
  })

  test.each(['not/absolute', '/dev/null'])('the command works if the cache is %s', cache => {
    const env = { XDG_CACHE_HOME: cache, HOME: '' }
    expect(premath(['help', 'schema'], { env })).toEqual(premath(['help', 'schema']))
    expect(readdirSync(folder)).not.toContain('not')
  })
})

describe('completions', () => {
  const script = join(bin, 'completion.bash')
  const bashCompletes = (...words: string[]) => {
    if (!existsSync(script)) writeFileSync(script, premath(['completion', 'bash']).stdout)
    const quoted = words.map(word => `'${word}'`).join(' ')
    const { stdout, stderr } = shell(
      `source '${script}'; source '${script}'
      COMP_WORDS=(premath ${quoted}); COMP_CWORD=${words.length}
      compopt() { :; }
      __premath_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
    expect(stderr).toBe('')
    return stdout.split('\n').filter(Boolean)
  }

  test('bash completes commands, flags and values', () => {
    expect(bashCompletes('harness-j')).toEqual(['harness-join-check'])
    expect(bashCompletes('harness-join-check', '--ex')).toEqual(['--explain'])
    expect(bashCompletes('harness-join-check', '--input', '')).toEqual([])
    expect(bashCompletes('sche')).toEqual(['schema', 'scheme-eval'])
    expect(bashCompletes('schema', '--js')).toEqual(['--json'])
    expect(bashCompletes('completion', '')).toEqual(['bash', 'fish', 'zsh'])
    expect(bashCompletes('issue', 'export', '--format', '=', 'cs')).toEqual(['csv'])
    expect(bashCompletes('issue', 'export', '--format', '=')).toEqual(['jsonl', 'json', 'csv'])
  })

  test('bash completes issue ids, statuses and labels', () => {
    const rows = [{ id: 'bd-1', title: 'One', labels: ['web'] }]
    mkdirSync(join(folder, '.premath'), { recursive: true })
    writeFileSync(join(folder, '.premath/issues.jsonl'), `${JSON.stringify(rows[0])}\n`)
    expect(bashCompletes('show', '')).toEqual(['bd-1'])
    expect(bashCompletes('issue', 'update', 'b')).toEqual(['bd-1'])
    expect(bashCompletes('list', '--status', 'in_p')).toEqual(['in_progress'])
    expect(bashCompletes('list', '--label', '=', 'w')).toEqual(['web'])
    expect(readdirSync(join(folder, '.premath'))).toEqual(['issues.jsonl'])
    rmSync(join(folder, '.premath'), { recursive: true })
  })

  test('bash neither runs nor overwrites the command line', () => {
    const kept = join(folder, 'kept.txt')
    writeFileSync(kept, 'precious')
    expect(bashCompletes('issue', 'export', '>', 'kept.txt')).toEqual([])
    expect(bashCompletes('issue', 'export', '>', 'kept.txt', '--form')).toEqual(['--format'])
    expect(bashCompletes('issue', 'add', '"$(rm kept.txt)"', '--pri')).toEqual(['--priority'])
    expect(readFileSync(kept, 'utf8')).toBe('precious')
  })

  test.each(['zsh', 'fish'])('%s accepts its script', program => {
    const { status, stdout } = premath(['completion', program])
    expect(status).toBe(0)
    expect(stdout).toContain('premath complete -- ')
  })

  const has = (program: string) => spawnSync(program, ['--version']).status === 0

  test.skipIf(!has('zsh'))('zsh parses its script', () => {
    const line = 'autoload -U compinit; compinit -D; source <(premath completion zsh)'
    expect(shell(line, 'zsh')).toMatchObject({ status: 0, stderr: '' })
  })

  test.skipIf(!has('fish'))('fish completes a command', () => {
    const line = 'premath completion fish | source; complete --do-complete "premath sche"'
    expect(shell(line, 'fish').stdout).toContain('schema')
  })

  test('an unknown shell is refused with the known ones', () => {
    const { status, stderr } = premath(['completion', 'powershell'])
    expect(status).toBe(2)
    expect(stderr).toContain('bash, fish, zsh')
  })
})

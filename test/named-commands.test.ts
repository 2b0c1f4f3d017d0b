/**
 * Every command that the contracts name is there by that name: a premath command, a task, or
 * a file that starts one.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCommand } from '../src/cli/flags.ts'
import { operations } from '../src/operations/index.ts'
import { Repository } from './a-git-project.ts'
import { writes } from './a-loop.ts'
import { main } from './built-command.ts'

/** A command as a document writes it, and its place. A first word alone, or one with a star, stands for several. */
const named: Readonly<Record<string, string>> = {
  'premath harness-session': 'HARNESS-RUNTIME §1.1',
  'premath harness-session read': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §11',
  'premath harness-session write': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §11, §14.2',
  'premath harness-session bootstrap': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §11',
  'premath harness-feature': 'HARNESS-RUNTIME §1.1',
  'premath harness-feature read': 'HARNESS-RUNTIME §2',
  'premath harness-feature write': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §14.2',
  'premath harness-feature check': 'HARNESS-RUNTIME §2',
  'premath harness-feature next': 'HARNESS-RUNTIME §2',
  'premath harness-trajectory': 'HARNESS-RUNTIME §1.1',
  'premath harness-trajectory append': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §12, §14.2',
  'premath harness-trajectory query': 'HARNESS-RUNTIME §2, TUSK-HARNESS-CONTRACT §12',
  'premath harness-join-check': 'HARNESS-RUNTIME §1.1, HARNESS-TYPESTATE §9',
  'premath mcp-serve': 'TUSK-HARNESS-CONTRACT §7',
  'premath issue': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue list': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue ready': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue blocked': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue check': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue claim': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue update': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue discover': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue lease-renew': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath issue lease-release': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath dep': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath dep diagnostics': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath dep add': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath dep remove': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath dep replace': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath observe': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath instruction-check': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath coherence-check': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath required-*': 'TUSK-HARNESS-CONTRACT §14.2',
  'premath scheme-eval': 'TUSK-HARNESS-CONTRACT §14.3',
  'python3 tools/harness/multithread_loop.py worker': 'HARNESS-RUNTIME §2',
  'python3 tools/harness/multithread_loop.py coordinator': 'HARNESS-RUNTIME §2',
  'python3 tools/harness/benchmark_kpi.py': 'TUSK-HARNESS-CONTRACT §13',
  'python3 tools/conformance/run_harness_typestate_vectors.py':
    'HARNESS-RUNTIME §1.1, HARNESS-TYPESTATE §9',
  'python3 tools/ci/check_issue_graph.py': 'HARNESS-RUNTIME §9, HARNESS-TYPESTATE §9',
  'python3 tools/ci/test_harness_retry_policy.py': 'HARNESS-RUNTIME §1.1',
  'python3 tools/ci/test_harness_escalation.py': 'HARNESS-RUNTIME §1.1',
  'sh tools/ci/run_instruction.sh': 'TUSK-HARNESS-CONTRACT §14.2',
  'mise run harness-worker-loop': 'HARNESS-RUNTIME §1.1, §2',
  'mise run harness-coordinator-loop': 'HARNESS-RUNTIME §1.1, §2',
  'mise run harness-kpi-report': 'TUSK-HARNESS-CONTRACT §13',
  'mise run conformance-run': 'HARNESS-TYPESTATE §9',
  'mise run ci-pipeline-test': 'HARNESS-RUNTIME §1.1',
  'mise run ci-hygiene-check': 'HARNESS-RUNTIME §9',
  'mise run docs-coherence-check': 'HARNESS-RUNTIME §9',
  'mise run doctrine-check': 'HARNESS-RUNTIME §9',
  'mise run ci-instruction': 'TUSK-HARNESS-CONTRACT §14.2',
  'mise run ci-required-attested': 'TUSK-HARNESS-CONTRACT §7',
}

/** Those that wait, each for the piece of work that brings it. */
const later: Readonly<Record<string, string>> = {}

/** Files in the place of scripts, and the command that each one starts. */
const launchers: Readonly<Record<string, string>> = {
  'tools/ci/check_issue_graph.py': 'issue-graph-check',
  'tools/conformance/run_harness_typestate_vectors.py': 'conformance run',
  'tools/harness/benchmark_kpi.py': 'harness-kpi',
  'tools/harness/multithread_loop.py': 'harness-loop',
}

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync('package.json', 'utf8'),
).scripts

const tasks = Object.fromEntries(
  [...readFileSync('mise.toml', 'utf8').matchAll(/^\[tasks\.([\w-]+)\]$([^[]*)/gm)].map(
    ([, task = '', body = '']) => [task, /^run = "([^"]*)"$/m.exec(body)?.[1]],
  ),
)

function isThere(name: string): boolean {
  const [program, ...words] = name.replace('mise run', 'mise').split(' ')
  const [first = '', ...rest] = words
  if (program === 'premath') return isCommand(words.join(' '))
  if (program === 'mise') return Object.hasOwn(tasks, first) && Object.hasOwn(scripts, first)
  const command = launchers[first]
  return existsSync(first) && (command === undefined || isCommand([command, ...rest].join(' ')))
}

function isCommand(words: string): boolean {
  const begin = words.endsWith('*') ? words.slice(0, -1) : `${words} `
  return Object.keys(operations).some(command => `${command} `.startsWith(begin))
}

describe('every command that the contracts name', () => {
  test.each(Object.entries(named).filter(([name]) => !Object.hasOwn(later, name)))(
    '%s (%s)',
    name => {
      expect(isThere(name)).toBe(true)
    },
  )

  test('is listed as missing only while it does not exist', () => {
    expect(Object.keys(later).filter(isThere)).toEqual([])
    expect(Object.keys(later).filter(name => !Object.hasOwn(named, name))).toEqual([])
  })
})

/** Itself, and not a script that looks for it on the PATH. */
const looked = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
})
const python = looked.status === 0 ? looked.stdout.trim() : ''
if (python === '') console.log('skipped: there is no python3 on this machine')

interface Setup {
  readonly PATH?: string
  readonly cwd?: string
}

function run(program: string, args: readonly string[], setup: Setup = {}) {
  const { PATH = process.env['PATH'], cwd } = setup
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, PATH },
  })
  return { status, signal, stdout, stderr }
}

describe('the loop starts by each name that the contracts give it', () => {
  const named = (way: string, role: string): readonly string[] => {
    const task = `harness-${role}-loop`
    if (way === 'npm run') return ['npm', 'run', '--silent', task, '--']
    if (way === 'mise run') return [...(tasks[task] ?? '').split(' ')]
    return [python, 'tools/harness/multithread_loop.py', role]
  }

  const ways = ['npm run', 'mise run', ...(python === '' ? [] : ['python3'])]
  const roles = [
    ['worker', []],
    ['coordinator', ['--create-worktrees', '1']],
  ] as const
  test.each(ways.flatMap(way => roles.map(([role, more]) => [way, role, more] as const)))(
    '%s, as a %s, and closes an issue [runtime.2.loop-commands]',
    (way, role, more) => {
      // A project that holds the named files, so that each name is found where it is called.
      const repository = new Repository('named-loop')
      try {
        for (const path of ['package.json', 'dist', 'tools']) {
          symlinkSync(resolve(path), join(repository.root, path))
        }
        repository.given([{ id: 'bd-1', title: 'One' }])
        const commands = ['--work-cmd', writes, '--verify-cmd', 'true', '--json']
        const [program = '', ...words] = named(way, role)
        const ended = run(program, [...words, ...more, ...commands], { cwd: repository.root })
        expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: '' })
        const events = ended.stdout
          .split('\n')
          .filter(line => line !== '')
          .map(line => JSON.parse(line))
        const workerId = role === 'worker' ? 'worker' : 'worker.1'
        expect(events).toContainEqual(expect.objectContaining({ event: 'claimed', workerId }))
        expect(events).toContainEqual(
          expect.objectContaining({ event: 'run.ended', closed: ['bd-1'] }),
        )
      } finally {
        repository.remove()
      }
    },
  )
})

describe('tasks', () => {
  test.each(Object.entries(tasks))('%s does what the npm script of its name does', (task, run) => {
    expect([scripts[task], `npm run --silent ${task}`]).toContain(run)
  })

  test('that start premath give it a command', () => {
    const words = Object.values(scripts).flatMap(script =>
      script.startsWith('node dist/cli/main.cjs ') ? [script.split(' ').slice(2)] : [],
    )
    const extra = words.flatMap(argv => findCommand(argv, Object.keys(operations)).args)
    expect(extra.filter(word => !word.startsWith('--'))).toEqual([])
  })
})

const documents = new URL('../../shared/seeds/', import.meta.url)
const hasDocuments = existsSync(documents)
if (!hasDocuments) console.log('skipped: the contracts themselves are not on this machine')

test.skipIf(!hasDocuments)('the contracts name no other command', () => {
  const found = readdirSync(documents)
    .filter(file => file.endsWith('.md'))
    .flatMap(file => namesIn(readFileSync(new URL(file, documents), 'utf8')))
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter(name => !Object.hasOwn(named, name))).toEqual([])
})

/** `premath issue list|ready … --json` in code is two names, `premath issue … --json` is one. */
function namesIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  )
  return spans.flatMap(span => {
    const shape = /^ ?(premath|python3|mise run|sh) ([\w./*-]+)(?: ([a-z][\w|-]*))?/.exec(span)
    if (!shape) return []
    const [, program, first, words] = shape
    return words?.split('|').map(word => `${program} ${first} ${word}`) ?? [`${program} ${first}`]
  })
}

describe.skipIf(python === '')('the replacement of a script', () => {
  let folder = ''
  const bin = () => join(folder, 'bin')
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'premath names '))
    mkdirSync(bin())
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const names = Object.keys(named).filter(name => name.startsWith('python3 '))
  const wordsOf = (name: string) => name.split(' ').slice(1)
  const paths = [...new Set(names.map(name => wordsOf(name)[0] ?? ''))]
  const starts = names.filter(name => Object.hasOwn(launchers, wordsOf(name)[0] ?? ''))

  test.each(starts)('%s runs the command from any folder', name => {
    const [path = '', ...more] = wordsOf(name)
    const command = [...(launchers[path] ?? '').split(' '), ...more]
    const asked = run(process.execPath, [main, ...command, '--help'])
    expect(asked.stdout).toContain(`Usage: premath ${command.join(' ')}`)
    expect(run(python, [resolve(path), ...more, '--help'], { cwd: folder })).toEqual(asked)
  })

  test.each(paths.filter(path => !Object.hasOwn(launchers, path)))('%s runs suites', path => {
    const suites = [...readFileSync(path, 'utf8').matchAll(/"((?:src|test)\/[^"]+)"/g)]
    expect(suites.length).toBeGreaterThan(0)
    expect(suites.filter(([, suite = '']) => !existsSync(suite))).toEqual([])
    const { status, stdout } = run(python, [resolve(path), '--help'], { cwd: folder })
    expect(status).toBe(0)
    expect(stdout).toContain('vitest')
  })

  test('exits with the exit code of the command', () => {
    const path = resolve('tools/harness/benchmark_kpi.py')
    expect(run(python, [path, '--window-hours', '0'], { cwd: folder }).status).toBe(2)
  })

  /** Away from what was built, beside a premath that is installed or is not. */
  function alone(path: string, premath?: string) {
    const copy = join(folder, path)
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(path, copy)
    rmSync(join(bin(), 'premath'), { force: true })
    if (premath) writeFileSync(join(bin(), 'premath'), `#!/bin/sh\n${premath}\n`, { mode: 0o755 })
    return run(python, [copy, 'one word', '--two'], { PATH: bin() })
  }

  test.each(Object.entries(launchers))('%s starts an installed premath', (path, command) => {
    const words = command.split(' ').map(word => `<${word}>`)
    expect(alone(path, `printf '<%s>' "$@"; exit 7`)).toEqual({
      status: 7,
      signal: null,
      stdout: `${words.join('')}<one word><--two>`,
      stderr: '',
    })
  })

  test('ends with the signal that ends the command', () => {
    const { status, signal } = alone('tools/harness/multithread_loop.py', 'kill -TERM $$')
    expect({ status, signal }).toEqual({ status: null, signal: 'SIGTERM' })
  })

  test.each(paths)('%s reports a missing premath', path => {
    const { status, stdout, stderr } = alone(path)
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toMatch(/^[^\n]*npm (run build|ci)[^\n]*\n$/)
  })

  test('differs from the others only in the command', () => {
    const bodies = Object.entries(launchers).map(([path, command]) =>
      readFileSync(path, 'utf8').replaceAll(command, '…'),
    )
    expect(new Set(bodies).size).toBe(1)
  })
})

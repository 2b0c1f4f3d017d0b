/** Command lines that were written for the earlier loop, and the same file by its several flags. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isNamed, namesOf } from '../src/cli/flags.ts'
import { operations } from '../src/operations/index.ts'
import { aLoop, does, named, writes } from './a-loop.ts'

const loop = aLoop()
const { add, at, coordinator, show, worker } = loop

const noEffect = {
  '--mutation-mode': 'the policy of the project sets the mode',
  '--continue-on-failure': 'a run always continues after a failure',
  '--witness-ref-prefix': 'a witness is a file',
  '--host-action-transport': 'a worker renews and releases its lease itself',
} as const

describe('a worker takes', () => {
  test('--worker-id as --worker', () => {
    add('One')
    const { status, events } = worker(does('true', 'true', '--worker-id', 'w7'))
    expect(status).toBe(0)
    expect(named(events, 'claimed')).toMatchObject([{ workerId: 'w7', issueId: 'bd-1' }])
  })

  test('a path flag for each of its files', () => {
    mkdirSync(at('kept'))
    mkdirSync(at('.premath'))
    loop.done('issue', 'add', 'One', '--issues-path', 'kept/issues.jsonl')
    const files = {
      '--issues-path': 'kept/issues.jsonl',
      '--session-path': 'kept/session.json',
      '--feature-ledger-path': 'kept/ledger.json',
      '--trajectory-path': 'kept/trajectory.jsonl',
    }
    const { status, events } = worker(does('true', 'true', ...Object.entries(files).flat()))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ closed: ['bd-1'] }])
    const textAt = (path: string) => readFileSync(at(path), 'utf8')
    expect(textAt('kept/session.json')).toContain('"stopped"')
    expect(textAt('kept/ledger.json')).toContain('"bd-1"')
    expect(textAt('kept/trajectory.jsonl')).toContain('"completed"')
    expect(existsSync(at('.premath/harness_session.json'))).toBe(false)
  })

  test('--override-reason as --reason, which overrides nothing by itself', () => {
    loop.repository()
    add('One')
    const modeIs = (mode: string) =>
      writeFileSync(
        at('.premath/policy.json'),
        JSON.stringify({ schema: 1, surfaces: { cli: { mode } } }),
      )
    const asked = does('true', 'true', '--override-reason', 'the old script')
    modeIs('instruction-linked')
    expect(worker(asked).status).toBe(1)
    expect(show('bd-1')).toMatchObject({ status: 'open' })
    modeIs('human-override')
    expect(worker(does('true')).status).toBe(1)
    expect(show('bd-1')).toMatchObject({ status: 'open' })
    expect(worker(asked).status).toBe(0)
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
  })

  test('--repo-root and --worktree-root, from any folder, with files from the project', () => {
    loop.repository()
    add('One')
    const tree = `${loop.project.folder} tree`
    loop.git('worktree', 'add', '--quiet', '-b', 'tree', tree)
    mkdirSync(at('elsewhere'))
    const { status, events } = worker(
      does('pwd > "$PREMATH_ROOT/where"', 'true', ...rootFlags('../', tree)),
      { cwd: at('elsewhere') },
    )
    expect({ status, events: named(events, 'run.ended') }).toMatchObject({
      status: 0,
      events: [{ closed: ['bd-1'] }],
    })
    expect(readFileSync(at('where'), 'utf8')).toBe(`${realpathSync(tree)}\n`)
    expect(readFileSync(at('.premath/steps.jsonl'), 'utf8')).toContain('"completed"')
  })

  const rootFlags = (root: string, tree: string) => [
    ...['--repo-root', root, '--worktree-root', tree],
    ...['--trajectory-path', '.premath/steps.jsonl'],
  ]

  test.each(['--repo-root', '--worktree-root'])('no %s that is not a folder', flag => {
    add('One')
    const { status, stderr } = worker(does('true', 'true', flag, 'gone'))
    expect(status).toBe(2)
    expect(stderr).toContain(`${flag} names ${realpathSync(loop.project.folder)}/gone`)
  })

  test.each(Object.entries(noEffect))('%s, and says why it has no effect', (flag, why) => {
    add('One')
    const { status, stderr } = worker(does('true', 'true', ...valueFor(flag)))
    expect(status).toBe(0)
    expect(stderr).toMatch(/^note: [^\n]*\n$/)
    expect(stderr).toContain(`note: ${flag} has no effect: ${why}`)
  })

  test('--max-steps and --lease-ttl-seconds by the names that they always had', () => {
    add('One')
    add('Two')
    const { status, events } = worker(
      does('true', 'true', '--max-steps', '1', '--lease-ttl-seconds', '3600'),
    )
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ closed: ['bd-1'], why: 'budget' }])
  })
})

const valueFor = (flag: string) => (flag === '--continue-on-failure' ? [flag] : [flag, 'some'])

describe('a coordinator takes', () => {
  const begin = (issues: number) => {
    loop.repository()
    for (let made = 1; made <= issues; made++) add(`Issue ${made}`)
  }
  const worktreeAt = (name: string) => {
    const path = `${loop.project.folder} ${name}`
    loop.git('worktree', 'add', '--quiet', '-b', name, path)
    return path
  }

  test.each([
    [['--rounds', '2'], 4],
    [['--max-steps-per-worker', '1'], 2],
    [['--rounds', '2', '--max-steps-per-worker', '1', '--max-steps', '3'], 3],
  ])('%j for two workers as a limit of all steps', (flags, steps) => {
    begin(5)
    const worktrees = ['a', 'b'].flatMap(name => ['--worktree', worktreeAt(name)])
    const prefix = ['--worker-prefix', 'w']
    const { status, events } = coordinator(does(writes, 'true', ...worktrees, ...prefix, ...flags))
    expect(status).toBe(0)
    expect(named(events, 'run.started')).toMatchObject([
      { workers: [{ workerId: 'w.1' }, { workerId: 'w.2' }], budget: { maxSteps: steps } },
    ])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'budget', steps, left: 5 - steps }])
  })

  test.each(['--rounds', '--max-steps-per-worker'])('no %s of 0', flag => {
    begin(1)
    const { status, stderr } = coordinator(
      does(writes, 'true', '--create-worktrees', '1', flag, '0'),
    )
    expect(status).toBe(2)
    expect(stderr).toContain(`${flag} must be at least 1, not 0`)
  })

  test('the other flags, of which some have no effect', () => {
    begin(1)
    const kept = at('kept')
    mkdirSync(kept)
    const { status, stderr, events } = coordinator(
      does(
        writes,
        'true',
        ...['--worktree', worktreeAt('a'), '--repo-root', '..'],
        ...['--issues-path', '.premath/issues.jsonl', '--trajectory-path', 'kept/steps.jsonl'],
        ...['--session-path', 'kept/session.json', '--feature-ledger-path', 'kept/ledger.json'],
        ...['--override-reason', 'the old script', '--worktree-root', '.'],
        ...Object.keys(noEffect).flatMap(valueFor),
      ),
      { cwd: kept },
    )
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ closed: ['bd-1'] }])
    expect(existsSync(at('kept/session.json'))).toBe(true)
    expect(readFileSync(at('kept/steps.jsonl'), 'utf8')).toContain('"completed"')
    const flags = [...Object.keys(noEffect), '--worktree-root']
    expect(stderr.match(/--\S+(?= has no effect)/g)?.toSorted()).toEqual(flags.toSorted())
  })
})

test('a bare start of the script takes its commands from the configuration', () => {
  loop.repository()
  add('One')
  loop.done('config', 'set', 'work', 'touch worked')
  loop.done('config', 'set', 'verify', 'test -e worked')
  const script = resolve('tools/harness/multithread_loop.py')
  const { status, stderr, stdout } = spawnSync('python3', [script, 'worker'], {
    cwd: loop.project.folder,
    encoding: 'utf8',
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^PREMATH_/.test(name)),
    ),
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('1 closed')
  expect(existsSync(join(loop.project.folder, 'worked'))).toBe(true)
})

/** The names of the flag for each document, whichever command reads it. */
const spellings = [
  ['issues', 'issues-path'],
  ['session', 'session-path'],
  ['ledger', 'feature-ledger', 'feature-ledger-path'],
  ['trajectory', 'trajectory-path'],
]

describe('the flags of all commands', async () => {
  const commands = await Promise.all(
    Object.entries(operations).map(async ([name, load]) => ({
      name,
      fields: (await load()).input,
    })),
  )
  const namesIn = (fields: (typeof commands)[number]['fields']) =>
    Object.entries(fields)
      .filter(isNamed)
      .map(([name, field]) => namesOf(name, field))

  test('have names of their own', () => {
    const shared = commands.flatMap(({ name, fields }) => {
      const names = namesIn(fields).flat()
      return names.filter((one, index) => names.indexOf(one) !== index).map(one => [name, one])
    })
    expect(shared).toEqual([])
  })

  test('name a document by each of its names', () => {
    const partial = commands.flatMap(({ name, fields }) =>
      namesIn(fields).flatMap(names => {
        const all = spellings.find(known => known.some(one => names.includes(one))) ?? []
        return all.filter(one => !names.includes(one)).map(one => `${name} --${one}`)
      }),
    )
    expect(partial).toEqual([])
    const named = commands.flatMap(({ fields }) => namesIn(fields).flat())
    for (const name of spellings.flat()) expect(named).toContain(name)
  })

  test('that name a file by --path also take the name of that file', () => {
    const alone = commands.flatMap(({ name, fields }) =>
      Object.entries(fields)
        .filter(([field, one]) => field === 'path' && isNamed([field, one]) && !one.also)
        .map(() => name),
    )
    expect(alone).toEqual([])
  })
})

test.each(['--session-path', '--session', '--path'])('a session is found by %s', flag => {
  loop.repository()
  loop.done('harness-session', 'write', flag, 'mine.json', '--state', 'active')
  const read = loop.done('harness-session', 'read', '--path', 'mine.json')
  expect(read).toMatchObject({ session: { state: 'active' } })
})

test('premath harness-trajectory and harness-kpi take either name of the trajectory', () => {
  loop.repository()
  add('One')
  expect(worker(does(writes, 'true', '--trajectory-path', 'steps.jsonl')).status).toBe(0)
  for (const flag of ['--path', '--trajectory', '--trajectory-path']) {
    expect(loop.done('harness-trajectory', 'query', flag, 'steps.jsonl')).toMatchObject({
      count: 1,
    })
    expect(loop.done('harness-kpi', flag, 'steps.jsonl')).toMatchObject({
      counts: { completedRows: 1 },
    })
  }
})

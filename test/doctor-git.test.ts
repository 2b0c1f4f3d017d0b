/** The state of git and of the files of a project, as doctor tells it and as commands meet it. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { inTurn } from './sim/seeded.ts'

const project = aProject()
const { asked, done } = project
/** Some commands add a note, as about rows that were merged. */
const works = (...args: readonly string[]) => {
  const { status, json } = asked(args)
  expect({ args, status }).toEqual({ args, status: 0 })
  return json
}

const env = () => ({
  ...project.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
})
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=a@example.org', ...args], {
    cwd: project.folder,
    encoding: 'utf8',
    env: env(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
const mayFail = (...args: readonly string[]) =>
  spawnSync('git', ['-c', 'user.name=ann', '-c', 'user.email=a@example.org', ...args], {
    cwd: project.folder,
    env: env(),
  })
const commit = () => {
  git('add', '-A')
  git('commit', '-q', '-m', 'memory')
}
const at = (path: string) => join(project.folder, path)

interface Found {
  readonly check: string
  readonly what: string
  readonly why: string
  readonly next: string
  readonly exitCode: number
}
const findings = (check?: string): readonly Found[] =>
  asked(['doctor']).json.findings.filter((one: Found) => check === undefined || one.check === check)

/** Runs the commands that a text names in a shell, where premath is the built command. */
function runIn(text: string, take: RegExp) {
  const commands = text.match(take) ?? []
  for (const command of commands) {
    if (command.startsWith('premath ')) works(...command.split(' ').slice(1))
    else execFileSync('sh', ['-c', command], { cwd: project.folder, env: env() })
  }
  return commands.length
}

describe('in the place of a file', () => {
  const files = [
    '.premath/issues.jsonl',
    '.premath/issues.jsonl.lock',
    '.premath/memory/events.jsonl',
    '.premath/policy.json',
    '.premath/config.json',
    '.premath/harness_session.json',
    '.premath/harness_trajectory.jsonl',
  ]
  const states = {
    pipe: (path: string) => void execFileSync('mkfifo', [path]),
    folder: (path: string) => void mkdirSync(path),
    'link to nowhere': (path: string) => symlinkSync('nowhere', path),
    'link to itself': (path: string) => symlinkSync(path, path),
  }
  const commands = [
    ['issue', 'list'],
    ['issue', 'update', 'bd-1', '--notes', 'x'],
    ['harness-session', 'read'],
    ['harness-trajectory', 'query'],
    ['config', 'show'],
    ['doctor'],
    ['doctor', '--fix'],
  ]

  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    done('init')
    done('issue', 'add', 'one')
    done('harness-session', 'write', '--state', 'active', '--issue-id', 'bd-1')
    commit()
  })

  const others = ['folder', 'link to nowhere', 'link to itself']

  test.each(
    files.flatMap((path, turn) => ['pipe', ...inTurn(others, turn)].map(state => [state, path])),
  )(
    '[memory.3.places] a %s at %s stops no command for ever, and the remedy of doctor mends it',
    (state = '', path = '') => {
      rmSync(at(path), { force: true })
      states[state as keyof typeof states](at(path))
      for (const command of commands) expect(asked(command).status).toBeTypeOf('number')
      const [found, ...others] = findings()
      expect(others).toEqual([])
      expect(found).toMatchObject({ check: 'places', exitCode: 3 })
      expect(found?.what).toContain(path)
      expect(runIn(found?.next ?? '', /mv [^ ]*'.+?' '.+?'(?=\.)/g)).toBe(1)
      mayFail('checkout', '--', at(path))
      works('init')
      works('issue', 'update', 'bd-1', '--notes', 'mended')
      expect(works('issue', 'show', 'bd-1').issue).toMatchObject({ title: 'one', notes: 'mended' })
      expect(findings()).toEqual([])
    },
  )

  test('[memory.3.places] a pipe is told as a pipe, and not as an empty document', () => {
    rmSync(at('.premath/policy.json'))
    states.pipe(at('.premath/policy.json'))
    const { status, json } = asked(['issue', 'list'])
    expect([status, json.error.message]).toEqual([
      3,
      expect.stringContaining('is a device or a pipe'),
    ])
    expect(json.error.hint).toContain('premath doctor')
  })

  test('[memory.3.places] a file where a folder is needed is named too', () => {
    rmSync(at('.premath/memory'), { recursive: true })
    writeFileSync(at('.premath/memory'), '')
    expect(findings()).toMatchObject([{ check: 'places', what: expect.stringContaining('memory') }])
  })
})

/** Both branches changed issue memory. */
function twoBranches(): void {
  done('issue', 'add', 'one')
  done('issue', 'add', 'two')
  commit()
  git('checkout', '-q', '-b', 'elsewhere')
  done('issue', 'update', 'bd-1', '--title', 'one, elsewhere')
  done('issue', 'add', 'three')
  commit()
  git('checkout', '-q', 'main')
  project.forgetAcknowledged()
  done('issue', 'update', 'bd-2', '--title', 'two, here')
  commit()
}
const merged = ['one, elsewhere', 'two, here', 'three']
const titles = () => works('issue', 'list').items.map(({ title }: { title: string }) => title)

const setDriver = (command: string) => git('config', 'merge.premath.driver', command)
const withoutDriver = () => git('config', '--remove-section', 'merge.premath')

describe('the merge driver', () => {
  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    done('init')
    done('init', '--merge-driver')
    done('issue', 'add', 'one')
  })

  test('[memory.3.driver] that works, or that nobody asked for, is no finding', () => {
    expect(findings()).toEqual([])
    withoutDriver()
    rmSync(at('.gitattributes'))
    expect(findings()).toEqual([])
  })

  test.each([
    ['is not configured in this clone', () => withoutDriver(), /this clone has none/],
    [
      'has a premath that is gone',
      () => setDriver(driver().replaceAll(/m='[^']*'/g, "m='/nowhere/main.cjs'")),
      /\/nowhere\/main\.cjs is gone/,
    ],
  ])('[memory.3.driver] that %s is configured by doctor --fix', (_, spoil, said) => {
    spoil()
    const [found] = findings('git')
    expect(found?.what).toMatch(said)
    expect(found?.next).toContain('premath doctor --fix')
    expect(works('doctor', '--fix').findings).toMatchObject([{ check: 'git', fixed: true }])
    expect(findings()).toEqual([])
    commit()
    twoBranches()
    git('merge', '-q', 'elsewhere')
    expect(titles()).toEqual(expect.arrayContaining(merged))
  })

  test.each([
    ['/nowhere/premath merge-driver %O %A %B %P', /no program \/nowhere\/premath/],
    ['cat %B > %A', /does not call premath merge-driver/],
  ])('[memory.3.driver] of a person that cannot run is left to them: %s', (command, said) => {
    withoutDriver()
    setDriver(command)
    expect(asked(['doctor', '--fix']).status).toBe(1)
    const [found] = findings('git')
    expect(found?.what).toMatch(said)
    expect(runIn(found?.next ?? '', /git config \S+ --remove-section merge\.premath/g)).toBe(1)
    expect(runIn(found?.next ?? '', /premath init --merge-driver/g)).toBe(1)
    expect(findings()).toEqual([])
  })
})

describe('a clone that has no merge driver', () => {
  const said = (...args: readonly string[]) => {
    const { status, stderr } = project.premath(args)
    expect({ args, status }).toEqual({ args, status: 0 })
    return stderr.includes('Set it up once in this clone: premath init --merge-driver')
  }
  const told = [['status'], ['init'], ['add', 'two'], ['comment', 'bd-1', 'seen']]

  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    done('init', '--merge-driver')
    done('issue', 'add', 'one')
    withoutDriver()
  })

  test.each(told)('is told so by %s', (...args) => {
    expect(said(...args)).toBe(true)
    setDriver('premath merge-driver %O %A %B %P')
    expect(said(...args)).toBe(false)
  })

  test('is told nothing where the repository asks for no driver, or the user has one', () => {
    writeFileSync(at('global'), '[merge "premath"]\n\tdriver = cat\n')
    const { status, stderr } = project.premath(['status'], {
      env: { ...env(), GIT_CONFIG_GLOBAL: at('global') },
    })
    expect([status, stderr]).toEqual([0, ''])
    writeFileSync(at('.gitattributes'), '# no merge=premath\n*.md merge=union\n')
    for (const args of told) expect(said(...args)).toBe(false)
  })

  test('and has one set up costs a change no start of git', () => {
    const change = ['add', 'two']
    writeFileSync(at('git'), '#!/bin/sh\ntouch "$0.ran"\nexit 1\n', { mode: 0o755 })
    const PATH = `${project.folder}:${process.env['PATH']}`
    const ran = () => {
      rmSync(at('git.ran'), { force: true })
      project.premath(change, { env: { ...env(), PATH } })
      return existsSync(at('git.ran'))
    }
    expect(ran()).toBe(true)
    setDriver('premath merge-driver %O %A %B %P')
    expect(ran()).toBe(false)
  })
})

const driver = () => git('config', '--get', 'merge.premath.driver').trimEnd()

describe('issue memory that git has not merged', () => {
  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    done('init')
    done('init', '--merge-driver')
    twoBranches()
  })

  const cannotRun = () => void setDriver('/nowhere/premath merge-driver %O %A %B %P')
  const absent = () => void withoutDriver()

  test.each([
    ['a merge', 'a driver that cannot run', cannotRun, ['merge', 'elsewhere']],
    ['a merge', 'no driver', absent, ['merge', 'elsewhere']],
    ['a rebase', 'a driver that cannot run', cannotRun, ['rebase', 'elsewhere']],
    ['a rebase by patches', 'no driver', absent, ['rebase', '--apply', 'elsewhere']],
    ['a cherry-pick', 'a driver that cannot run', cannotRun, ['cherry-pick', 'elsewhere']],
  ])(
    '[memory.3.unmerged] by %s with %s stops every command, and its remedy merges it',
    (_, __, spoil, command) => {
      spoil()
      expect(mayFail(...command).status).not.toBe(0)
      for (const args of [
        ['issue', 'list'],
        ['issue', 'ready'],
        ['issue', 'add', 'x'],
        ['issue', 'claim', 'bd-1', '--assignee', 'ann'],
      ]) {
        const { status, json } = asked(args)
        expect({ args, status }).toEqual({ args, status: 5 })
        expect(json.error.message).toMatch(/git has not merged .*issues\.jsonl/)
        expect(json.error.hint).toContain('git checkout --merge -- ')
      }
      const open = findings('git').find(({ exitCode }) => exitCode === 5)
      expect(open?.what).toMatch(/git has not merged .*issues\.jsonl and .*events\.jsonl/)
      if (spoil === cannotRun) withoutDriver()
      const next = open?.next ?? ''
      expect(runIn(next, /premath init --merge-driver/g)).toBe(1)
      expect(runIn(next, /git (checkout --merge|add) -- '.+?' '.+?'/g)).toBe(2)
      expect(titles()).toEqual(expect.arrayContaining(merged))
      expect(findings('git')).toEqual([])
      works('issue', 'add', 'four')
      expect(findings()).toEqual([])
    },
  )

  test('[memory.3.unmerged] needs no driver any more after doctor --fix configured one', () => {
    withoutDriver()
    expect(mayFail('merge', 'elsewhere').status).not.toBe(0)
    const { status, json } = asked(['doctor', '--fix'])
    expect(status).toBe(5)
    const open: Found = json.findings.find(({ exitCode }: Found) => exitCode === 5)
    expect(JSON.stringify(json.findings)).not.toContain('--merge-driver')
    expect(runIn(open.next, /git (checkout --merge|add) -- '.+?' '.+?'/g)).toBe(2)
    expect(titles()).toEqual(expect.arrayContaining(merged))
    expect(findings('git')).toEqual([])
  })

  test.each([
    ['theirs deleted it', 'main', 'elsewhere', '--ours', ['one', 'two, here']],
    ['ours deleted it', 'elsewhere', 'main', '--theirs', ['one', 'two, here']],
  ])(
    '[memory.3.unmerged] because %s is brought back by its remedy',
    (_, branch, other, side, kept) => {
      git('checkout', '-q', 'elsewhere')
      git('rm', '-q', '.premath/issues.jsonl', '.premath/memory/events.jsonl')
      git('commit', '-q', '-m', 'drop')
      git('checkout', '-q', branch)
      project.forgetAcknowledged()
      expect(mayFail('merge', other).status).not.toBe(0)
      const { status, json } = asked(['issue', 'list'])
      expect(status).toBe(5)
      expect(json.error.hint).not.toContain('--merge')
      const [found] = findings('git')
      expect(found?.next).toBe(json.error.hint)
      expect(json.error.hint).toContain(`git checkout ${side} -- `)
      expect(runIn(json.error.hint, /git (checkout --\w+|add) -- '.+?' '.+?'/g)).toBe(2)
      expect(titles()).toEqual(kept)
      expect(findings('git')).toEqual([])
      works('issue', 'add', 'four')
      commit()
      expect(findings()).toEqual([])
    },
  )

  test('[memory.3.unmerged] of which one side deleted one file has a remedy for each file', () => {
    git('checkout', '-q', 'elsewhere')
    git('rm', '-q', '.premath/memory/events.jsonl')
    git('commit', '-q', '-m', 'drop')
    git('checkout', '-q', 'main')
    withoutDriver()
    expect(mayFail('merge', 'elsewhere').status).not.toBe(0)
    const { hint } = asked(['issue', 'list']).json.error
    expect(runIn(hint, /premath init --merge-driver/g)).toBe(1)
    expect(runIn(hint, /git (checkout --\w+|add) -- '.+?'/g)).toBe(4)
    expect(titles()).toEqual(expect.arrayContaining(merged))
  })

  test('[memory.3.unmerged] by a stash is told by doctor, and by the marks in the file', () => {
    withoutDriver()
    git('checkout', '-q', 'elsewhere')
    works('issue', 'update', 'bd-2', '--title', 'two, stashed')
    git('stash', '-q')
    git('checkout', '-q', 'main')
    mayFail('stash', 'pop')
    rmSync(at('.git/AUTO_MERGE'), { force: true })
    const { status, json } = asked(['issue', 'list'])
    expect([status, json.error.message]).toEqual([5, expect.stringContaining('marks of a merge')])
    expect(json.error.hint).toContain('premath doctor')
    const checks = findings().map(({ check }) => check)
    expect(checks).toEqual(expect.arrayContaining(['rows', 'git']))
  })

  test('[memory.3.unmerged] and whose marks were committed, is mended by hand', () => {
    withoutDriver()
    mayFail('merge', 'elsewhere')
    git('add', '-A')
    git('commit', '-q', '-m', 'with marks')
    const { status, json } = asked(['issue', 'list'])
    expect([status, json.error.hint]).toEqual([
      5,
      expect.stringMatching(/remove the lines of the marks/),
    ])
    for (const path of ['.premath/issues.jsonl', '.premath/memory/events.jsonl']) {
      const lines = readFileSync(at(path), 'utf8').split('\n')
      writeFileSync(at(path), lines.filter(line => !/^(<{7}|={7}|>{7})/.test(line)).join('\n'))
    }
    expect(titles()).toEqual(expect.arrayContaining(['three']))
    expect(findings('rows')).toEqual([])
  })
})

describe('line ends', () => {
  const windows = (path: string) =>
    writeFileSync(at(path), readFileSync(at(path), 'utf8').replaceAll('\n', '\r\n'))

  beforeEach(() => {
    git('init', '-q', '-b', 'main')
    done('init')
    done('issue', 'add', 'one')
    done('issue', 'add', 'two')
    commit()
  })

  test.each(['.premath/issues.jsonl', '.premath/memory/events.jsonl'])(
    '[memory.3.line-ends] of Windows in %s are named, and the remedy writes the file again',
    path => {
      windows(path)
      const [found, ...more] = findings()
      expect(more).toEqual([])
      expect(found).toMatchObject({ check: 'git', what: expect.stringContaining('line ends') })
      expect(runIn(found?.next ?? '', /premath (init|issue [\w-]+)/g)).toBe(2)
      expect(readFileSync(at(path), 'utf8')).not.toContain('\r')
      expect(findings()).toEqual([])
      expect(titles()).toEqual(['one', 'two'])
    },
  )

  test('[memory.3.line-ends] that git would translate are named before it does', () => {
    git('config', 'core.autocrlf', 'true')
    expect(findings()).toEqual([])
    git('rm', '-q', '.premath/.gitattributes')
    const [found] = findings()
    expect(found?.what).toContain('core.autocrlf')
    expect(runIn(found?.next ?? '', /premath init/g)).toBe(1)
    expect(findings()).toEqual([])
  })
})

describe('drafts', () => {
  const long = Date.now() / 1000 - 61
  const gone = spawnSync('true').pid
  /** Where the code replaces files, and what git leaves beside an index of ours. */
  const places = [
    '.premath/policy.json',
    '.premath/.gitignore',
    '.premath/.gitattributes',
    '.premath/harness_session.json',
    '.premath/harness_feature_ledger.json',
    '.premath/issues.jsonl.torn-20260101',
    '.premath/cache/issues.index',
    '.premath/closes/bd-1.1.json',
    '.premath/memory/events.jsonl',
    '.premath/memory/uses/instruction.json',
    '.premath/memory/grants.jsonl',
    '.premath/proofs/bd-1/proof-1.json',
    '.premath/steps/w.jsonl.torn-12345678',
    '.premath/worktrees/w/.premath/worker/harness_session.json',
    'artifacts/ciwitness/join/a.json',
    'artifacts/ciwitness/instructions/i/a.json',
    'artifacts/steps/w.bd-1.1.1/record.json',
    'artifacts/relocations/inputs.json',
    '.git/premath/landing.json',
    '.git/premath/verified.jsonl',
    '.git/premath/memory/issues/rows.jsonl',
    '.git/premath/memory/issues/fences.json',
  ]
  const indexes = ['memory.index', 'memory.index.lock', `merge-${'a'.repeat(40)}.index`]

  test('[memory.3.drafts] of killed processes are removed everywhere, and none of a running one', () => {
    git('init', '-q', '-b', 'main')
    done('init')
    done('issue', 'add', 'one')
    const write = (path: string) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), 'half')
      utimesSync(at(path), long, long)
      return path
    }
    const left = [
      ...places.map(path => write(`${path}.tmp.${gone}.0`)),
      ...indexes.map(name => write(`.git/premath/${name}`)),
    ]
    const running = places.map(path => write(`${path}.tmp.${process.pid}.0`))
    const others = ['.premath/notes.txt.tmp.1.1', 'artifacts/own/a.json.tmp.1.1'].map(write)
    rmSync(at('.premath/worktrees'), { recursive: true })
    const kept = (paths: readonly string[]) => paths.filter(path => existsSync(at(path)))
    const before = { running: kept(running), others: kept(others) }
    asked(['doctor', '--fix'])
    expect(kept(left)).toEqual([])
    expect({ running: kept(running), others: kept(others) }).toEqual(before)
  })

  test('[memory.3.drafts] without git are removed in the state folder of the user', () => {
    done('init')
    done('issue', 'add', 'one')
    const marks = join(project.folders, 'state/premath/memory')
    const names = execFileSync('ls', [marks], { encoding: 'utf8' }).trim().split('\n')
    const left = names.map(name => join(marks, name, `rows.jsonl.tmp.${gone}.0`))
    for (const path of left) {
      writeFileSync(path, 'half')
      utimesSync(path, long, long)
    }
    expect(asked(['doctor', '--fix']).status).toBe(0)
    expect(left.filter(path => existsSync(path)).length).toBe(left.length - 1)
    renameSync(marks, `${marks}.gone`)
  })
})

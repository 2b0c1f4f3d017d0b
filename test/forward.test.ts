/** Issue memory whose file goes back: no acknowledged row is lost, and no fence is given out twice. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()

const premath = (...args: readonly string[]) => project.premath([...args, '--json'])
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=a@example.org', ...args], {
    cwd: project.folder,
    encoding: 'utf8',
    env: { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })

function done(...args: readonly string[]) {
  const { status, stdout, stderr } = premath(...args)
  expect({ args, status, stderr }).toMatchObject({ status: 0 })
  return { json: JSON.parse(stdout), stderr }
}

const add = (title: string, ...more: readonly string[]) =>
  done('issue', 'add', title, ...more).json.issue.id as string
const titles = () =>
  done('issue', 'list').json.items.map(({ title }: { title: string }) => title) as string[]
const claim = (assignee: string, id = 'bd-1') =>
  done('issue', 'claim', id, '--assignee', assignee).json.issue.lease.fence as number
function release(assignee: string, fence: number) {
  const lease = ['--lease-id', `lease1_bd-1_${assignee}`, '--fence', `${fence}`]
  done('issue', 'lease-release', 'bd-1', '--assignee', assignee, ...lease)
}
const text = () => readFileSync(project.issues, 'utf8')
const logPath = () => join(project.folder, '.premath/memory/events.jsonl')
const lines = () => text().trimEnd().split('\n')
const commit = () => {
  git('add', '-A')
  git('commit', '-q', '-m', 'memory')
}

/** Memory of one claimed issue in a commit, and of two more that were acknowledged after it. */
function committed() {
  add('one')
  claim('ann')
  commit()
  release('ann', 1)
  expect(claim('bob')).toBe(2)
  add('two')
}

interface Found {
  readonly check: string
}

beforeEach(() => {
  git('init', '-q', '-b', 'main')
  done('init')
  commit()
})

describe('a file that went back', () => {
  test.each([
    ['git reset --hard', () => git('reset', '-q', '--hard')],
    ['git stash', () => git('stash', '-q')],
    ['git checkout of the file', () => git('checkout', '-q', '--', '.premath')],
    [
      'a branch that is older',
      () => {
        commit()
        git('checkout', '-q', '-b', 'older', 'HEAD~1')
      },
    ],
    ['its deletion', () => rmSync(project.issues)],
    [
      'the deletion of its folder',
      () => rmSync(join(project.folder, '.premath'), { recursive: true }),
    ],
    [
      'the deletion of its folder, and premath init',
      () => {
        rmSync(join(project.folder, '.premath'), { recursive: true })
        done('init')
      },
    ],
    [
      'a lost last line',
      () => writeFileSync(project.issues, `${lines().slice(0, -1).join('\n')}\n`),
    ],
    ['a lost first line', () => writeFileSync(project.issues, `${lines().slice(1).join('\n')}\n`)],
  ])('[memory.1.rows] by %s is merged forward by the next command', (_, goBack) => {
    committed()
    goBack()
    const listed = done('issue', 'list')
    expect(titles()).toEqual(['one', 'two'])
    const told =
      /(lacks|has an older version of|has older versions of) \d issues? \(.*\), as after a branch switch or a reset\. This answer has the newer state/
    // A row that a later one replaced is lost without a loss.
    const isOld = listed.stderr !== ''
    if (isOld) expect(listed.stderr).toMatch(told)
    expect(add('three')).toBe('bd-3')
    expect(titles()).toEqual(['one', 'two', 'three'])
    expect(done('issue', 'list').stderr).toBe('')
    expect(done('issue', 'show', 'bd-1').json.issue.assignee).toBe('bob')
    expect(text()).toContain('"title":"two"')
    expect(done('doctor').json.findings).toEqual([])
  })

  test('[memory.1.fences] does not give out a fence twice', () => {
    committed()
    git('reset', '-q', '--hard')
    const lease = ['--lease-id', 'lease1_bd-1_ann', '--fence', '1']
    const stale = premath(
      'issue',
      'update',
      'bd-1',
      '--notes',
      'late',
      '--assignee',
      'ann',
      ...lease,
    )
    expect(JSON.parse(stale.stdout).failureClasses).toEqual(['lease_fence_stale'])
    release('bob', 2)
    git('reset', '-q', '--hard')
    expect(claim('cyd')).toBe(3)
  })

  test.each([
    ['--issues', ['--issues', '.premath/issues.jsonl'], {}],
    ['PREMATH_ROOT', [], { PREMATH_ROOT: '.' }],
  ])(
    '[memory.1.fences] does not give out a fence of the copy in a linked worktree that %s names',
    (_, flags, env) => {
      committed()
      const cwd = join(project.folders, 'a worktree')
      git('worktree', 'add', '-q', '--detach', cwd)
      const ask = (...args: readonly string[]) =>
        project.premath(['issue', ...args, ...flags, '--json'], { cwd, env })
      const refused = ask('claim', 'bd-1', '--assignee', 'cyd')
      expect(refused.status).toBe(2)
      expect(JSON.parse(refused.stdout).error.hint).toContain(project.issues)
      // A person who merges by hand compares both copies.
      expect(JSON.parse(ask('list').stdout).items).toHaveLength(1)
      git('worktree', 'remove', '--force', cwd)
    },
  )

  test('[memory.1.rows] is reported by doctor if its folder is gone, and --fix makes both again', () => {
    committed()
    rmSync(join(project.folder, '.premath'), { recursive: true })
    const asked = premath('doctor')
    expect(asked.status).toBe(1)
    expect(JSON.parse(asked.stdout).findings).toMatchObject([{ check: 'forward' }])
    done('doctor', '--fix')
    expect(titles()).toEqual(['one', 'two'])
    expect(done('doctor').json.findings).toEqual([])
  })

  test('[memory.1.rows] is reported by doctor, and --fix writes the rows', () => {
    committed()
    git('reset', '-q', '--hard')
    const asked = premath('doctor')
    expect(asked.status).toBe(1)
    expect(JSON.parse(asked.stdout).findings).toMatchObject([
      { check: 'forward', what: expect.stringContaining('2 acknowledged rows: bd-1, bd-2') },
    ])
    expect(text()).not.toContain('two')
    expect(done('doctor', '--fix').json.summary.fixedCount).toBe(1)
    expect(text()).toContain('"title":"two"')
    expect(done('doctor').json.findings).toEqual([])
  })

  test('[memory.1.accept-older] is kept on purpose with a reason, and its fences go on', () => {
    committed()
    claim('dan', 'bd-2')
    git('reset', '-q', '--hard')
    const bare = premath('doctor', '--accept-older')
    expect(bare.status).toBe(2)
    expect(bare.stderr + bare.stdout).toContain('--accept-older needs --reason')
    done('doctor', '--accept-older', '--reason', 'start again')
    expect(titles()).toEqual(['one'])
    expect(done('doctor').json.findings).toEqual([])
    // Fence 2 was given to bob, and fence 1 of bd-2 to dan.
    expect(done('issue', 'show', 'bd-1').json.issue.metadata.premathFence).toBe(2)
    expect(add('another two')).toBe('bd-2')
    expect(claim('eve', 'bd-2')).toBe(2)
    expect(readFileSync(join(project.folder, '.premath/memory/grants.jsonl'), 'utf8')).toContain(
      'start again',
    )
  })

  test('[memory.1.proofs] has the proofs of its closes again', () => {
    add('one')
    commit()
    git('switch', '-q', '-c', 'topic')
    done('close', 'bd-1', '--verify-cmd', 'test -d .premath')
    commit()
    git('switch', '-q', 'main')
    const proofs = join(project.folder, '.premath/proofs')
    expect(existsSync(proofs)).toBe(false)
    add('two')
    expect(existsSync(proofs)).toBe(true)
    expect(done('witness', 'verify', '--all').json.result).toBe('accepted')
    rmSync(proofs, { recursive: true })
    expect(premath('doctor').status).toBe(1)
    done('doctor', '--fix')
    expect(done('witness', 'verify', '--all').json.result).toBe('accepted')
  })

  test('[memory.1.accept-older] loses no issue that got the id of one that comes back', () => {
    committed()
    git('stash', '-q')
    done('doctor', '--accept-older', '--reason', 'start again')
    expect(add('another two')).toBe('bd-2')
    git('checkout', '-q', '.')
    git('stash', 'pop', '-q')
    expect(titles().sort()).toEqual(['another two', 'one', 'two'])
    add('three')
    expect(titles().sort()).toEqual(['another two', 'one', 'three', 'two'])
    expect(premath('doctor').stdout).toContain('a new id, because another issue has')
  })

  test('[memory.1.accept-older] is not given up where nobody confirms it', () => {
    committed()
    git('reset', '-q', '--hard')
    const asked = ['doctor', '--accept-older', '--reason', 'why not', '--json']
    const { status } = project.premath(asked, { isUnattended: true })
    expect(status).toBe(1)
    expect(titles()).toEqual(['one', 'two'])
  })
})

describe('a record of acknowledged rows', () => {
  const record = (file = 'rows.jsonl') => join(project.folder, '.git/premath/memory/issues', file)

  test('[memory.1.record] that is damaged stops commands, until doctor --fix', () => {
    committed()
    const rows = readFileSync(record(), 'utf8').split('\n')
    writeFileSync(record(), rows.map((row, at) => (at === 2 ? row.slice(2) : row)).join('\n'))
    git('reset', '-q', '--hard')
    for (const asked of [premath('issue', 'list'), premath('issue', 'add', 'three')]) {
      expect(asked.status).toBe(5)
      expect(asked.stdout + asked.stderr).toMatch(/record of acknowledged rows is damaged.*line 3/)
    }
    expect(premath('doctor').status).toBe(5)
    done('doctor', '--fix')
    expect(titles()).toEqual(['one', 'two'])
    expect(claim('cyd', 'bd-2')).toBe(1)
    expect(done('doctor').json.findings).toEqual([])
  })

  test('[memory.1.record] whose end a crash filled with zeros is used up to there', () => {
    committed()
    appendFileSync(record(), new Uint8Array(5000))
    git('reset', '-q', '--hard')
    expect(titles()).toEqual(['one', 'two'])
    add('three')
    expect(titles()).toEqual(['one', 'two', 'three'])
    expect(done('doctor').json.findings).toEqual([])
  })

  test('[memory.1.record] with a folder in its place stops changes, and doctor tells', () => {
    committed()
    rmSync(record())
    mkdirSync(record())
    expect(premath('issue', 'add', 'three').status).toBe(3)
    const { status, stdout } = premath('doctor')
    expect(status).toBe(3)
    expect(JSON.parse(stdout).findings).toMatchObject([
      { check: 'forward', what: expect.stringContaining('is a folder, and a file is needed') },
    ])
  })

  test.each([
    ['whose last line is cut off', (path: string) => truncateSync(path, statSync(path).size - 1)],
    ['that is empty', (path: string) => truncateSync(path)],
    ['that is gone', (path: string) => rmSync(path)],
    ['that lost its end', (path: string) => truncateSync(path, statSync(path).size / 2)],
  ])('[memory.1.damaged] %s is made again by the next change', (_, damage) => {
    committed()
    add('three')
    damage(record())
    expect(claim('ann', 'bd-2')).toBe(1)
    git('reset', '-q', '--hard')
    expect(titles().sort()).toEqual(['one', 'three', 'two'])
    expect(done('issue', 'show', 'bd-2').json.issue.lease).toMatchObject({ owner: 'ann' })
  })

  test.each([
    ['empty', (path: string) => truncateSync(path)],
    ['gone', (path: string) => rmSync(path)],
    ['cut off', (path: string) => truncateSync(path, statSync(path).size / 2)],
    ['overwritten', (path: string) => writeFileSync(path, new Uint8Array(statSync(path).size))],
  ])('[memory.1.damaged] doctor tells of one that is %s, and makes it again', (_, damage) => {
    committed()
    add('three')
    damage(record())
    const { status, stdout } = premath('doctor')
    expect(status).toBe(1)
    expect(JSON.parse(stdout).findings).toMatchObject([
      {
        check: 'forward',
        what: expect.stringMatching(/record of acknowledged rows lacks \d rows?/),
      },
    ])
    done('doctor', '--fix')
    expect(done('doctor').json.findings).toEqual([])
    git('reset', '-q', '--hard')
    expect(titles().sort()).toEqual(['one', 'three', 'two'])
  })

  test('[memory.1.damaged] has a row that follows zeros after doctor --fix', () => {
    committed()
    writeFileSync(record(), new Uint8Array(statSync(record()).size))
    add('three')
    git('reset', '-q', '--hard')
    expect(premath('issue', 'list').status).toBe(5)
    done('doctor', '--fix')
    expect(titles()).toEqual(['one', 'three'])
  })
})

test('[memory.1.begun] a worktree of a bare repository is told how its memory can serve all of them', () => {
  add('one')
  commit()
  const folder = join(project.folders, 'bare')
  mkdirSync(folder)
  git('clone', '-q', '--bare', project.folder, join(folder, 'p.git'))
  git('-C', join(folder, 'p.git'), 'worktree', 'add', '-q', join(folder, 'a tree'), '-b', 'work')
  const cwd = join(folder, 'a tree')
  const asked = () => project.premath(['issue', 'list', '--json'], { cwd })
  const { hint } = JSON.parse(asked().stdout).error
  execFileSync('sh', ['-c', /cp -R .*?(?=\. Or)/.exec(hint)?.[0] ?? 'false'])
  expect(JSON.parse(asked().stdout).items).toMatchObject([{ title: 'one' }])
})

describe('a memory that git has', () => {
  /** A clone has no record of acknowledged rows. */
  const inClone = (...flags: readonly string[]) => {
    committed()
    commit()
    const cwd = join(project.folders, 'a clone')
    git('clone', '-q', ...flags, project.folder, cwd)
    return {
      cwd,
      ask: (...args: readonly string[]) => project.premath([...args, '--json'], { cwd }),
    }
  }
  const restored = (cwd: string) =>
    git('-C', cwd, 'checkout', '-q', '--ignore-skip-worktree-bits', 'HEAD', '--', '.premath')

  test('[memory.1.begun] is not begun anew in a clone without a checkout', () => {
    const { cwd, ask } = inClone('--no-checkout')
    for (const args of [
      ['init'],
      ['issue', 'add', 'another'],
      ['issue', 'list'],
      ['issue', 'claim', 'bd-1'],
    ]) {
      const { status, stdout, stderr } = ask(...args)
      expect({ args, status }).toEqual({ args, status: 5 })
      expect(stdout + stderr).toContain('git checkout --ignore-skip-worktree-bits HEAD -- ')
    }
    restored(cwd)
    expect(JSON.parse(ask('issue', 'add', 'another').stdout).issue.id).toBe('bd-3')
    rmSync(cwd, { recursive: true })
  })

  test('[memory.1.begun] is not begun anew where its file was emptied', () => {
    const { cwd, ask } = inClone()
    writeFileSync(join(cwd, '.premath/issues.jsonl'), '')
    expect(ask('issue', 'list').status).toBe(5)
    expect(ask('issue', 'add', 'another').status).toBe(5)
    expect(JSON.parse(ask('doctor').stdout).findings[0].next).toContain('brings the rows back')
    rmSync(cwd, { recursive: true })
  })

  test('[memory.1.begun] gives a new issue the fence of an old one that only the event log has', () => {
    const { cwd, ask } = inClone()
    writeFileSync(join(cwd, '.premath/issues.jsonl'), '')
    git('-C', cwd, 'add', '-A')
    git('-C', cwd, 'commit', '-q', '-m', 'begin again')
    expect(JSON.parse(ask('issue', 'add', 'another').stdout).issue.id).toBe('bd-1')
    expect(JSON.parse(ask('issue', 'claim', 'bd-1').stdout).issue.lease.fence).toBe(3)
    rmSync(cwd, { recursive: true })
  })
})

test('[memory.1.steps] no step id is given out twice after git clean removed the steps', () => {
  add('one')
  writeFileSync(join(project.folder, '.gitignore'), 'artifacts/\n')
  commit()
  const stepOf = () => {
    // A turn that is not closed, so the worker keeps its lease.
    const work = 'echo {} > "$PREMATH_TURN_EVIDENCE"'
    const verified = ['--verify-cmd', 'true', '--sandbox', 'off']
    const { stdout } = premath('harness-step', '--worker', 'ann', '--work-cmd', work, ...verified)
    return JSON.parse(stdout).attempts.map(({ stepId }: { stepId: string }) => stepId)
  }
  expect(stepOf()).toEqual(['ann.bd-1.1.1'])
  git('clean', '-fdxq')
  expect(stepOf()).toEqual(['ann.bd-1.1.2'])
})

test.each([
  ['', () => {}],
  [', after git clean', () => void git('clean', '-fdxq')],
])('[memory.1.steps] no step id is given to two workers whose names have dots%s', (_, clean) => {
  add('one', '--id', 'x.bd-7')
  add('two', '--id', 'bd-7')
  writeFileSync(join(project.folder, '.gitignore'), 'artifacts/\n')
  commit()
  const stepsOf = (worker: string, issue: string) => {
    const verified = ['--verify-cmd', 'test -e none', '--sandbox', 'off']
    const names = ['--worker', worker, '--issue', issue, '--work-cmd', 'true']
    const { stdout } = premath('harness-step', ...names, ...verified)
    return JSON.parse(stdout).attempts.map(({ stepId }: { stepId: string }) => stepId)
  }
  const first: string[] = stepsOf('w', 'x.bd-7')
  expect(first[0]).toBe('w.x.bd-7.1.1')
  clean()
  const second: string[] = stepsOf('w.x', 'bd-7')
  expect(second[0]).toBe(`w.x.bd-7.1.${first.length + 1}`)
})

test('[memory.1.steps] a worker that tries again passes over an id that another got meanwhile', async () => {
  add('one', '--id', 'x.bd-7')
  add('two', '--id', 'bd-7')
  commit()
  const step = (worker: string, issue: string, work: string, verify: string) => [
    ...['harness-step', '--worker', worker, '--issue', issue, '--sandbox', 'off'],
    ...['--work-cmd', work, '--verify-cmd', verify],
  ]
  const steps = ({ attempts }: { readonly attempts: readonly { readonly stepId: string }[] }) =>
    attempts.map(({ stepId }) => stepId)
  const work = 'touch begun; until [ -e go ]; do sleep 0.05; done; exit 1'
  const first = project.started(...step('w', 'x.bd-7', work, 'true'))
  await expect.poll(() => existsSync(join(project.folder, 'begun')), { timeout: 10_000 }).toBe(true)
  const session = ['--session', '.premath/other_session.json']
  const other = done(...step('w.x', 'bd-7', 'true', 'test -d .'), ...session)
  writeFileSync(join(project.folder, 'go'), '')
  expect(steps(other.json)).toEqual(['w.x.bd-7.1.2'])
  expect(steps((await first).json).slice(0, 2)).toEqual(['w.x.bd-7.1.1', 'w.x.bd-7.1.3'])
})

describe('a file that went on', () => {
  test('[memory.1.commits] by rows of a commit that knew the acknowledged ones is taken as it is', () => {
    committed()
    commit()
    const clone = join(project.folders, 'a clone')
    git('clone', '-q', project.folder, clone)
    const there = (...args: readonly string[]) =>
      project.premath([...args, '--json'], { cwd: clone })
    expect(there('issue', 'update', 'bd-2', '--title', 'two, elsewhere').status).toBe(0)
    // git alone knows the acknowledged row now.
    expect(there('issue', 'compact').status).toBe(0)
    git('-C', clone, 'commit', '-q', '-a', '-m', 'elsewhere')
    git('pull', '-q', clone, 'main')
    expect(titles()).toEqual(['one', 'two, elsewhere'])
    expect(done('issue', 'list').stderr).toBe('')
    add('three')
    expect(done('doctor').json.findings).toEqual([])
    rmSync(clone, { recursive: true })
  })

  test('[memory.1.commits] by rows of a commit that never knew them is merged with them', () => {
    add('one')
    commit()
    git('checkout', '-q', '-b', 'elsewhere')
    project.forgetAcknowledged()
    done('issue', 'update', 'bd-1', '--description', 'from elsewhere')
    commit()
    git('checkout', '-q', 'main')
    project.forgetAcknowledged()
    done('issue', 'update', 'bd-1', '--notes', 'from here')
    add('two')
    commit()
    git('checkout', '-q', 'elsewhere')
    const merged = { description: 'from elsewhere', notes: 'from here' }
    expect(done('issue', 'show', 'bd-1').json.issue).toMatchObject(merged)
    add('three')
    expect(done('issue', 'show', 'bd-1').json.issue).toMatchObject(merged)
    expect(titles()).toEqual(['one', 'two', 'three'])
  })

  test('by an edit of a person is taken as it is', () => {
    committed()
    writeFileSync(project.issues, text().replace('"title":"two"', '"title":"by hand"'))
    expect(titles()).toEqual(['one', 'by hand'])
    add('three')
    expect(titles()).toEqual(['one', 'by hand', 'three'])
  })

  test('[memory.1.commits] by the claim of another clone, of which a person kept the line too, shows what gave way', () => {
    add('one')
    const before = text()
    claim('bob')
    const bob = lines().at(-1)
    writeFileSync(project.issues, before)
    project.forgetAcknowledged()
    rmSync(logPath())
    claim('ann')
    const both = `${text()}${bob}\n`
    // git makes a new file.
    rmSync(project.issues)
    writeFileSync(project.issues, both)
    add('two')
    const findings = JSON.parse(premath('doctor').stdout).findings
    expect(findings).toMatchObject([{ check: 'merges' }])
    expect(findings[0].what).toMatch(/gave way: assignee (ann|bob), its lease/)
  })

  test('in a fresh clone is adopted', () => {
    committed()
    project.forgetAcknowledged()
    expect(titles()).toEqual(['one', 'two'])
    add('three')
    git('checkout', '-q', '--', '.premath')
    expect(titles()).toEqual(['one', 'two', 'three'])
  })
})

describe('fences that contradict each other', () => {
  /** A later row of bd-1 has the fence of ann again. */
  const contradictFile = () => {
    const [ann = ''] = lines().filter(line => line.includes('"assignee":"ann"'))
    writeFileSync(project.issues, `${text()}${ann.replace('"title":"one"', '"title":"1"')}\n`)
  }
  const contradictMark = () => {
    const last = lines().findLast(line => line.includes('"assignee":"bob"')) ?? ''
    const edited = last.replace('"premathFence":2', '"premathFence":1').replace('one', '1')
    writeFileSync(
      project.issues,
      `${lines()
        .filter(line => !line.includes('"bd-1"'))
        .join('\n')}\n${edited}\n`,
    )
  }
  const contradictLog = () => {
    contradictMark()
    project.forgetAcknowledged()
  }

  /** A cherry-pick can bring the events of a claim, and not its row. */
  const contradictLogAlone = () => {
    const last = lines().findLast(line => line.includes('"assignee":"bob"')) ?? ''
    const issue = JSON.parse(last.replace('"premathFence":2', '"premathFence":5'))
    const event = { event_id: 'x', issue_id: 'bd-1', action: 'upsert_issue', issue }
    const made = { ...event, schema: 'issue.event.v1', occurred_at: issue.updated_at }
    appendFileSync(logPath(), `${JSON.stringify(made)}\n`)
  }

  /** The command that doctor names. */
  const acknowledgement = ({ next }: { readonly next: string }) =>
    /premath (issue update [^.]*)/.exec(next)?.[1]?.split(' ') ?? []

  test.each([
    [
      'in the file',
      contradictFile,
      true,
      2,
      /2 in line \d+ of .*issues\.jsonl, then 1 in line \d+/,
    ],
    [
      'with the mark',
      contradictMark,
      true,
      2,
      /2 in .*premath\/memory\/issues\/rows\.jsonl, then 1 in .*issues\.jsonl/,
    ],
    [
      'with the event log',
      contradictLog,
      // The log has fences, and no row that could be merged.
      false,
      2,
      /2 in line \d+ of .*events\.jsonl, then 1 in its row in/,
    ],
    [
      'with an event log that changed alone',
      contradictLogAlone,
      false,
      5,
      /5 in line \d+ of .*events\.jsonl, then 2 in its row in/,
    ],
  ])(
    '[memory.1.contradiction] %s stop every command, until doctor --fix',
    (_, contradict, hasRivals, fence, said) => {
      committed()
      contradict()
      const log = readFileSync(logPath(), 'utf8')
      for (const command of [
        ['issue', 'list'],
        ['issue', 'add', 'x'],
        ['issue', 'list'],
        ['issue', 'ready'],
        ['doctor'],
      ]) {
        const { status, stdout, stderr } = premath(...command)
        expect({ command, status }).toEqual({ command, status: 5 })
        expect(stdout + stderr).toMatch(said)
      }
      expect(readFileSync(logPath(), 'utf8')).toBe(log)
      const found: Found[] = JSON.parse(premath('doctor').stdout).findings
      expect(found.map(({ check }) => check)).not.toContain('events')
      const { findings } = JSON.parse(premath('doctor', '--fix').stdout)
      expect(findings[0]).toMatchObject({ check: 'forward', fixed: true })
      const gaveWay = findings.slice(1).map(({ check }: Found) => check)
      expect(gaveWay).toEqual(hasRivals ? ['merges'] : [])
      if (hasRivals) done(...acknowledgement(findings.at(-1)))
      expect(done('doctor').json.findings).toEqual([])
      expect(done('issue', 'show', 'bd-1').json.issue.metadata.premathFence).toBe(fence)
      expect(titles()).toHaveLength(2)
    },
  )

  test('[memory.1.contradiction] are also resolved by doctor --accept-older', () => {
    committed()
    contradictFile()
    done('doctor', '--accept-older', '--reason', 'edited by hand')
    const { title, metadata } = done('issue', 'show', 'bd-1').json.issue
    expect([title, metadata.premathFence]).toEqual(['1', 2])
  })
})

test('without git, the state folder of the user keeps the acknowledged rows', () => {
  rmSync(join(project.folder, '.git'), { recursive: true })
  add('one')
  const before = text()
  add('two')
  writeFileSync(project.issues, before)
  expect(titles()).toEqual(['one', 'two'])
  rmSync(project.issues)
  expect(titles()).toEqual(['one', 'two'])
  expect(add('three')).toBe('bd-3')
  // A copy is another folder, in which nothing was acknowledged.
  const copy = join(project.folders, 'a copy')
  cpSync(project.folder, copy, { recursive: true })
  writeFileSync(join(copy, '.premath/issues.jsonl'), before)
  const { stdout } = project.premath(['issue', 'list', '--json'], { cwd: copy })
  expect(JSON.parse(stdout).items).toHaveLength(1)
})

test('uninit removes the mark with the rest', () => {
  add('one')
  commit()
  expect(existsSync(join(project.folder, '.git/premath/memory'))).toBe(true)
  done('uninit', '--yes')
  expect(existsSync(join(project.folder, '.git/premath/memory'))).toBe(false)
})

/** Several workers under a coordinator: real git worktrees, real processes, and runs that go wrong. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../src/kernel/canonical.ts'
import { aLoop, does, gitAt, named, writes } from './a-loop.ts'
import { at as timeIn } from './a-project.ts'
import { fewOf } from './sim/seeded.ts'

const loop = aLoop()
const { add, at, coordinator, show } = loop

/** A repository of its own with so many issues. */
const projectWith = (issues: number) => {
  loop.repository()
  for (let made = 1; made <= issues; made++) add(`Issue ${made}`)
}

/** A worktree beside the project, on a branch of its own. */
const treeAt = (name: string) => {
  const path = `${loop.project.folder} ${name}`
  loop.git('worktree', 'add', '--quiet', '-b', name, path)
  return path
}

const worktreesMade = () =>
  existsSync(at('.premath/worktrees'))
    ? readdirSync(at('.premath/worktrees')).filter(name => !/^\.gitignore$|\.lock$/.test(name))
    : []

/** Refused before anything was made, claimed or reported. */
const nothingChanged = (act: () => void) => {
  const before = [loop.memory(), loop.git('worktree', 'list'), loop.git('branch')]
  act()
  expect([loop.memory(), loop.git('worktree', 'list'), loop.git('branch')]).toEqual(before)
  expect(worktreesMade()).toEqual([])
  expect(loop.attention()).toEqual([])
}

const two = (...more: readonly string[]) => does(writes, 'true', '--create-worktrees', '2', ...more)

const waitsForGo = `touch "$PREMATH_ROOT/began.$PREMATH_WORKER_ID"; until [ -e "$PREMATH_ROOT/go" ]; do sleep 0.05; done; ${writes}`

/** The subjects of the commits of issues on main, sorted. */
const landed = () =>
  loop
    .git('log', '--format=%s', 'main')
    .split('\n')
    .filter(subject => subject.startsWith('Issue'))
    .toSorted()

describe('a coordinator', () => {
  test('runs workers in parallel, in the order of their worktrees, and cleans up after them', async () => {
    projectWith(4)
    const running = loop.begin('coordinator', does(waitsForGo, 'true', '--create-worktrees', '2'))
    await running.until(() => ['1', '2'].every(name => existsSync(at(`began.worker.${name}`))))
    // Both are at work, each on an issue of its own.
    expect(loop.holders()).toEqual(['worker.1', 'worker.2'])
    writeFileSync(at('go'), '')
    expect(await running.ended).toEqual({ status: 0, signal: null, stderr: '' })
    const { events } = running
    expect(named(events, 'run.started')).toMatchObject([
      { parallel: 2, workers: [{ workerId: 'worker.1' }, { workerId: 'worker.2' }] },
    ])
    expect(
      named(events, 'pass')
        .flatMap(({ sent }) => sent)
        .slice(0, 2),
    ).toEqual(['worker.1', 'worker.2'])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', left: 0, steps: 4 }])
    expect(loop.statuses()).toEqual(['closed', 'closed', 'closed', 'closed'])
    // Closed means landed.
    expect(landed()).toEqual([
      'Issue 1 (bd-1)',
      'Issue 2 (bd-2)',
      'Issue 3 (bd-3)',
      'Issue 4 (bd-4)',
    ])
    expect(worktreesMade()).toEqual([])
    expect(loop.git('branch', '--list', 'premath/*')).toBe('')
    expect(loop.session()).toMatchObject({
      state: 'stopped',
      summary: expect.stringMatching(/^done/),
    })
  })

  test('runs at most --parallel workers at once', () => {
    projectWith(4)
    const work = `mkdir "$PREMATH_ROOT/one" || exit 1; sleep 0.1; rmdir "$PREMATH_ROOT/one"; ${writes}`
    const args = does(work, 'true', '--create-worktrees', '3', '--parallel', '1')
    const { status, events } = coordinator(args)
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', closed: expect.any(Array) }])
    expect(loop.steps()).toHaveLength(4)
  })

  test('uses the named worktrees, by flag or environment, and gives them back as they were', () => {
    projectWith(2)
    const [b, a] = [treeAt('b'), treeAt('a')]
    writeFileSync(loop.at('.git/info/exclude'), 'packages/\n')
    mkdirSync(join(a, 'packages'))
    writeFileSync(join(a, 'packages/one'), 'one\n')
    const { status, events } = coordinator(does(writes, 'true', '--worktree', b, '--worktree', a))
    expect(status).toBe(0)
    expect(
      named(events, 'run.started')[0].workers.map(({ worktree }: { worktree: string }) => worktree),
    ).toEqual([a, b])
    expect(landed()).toHaveLength(2)
    for (const tree of [a, b]) {
      expect(gitAt(tree, 'status', '--porcelain')).toBe('')
      expect(gitAt(tree, 'log', '--format=%s').trim()).toBe('Begin')
    }
    expect(gitAt(a, 'branch', '--show-current').trim()).toBe('a')
    expect(readFileSync(join(a, 'packages/one'), 'utf8')).toBe('one\n')
    add('Three')
    const env = { PREMATH_WORKTREES: `${a},${b}` }
    expect(named(coordinator(does(writes), { env }).events, 'run.started')).toMatchObject([
      { parallel: 2 },
    ])
    expect(loop.statuses()).toEqual(['closed', 'closed', 'closed'])
  })

  test('refuses a named worktree with uncommitted work, and the main worktree', () => {
    projectWith(1)
    const [a, b] = [treeAt('a'), treeAt('b')]
    writeFileSync(join(b, 'mine.txt'), 'mine\n')
    nothingChanged(() => {
      const args = does(writes, 'true', '--worktree', a, '--worktree', b)
      const { status, stderr } = coordinator(args)
      expect(status).toBe(4)
      expect(stderr).toMatch(
        /^error: .*b has 1 uncommitted change \(mine\.txt\)\n {2}Commit or stash/,
      )
      expect(readFileSync(join(b, 'mine.txt'), 'utf8')).toBe('mine\n')
      const main = coordinator(does(writes, 'true', '--worktree', '.'))
      expect(main.status).toBe(2)
      expect(main.stderr).toMatch(/is the main worktree, and a worker needs its own\n/)
    })
  })

  test('keeps what a killed run left in a named worktree on the branch of its issue', async () => {
    projectWith(1)
    const a = treeAt('a')
    const half = `echo half > half.txt; ${waitsForGo}`
    const running = loop.begin('coordinator', does(half, 'true', '--worktree', a))
    await running.until(() => existsSync(at('began.worker.1')))
    running.signal('SIGKILL')
    await running.ended
    const { status } = coordinator(does(writes, 'true', '--worktree', a))
    expect(status).toBe(0)
    expect(landed()).toEqual(['Issue 1 (bd-1)'])
    expect(gitAt(a, 'status', '--porcelain')).toBe('')
    expect(loop.git('ls-tree', '--name-only', 'main')).not.toContain('half.txt')
  })

  test('takes over the work of a worker that was killed with its coordinator', async () => {
    projectWith(2)
    const running = loop.begin('coordinator', does(waitsForGo, 'true', '--create-worktrees', '2'))
    await running.until(() => ['1', '2'].every(name => existsSync(at(`began.worker.${name}`))))
    running.signal('SIGKILL')
    await running.ended
    const { status, events } = coordinator(two())
    expect(status).toBe(0)
    expect(named(events, 'recovered').map(({ how }) => how)).toEqual(['undone', 'undone'])
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
    expect(
      loop
        .steps()
        .map(({ resultClass }) => resultClass)
        .toSorted(),
    ).toEqual(['completed', 'completed', 'retry_needed_interrupted', 'retry_needed_interrupted'])
    expect(worktreesMade()).toEqual([])
    expect(loop.premath(['doctor']).status).toBe(0)
  })

  test.each(fewOf(['SIGINT', 'SIGTERM'] as const))(
    'stops all workers with a handoff on %s',
    async signal => {
      projectWith(3)
      const work = `${waitsForGo}`
      const running = loop.begin('coordinator', does(work, 'true', '--create-worktrees', '2'))
      await running.until(() => ['1', '2'].every(name => existsSync(at(`began.worker.${name}`))))
      running.signal(signal)
      expect(await running.ended).toEqual({ status: 1, signal: null, stderr: '' })
      expect(loop.statuses()).toEqual(['open', 'open', 'open'])
      expect(loop.steps().map(({ resultClass }) => resultClass)).toEqual([
        'interrupted_by_signal',
        'interrupted_by_signal',
      ])
      expect(loop.session()).toMatchObject({
        state: 'stopped',
        nextStep: 'run the same command again to continue with the remaining budget',
      })
    },
  )

  test('counts the steps of all workers in one budget, across a kill', async () => {
    projectWith(5)
    const limits = ['--create-worktrees', '2', '--max-steps', '3']
    const running = loop.begin('coordinator', does(waitsForGo, 'true', ...limits))
    await running.until(() => ['1', '2'].every(name => existsSync(at(`began.worker.${name}`))))
    running.signal('SIGKILL')
    await running.ended
    const { status, events } = coordinator(does(writes, 'true', ...limits))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([
      { why: 'budget', steps: 1, left: 4, budget: { steps: 3 } },
    ])
  })
})

describe('before it starts a second worker', () => {
  const policy = (change: object) => {
    const { policyDigest: _digest, ...rest } = {
      ...JSON.parse(readFileSync('policies/control/harness-decomposition-policy-v1.json', 'utf8')),
      ...change,
    }
    const digest = createHash('sha256').update(canonicalJson(rest)).digest('hex')
    const path = at('decomposition.json')
    writeFileSync(path, JSON.stringify({ ...rest, policyDigest: `pol1_${digest}` }))
    return ['--decomposition-policy', path]
  }

  test.each([
    ['admits one worker', { maxFanOut: 1 }, /the fan-out is 2 workers, but the policy allows 1/],
    [
      'does not admit the pattern',
      { patterns: ['single', 'parallel'] },
      /the pattern is orchestrator_workers, but the policy allows single, parallel/,
    ],
  ])(
    '[runtime.3.2.decomposition] a policy that %s refuses, and nothing is made or claimed',
    (_, change, why) => {
      projectWith(2)
      const chosen = policy(change)
      nothingChanged(() => {
        const { status, json, stderr } = loop.asked([
          'harness-loop',
          'coordinator',
          ...two(...chosen),
        ])
        expect(status).toBe(1)
        expect(json).toMatchObject({
          result: 'rejected',
          failureClasses: ['coordination.decomposition_policy_violation'],
          diagnostic: expect.stringMatching(why),
          remedy: expect.stringContaining('--parallel'),
        })
        expect(stderr).toContain('coordination.decomposition_policy_violation')
      })
    },
  )

  test('one worker at a time is no fan-out, and is admitted', () => {
    projectWith(2)
    const { status, events } = coordinator(two('--parallel', '1', ...policy({ maxFanOut: 1 })))
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done' }])
  })

  test('a KPI below its rollback threshold refuses more workers until a remediation', () => {
    projectWith(2)
    const failed = (second: number) => ({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: `solo.bd-1.${second}.1`,
      issueId: 'bd-1',
      workerId: 'solo',
      action: 'harness.step',
      resultClass: 'check_failed',
      finishedAt: timeIn(second - 100),
    })
    const rows = Array.from({ length: 10 }, (_, second) => `${JSON.stringify(failed(second))}\n`)
    writeFileSync(at('.premath/harness_trajectory.jsonl'), rows.join(''))
    nothingChanged(() => {
      const { status, json, stderr } = loop.asked(['harness-loop', 'coordinator', ...two()])
      expect(status).toBe(1)
      expect(json).toMatchObject({
        failureClasses: ['kpi_rollback_unremediated'],
        diagnostic: expect.stringMatching(
          /^too few of the last steps passed \(.*\): at most 1 of 2 workers may run$/,
        ),
        remedy: expect.stringContaining('premath harness-kpi remediate'),
      })
      expect(stderr).toContain('kpi_rollback_unremediated')
    })
    loop.done('harness-kpi', 'remediate', '--reason', 'the check was broken')
    const { status, events } = coordinator(two())
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done' }])
  })
})

describe('bad input', () => {
  /** One clear line, the exit code, and nothing changed. */
  const refuses = (args: readonly string[], code: number, line: RegExp, hint: RegExp) =>
    nothingChanged(() => {
      const { status, stderr } = coordinator(args)
      expect({ status, stderr }).toEqual({
        status: code,
        stderr: expect.stringMatching(
          new RegExp(`^error: .*${line.source}.*\\n  .*${hint.source}`),
        ),
      })
    })

  test.each([
    ['no worktree', does('true'), /no worktree is given/, /--create-worktrees/],
    ['none to make', does('true', 'true', '--create-worktrees', '0'), /no worktree/, /--worktree/],
    ['--parallel 0', two('--parallel', '0'), /--parallel must be at least 1/, /at least 1/],
    [
      'more at once than worktrees',
      two('--parallel', '3'),
      /more than the number of worktrees, which is 2/,
      /--worktree/,
    ],
    ['too many', does('true', 'true', '--create-worktrees', '257'), /at most 256/, /copy/],
    [
      'a prefix that names no worker',
      two('--worker-prefix', 'a b'),
      /--worker-prefix "a b" cannot name workers/,
      /one word/,
    ],
    [
      'the prefix of the verification',
      two('--worker-prefix', 'verify'),
      /--worker-prefix "verify" cannot name workers/,
      /verify/,
    ],
    [
      'no work command',
      ['--verify-cmd', 'true', '--create-worktrees', '2'],
      /--work-cmd is missing/,
      /--work-cmd/,
    ],
  ])('%s', (_, args, line, hint) => {
    projectWith(1)
    refuses(args, 2, line, hint)
  })

  test('a missing project, which is not created', () => {
    const { status, stderr } = coordinator(two())
    expect(status).toBe(2)
    expect(stderr).toContain('premath init')
    expect(readdirSync(loop.project.folder)).toEqual([])
  })

  test('a missing git repository', () => {
    add('One')
    const before = loop.memory()
    const { status, stderr } = coordinator(two())
    expect(status).toBe(2)
    expect(stderr).toMatch(/is not in a git repository.*\n {2}.*git init/)
    expect(loop.memory()).toBe(before)
  })

  test('a repository without commits', () => {
    loop.git('init', '--quiet')
    add('One')
    const before = loop.memory()
    const { status, stderr } = coordinator(two())
    expect(status).toBeGreaterThan(1)
    expect(stderr).toMatch(/^error: .*(commit|HEAD)/)
    expect(stderr).toMatch(/\n {2}\S/)
    expect(loop.memory()).toBe(before)
  })

  test('a worktree that vanished before the run', () => {
    projectWith(1)
    const gone = treeAt('gone')
    rmSync(gone, { recursive: true })
    refuses(does('true', 'true', '--worktree', gone), 2, /is not a folder/, /git worktree/)
  })

  test('a folder that is no worktree, and one of another repository', () => {
    projectWith(1)
    mkdirSync(at('sub'))
    refuses(
      does('true', 'true', '--worktree', 'sub'),
      2,
      /is inside a worktree/,
      /Pass the top folder/,
    )
    const other = mkdtempSync(join(loop.project.folders, 'other '))
    gitAt(other, 'init', '--quiet')
    refuses(does('true', 'true', '--worktree', other), 2, /another repository/, /git worktree list/)
  })

  test('a second coordinator, and the first continues', async () => {
    projectWith(2)
    const running = loop.begin('coordinator', does(waitsForGo, 'true', '--create-worktrees', '2'))
    await running.until(() => existsSync(at('began.worker.1')))
    const before = loop.memory()
    const { status, stderr } = coordinator(two('--worker-prefix', 'other'))
    expect(status).toBe(4)
    expect(stderr).toMatch(
      /^error: another run of this project is running: pid \d+ on \S+ \(premath harness-loop coordinator .*\) since 2.*Z\n {2}A project has one run.*premath run --drain/,
    )
    expect(stderr).not.toContain('.lock')
    expect(loop.memory()).toBe(before)
    expect(worktreesMade()).toEqual(['verify.1', 'worker.1', 'worker.2'])
    writeFileSync(at('go'), '')
    expect(await running.ended).toMatchObject({ status: 0 })
  })

  test('a coordinator that is started inside a worktree', () => {
    projectWith(1)
    const tree = treeAt('tree')
    const before = loop.memory()
    const { status, stderr } = coordinator(two(), { cwd: tree })
    expect(status).toBe(2)
    expect(stderr).toMatch(/: it is a linked worktree\n {2}.*main/)
    expect(loop.memory()).toBe(before)
    expect(existsSync(join(tree, '.premath/worktrees'))).toBe(false)
  })

  test('a run that is started inside a worktree, also by PREMATH_ROOT; requests are answered', () => {
    projectWith(1)
    const tree = treeAt('tree')
    const run = ['run', ...does(writes, 'true')]
    nothingChanged(() => {
      const inside = loop.premath(run, { cwd: tree })
      expect(inside.status).toBe(2)
      expect(inside.stderr).toMatch(
        /^error: cannot start a run in .* tree: it is a linked worktree\n/,
      )
      expect(inside.stderr).toMatch(/Start it in the main worktree, which git worktree list shows/)
      expect(inside.stderr).not.toContain('PREMATH_ROOT')
      const byRoot = loop.premath(run, { env: { PREMATH_ROOT: tree } })
      expect(byRoot.status).toBe(2)
      expect(byRoot.stderr).toMatch(/ tree: it is a linked worktree\n.*PREMATH_ROOT must name/)
      expect(loop.premath(['run', '--drain'], { cwd: tree })).toMatchObject({
        status: 1,
        stderr: expect.not.stringContaining('linked worktree'),
      })
    })
    expect(existsSync(join(tree, '.premath/worktrees'))).toBe(false)
  })
})

describe('a failing worker', () => {
  test('whose worktree vanishes ends, and the others continue', () => {
    projectWith(6)
    const isTold = 'grep -q worker_ended "$PREMATH_ROOT/.premath/harness_attention.jsonl"'
    const work = `[ $PREMATH_WORKER_ID = worker.2 ] && rm -rf "$PWD" || until ${isTold}; do sleep 0.05; done; ${writes}`
    const { status, events } = coordinator(does(work, 'true', '--create-worktrees', '2'))
    expect(status).toBe(3)
    expect(named(events, 'worker.ended').filter(({ why }) => why === 'quit')).toMatchObject([
      { workerId: 'worker.2', message: expect.stringContaining('is gone') },
    ])
    expect(loop.statuses()).not.toContain('in_progress')
    // Another worker retries its issue with the handoff; no issue was added for the failure.
    expect(loop.statuses()).toEqual(Array(6).fill('closed'))
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', failed: [] }])
    const [lost] = loop.steps().filter(({ workerId }) => workerId === 'worker.2')
    expect(loop.packet(`worker.1.${lost.issueId}.2.1`).tried).toMatchObject([
      { workerId: 'worker.2', failureClasses: ['worktree_gone'] },
    ])
    expect(worktreesMade()).toEqual([])
    add('Seven')
    expect(named(coordinator(two()).events, 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
  })

  test('that lost its worktree leaves its issue to another worker', () => {
    projectWith(3)
    const gone = '"$PREMATH_ROOT/gone"'
    const work = `[ $PREMATH_WORKER_ID = worker.2 ] && touch ${gone} && rm -rf "$PWD" && exit 2; until [ -e ${gone} ]; do sleep 0.02; done; ${writes}`
    const { status, events } = coordinator(does(work, 'true', '--create-worktrees', '2'))
    expect(status).toBe(3)
    expect(loop.statuses()).toEqual(Array(3).fill('closed'))
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', failed: [] }])
    expect(
      named(events, 'attempt.ended').filter(({ resultClass: one }) => one !== 'completed'),
    ).toMatchObject([{ workerId: 'worker.2', resultClass: 'worktree_gone' }])
  })

  test('leaves nothing for the next issue, and its work on the branch of its own', () => {
    projectWith(2)
    const work = `[ $PREMATH_ISSUE_ID = bd-1 ] && echo x > left.txt && exit 7; ${writes}; ls > files.txt`
    const { status } = coordinator(does(work, 'true', '--create-worktrees', '1'))
    expect(status).toBe(1)
    expect(landed()).toEqual(['Issue 2 (bd-2)'])
    expect(loop.git('show', 'main:files.txt')).not.toContain('left.txt')
    expect(loop.git('show', 'premath/bd-1:left.txt')).toBe('x\n')
  })

  test('keeps a worktree that somebody made or named, at any path', () => {
    projectWith(2)
    const [mine, other] = ['mine', 'other'].map(name => at(`.premath/worktrees/${name}`))
    for (const path of [mine, other]) loop.git('worktree', 'add', '--quiet', '--detach', path ?? '')
    const args = does(writes, 'true', '--create-worktrees', '1', '--worktree', mine ?? '')
    expect(coordinator(args).status).toBe(0)
    expect(worktreesMade()).toEqual(['mine', 'other'])
  })

  test('is reported once for three failures of one class in a row, across workers', () => {
    projectWith(8)
    const { events } = coordinator(does('exit 7', 'true', '--create-worktrees', '4'))
    const matters = named(events, 'attention').filter(({ about }) => about === 'repeated_failure')
    expect(matters).toHaveLength(1)
    expect(matters[0].message).toMatch(
      /^3 attempts of several workers failed in a row with check_failed, last on bd-\d$/,
    )
  })

  const kills = [
    ['kill -9 $PPID', null, 'retry_needed_interrupted'],
    ['kill -TERM $PPID', 1, 'interrupted_by_signal'],
  ] as const

  test.each(fewOf(kills))('handles a work command that does %s', (kill, code, resultClass) => {
    projectWith(2)
    const killed = coordinator(does(`${kill}; sleep 1000`, 'true', '--create-worktrees', '1'), {
      isSpawned: true,
    })
    expect(killed.status).toBe(code)
    const { status, events } = coordinator(two())
    expect(status).toBe(0)
    expect(named(events, 'run.ended')).toMatchObject([{ why: 'done', left: 0 }])
    expect(loop.steps().map(row => row.resultClass)).toEqual([
      resultClass,
      'completed',
      'completed',
    ])
    expect(loop.statuses()).toEqual(['closed', 'closed'])
    expect(worktreesMade()).toEqual([])
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
  })
})

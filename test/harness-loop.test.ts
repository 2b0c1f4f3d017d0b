/** The loop as people run it: a worker, or a coordinator with several, on a real repository. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaseRef } from '../src/kernel/harness/lease-handoff.ts'
import { Repository } from './a-git-project.ts'
import { writes } from './a-loop.ts'
import { open } from './a-project.ts'
import { oneAttempt } from './a-retry-policy.ts'
import { main } from './built-command.ts'
import { byAnother as asAnother } from './by-another.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const premath = `'${process.execPath}' '${main}'`
/** Acts outside the step, since the work of a step has no authority to change issues. */
const byAnother = `${asAnother} ${premath}`

let repository: Repository
beforeEach(() => {
  repository = new Repository('loop')
})
afterEach(() => repository.remove())

const waiting = (id: string, ...blockers: readonly string[]) =>
  open(id, {
    dependencies: blockers.map(blocker => ({
      issue_id: id,
      depends_on_id: blocker,
      type: 'blocks',
    })),
  })

interface Told {
  readonly status: number | null
  readonly stderr: string
  readonly events: readonly ReturnType<typeof JSON.parse>[]
}

/** The events of a loop and its end. */
async function loop(
  args: readonly string[],
  { work = 'true', verify = 'true', cwd = repository.root, of = repository } = {},
): Promise<Told> {
  // How often a failure is tried again is no matter of the loop.
  const policy = join(of.folder, 'retry.json')
  writeFileSync(policy, oneAttempt())
  const commands = ['--work-cmd', work, '--verify-cmd', verify, '--retry-policy', policy]
  const ended = of.premath(['harness-loop', ...args, ...commands, '--json'], { cwd })
  const events = ended.stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return { status: ended.status, stderr: ended.stderr, events }
}

const endOf = ({ events }: Told) => events.find(({ event }) => event === 'run.ended')
const trajectory = (of = repository) => of.rows('harness_trajectory.jsonl')
const issue = (id: string) => repository.rows('issues.jsonl').findLast(row => row.id === id)
const documentAt = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

describe('a worker', () => {
  test('[runtime.7.loop-shape] claims a ready issue, works, verifies, and closes or releases it', async () => {
    repository.given([open('bd-1'), waiting('bd-2', 'bd-1'), open('bd-3'), waiting('bd-4', 'bd-3')])
    const run = await loop(['worker'], { verify: 'test "$PREMATH_ISSUE_ID" != bd-3' })
    const seen = run.events
      .filter(({ event }) => ['pass', 'claimed', 'phase', 'attempt.ended'].includes(event))
      .map(({ event, phase, issueId, resultClass }) =>
        [event, phase ?? issueId, resultClass].filter(one => one !== undefined).join(' '),
      )
    const step = (id: string, end: string, ...phases: readonly string[]) => [
      'pass',
      `claimed ${id}`,
      'phase work',
      'phase verify',
      ...phases,
      `attempt.ended ${id} ${end}`,
    ]
    expect(seen).toEqual([
      ...step('bd-1', 'completed'),
      ...step('bd-2', 'completed'),
      ...step('bd-3', 'check_failed', 'phase verify-again'),
    ])
    expect(endOf(run)).toMatchObject({ why: 'idle', closed: ['bd-1', 'bd-2'], left: 2 })
    expect(run.status).toBe(1)
    // A failed issue has no holder, and the issues that wait for it are unchanged.
    expect(issue('bd-3')).toMatchObject({ status: 'blocked' })
    expect(issue('bd-3')).not.toHaveProperty('lease')
    expect(issue('bd-4')).toMatchObject({ status: 'open' })
  })

  test('[runtime.7.ready-each-round] takes an issue that became ready while it worked', async () => {
    repository.given([open('bd-1')])
    const work = `test "$PREMATH_ISSUE_ID" != bd-1 || ${byAnother} issue add 'Found on the way'`
    const run = await loop(['worker'], { work })
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
    expect(endOf(run)).toMatchObject({ why: 'done', closed: ['bd-1', 'bd-2'] })
  })

  test('[runtime.7.diagnostics-each-pass] stops at a cycle that appeared while it worked', async () => {
    repository.given([open('bd-1'), open('bd-2')])
    const circle = [waiting('bd-8', 'bd-9'), waiting('bd-9', 'bd-8')]
    const path = join(repository.folder, 'circle')
    writeFileSync(path, circle.map(row => `${JSON.stringify(row)}\n`).join(''))
    const run = await loop(['worker'], { work: `cat '${path}' >> "$PREMATH_ISSUES_PATH"` })
    expect(run.status).toBe(1)
    expect(endOf(run)).toMatchObject({ why: 'cycle', closed: ['bd-1'], left: 3 })
    // Though it waits for nobody: until the graph is in order nothing is handed out.
    expect(issue('bd-2')).toMatchObject({ status: 'open' })
    expect(repository.rows('harness_attention.jsonl')).toMatchObject([
      { message: expect.stringContaining('bd-8') },
    ])
  })

  test('[runtime.7.work-and-verify] works in its worktree, verifies in a clean checkout, and closes nothing without both', async () => {
    repository.given([open('bd-1'), open('bd-2'), open('bd-3')])
    const cwd = repository.worktree('w1')
    const ran = join(repository.folder, 'ran')
    const saying = (role: string, failing: string) =>
      `echo "${role} $PREMATH_ISSUE_ID $(pwd)" >> '${ran}'; test "$PREMATH_ISSUE_ID" != ${failing}`
    const run = await loop(['worker'], {
      cwd,
      work: saying('work', 'bd-2'),
      verify: saying('verify', 'bd-3'),
    })
    expect(run.status).toBe(1)
    const verified = (id: string) =>
      expect.stringMatching(new RegExp(`^verify ${id} .*/premath/checkouts/\\w+\\.check\\.\\S+$`))
    expect(readFileSync(ran, 'utf8').trimEnd().split('\n')).toEqual([
      `work bd-1 ${cwd}`,
      verified('bd-1'),
      `work bd-2 ${cwd}`,
      `work bd-3 ${cwd}`,
      verified('bd-3'),
      // A check is run again, to see whether it is only flaky.
      verified('bd-3'),
    ])
    expect(endOf(run)).toMatchObject({ closed: ['bd-1'], left: 2 })
    // The verification is the reason, before anybody looks for a proof.
    expect(trajectory().findLast(row => row.issueId === 'bd-3')).toMatchObject({
      failureClasses: ['check_failed'],
    })
  })

  test('[runtime.7.handoff-from-memory] hands over by the lease in issue memory, not by its own state', async () => {
    repository.given([open('bd-1'), open('bd-2')])
    const takeOver = [
      `${byAnother} issue lease-release bd-1 --assignee "$PREMATH_WORKER_ID"`,
      `${byAnother} issue claim bd-1 --assignee somebody-else`,
    ].join(' && ')
    const run = await loop(['worker'], {
      work: `test "$PREMATH_ISSUE_ID" != bd-1 || { ${takeOver}; }`,
    })
    const [row] = trajectory()
    expect(row).toMatchObject({ stepId: 'worker.bd-1.1.1', resultClass: 'lease_fence_stale' })
    expect(row.nextStep).toContain('another worker may hold the issue')
    const taken = leaseRef(
      {
        issueId: 'bd-1',
        workerId: 'worker',
        leaseId: 'lease1_bd-1_somebody-else',
        leaseOwner: 'somebody-else',
        leaseState: 'active',
        leaseAction: 'issue_lease_renew',
        status: 'in_progress',
        assignee: 'somebody-else',
      },
      sha256,
    )
    expect(row.witnessRefs).toContain(taken)
    expect(issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'somebody-else' })
    expect(endOf(run)).toMatchObject({ closed: ['bd-2'], left: 1 })
  })

  test('[runtime.7.lease-witness] records the end of its lease in each row, by a ref that can be recomputed', async () => {
    repository.given([open('bd-1'), open('bd-2')])
    await loop(['worker', '--worker', 'w'], { work: 'test "$PREMATH_ISSUE_ID" != bd-2' })
    const closed = leaseRef(
      {
        issueId: 'bd-1',
        workerId: 'w',
        leaseId: 'lease1_bd-1_w',
        leaseOwner: 'w',
        leaseState: 'released',
        leaseAction: 'release_closed',
        status: 'closed',
        assignee: 'w',
      },
      sha256,
    )
    const blocked = leaseRef(
      {
        issueId: 'bd-2',
        workerId: 'w',
        leaseId: '',
        leaseOwner: '',
        leaseState: 'unleased',
        leaseAction: 'reconcile',
        status: 'blocked',
        assignee: '',
      },
      sha256,
    )
    const leases = trajectory().map(({ witnessRefs }) =>
      witnessRefs.filter((ref: string) => ref.startsWith('lease://')),
    )
    expect(leases).toEqual([[closed], [blocked]])
  })

  test('[runtime.7.stop-handoff] leaves a session with the work done and the next step', async () => {
    repository.given([open('bd-1')])
    const cwd = repository.worktree('w1')
    await loop(['worker'], { cwd })
    const [row] = trajectory()
    expect(documentAt(join(cwd, '.premath/worker/harness_session.json'))).toMatchObject({
      state: 'stopped',
      stoppedAt: expect.any(String),
      issueId: 'bd-1',
      summary: 'completed: the work was done and verified',
      nextStep: 'claim next ready issue',
      witnessRefs: row.witnessRefs,
      lineageRefs: row.lineageRefs,
    })
  })

  test('[runtime.7.stop-handoff] that is asked to stop releases its issue and hands over', async () => {
    repository.given([open('bd-1'), open('bd-2')])
    const began = join(repository.folder, 'began')
    const commands = ['--work-cmd', `touch '${began}'; sleep 67.5`, '--verify-cmd', 'true']
    const { child, ended } = repository.start(['harness-loop', 'worker', ...commands])
    while (!existsSync(began)) await new Promise(go => setTimeout(go, 20))
    child.kill('SIGTERM')
    expect((await ended).status).toBe(1)
    expect(issue('bd-1')).toMatchObject({ status: 'open' })
    expect(issue('bd-1')).not.toHaveProperty('lease')
    expect(trajectory()).toMatchObject([{ issueId: 'bd-1', resultClass: 'interrupted_by_signal' }])
    const session = documentAt(join(repository.root, '.premath/harness_session.json'))
    expect(session).toMatchObject({ state: 'stopped', issueId: 'bd-1' })
    expect(session.nextStep).toContain('bd-1')
    expect(repository.processes).toEqual([])
  })
})

describe('a coordinator', () => {
  test('[runtime.7.sorted-dispatch] starts workers in the order of their worktrees, however they were named', async () => {
    const paths = ['c', 'a', 'b'].map(name => repository.worktree(name))
    repository.given([open('bd-1'), open('bd-2'), open('bd-3')])
    const named = paths.flatMap(path => ['--worktree', path])
    const run = await loop(['coordinator', ...named], { work: writes })
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
    const { workers } = run.events.find(({ event }) => event === 'run.started')
    expect(workers).toEqual(
      ['a', 'b', 'c'].map((name, at) => ({
        workerId: `worker.${at + 1}`,
        worktree: join(repository.folder, name),
      })),
    )
    // The first pass waits until every worker has booted, so it sends all of them.
    const passes = run.events.filter(({ event }) => event === 'pass').map(({ sent }) => sent)
    expect(passes[0]).toEqual(['worker.1', 'worker.2', 'worker.3'])
    expect(passes).toEqual(passes.map(sent => sent.toSorted()))
  })

  describe('with two workers that hold an issue each before either ends', () => {
    /** Each worker writes down its claim, then waits for the other one. */
    const work = [
      'echo "$PREMATH_ISSUE_ID $PREMATH_LEASE_ID $PREMATH_FENCE" >> "../claim.$PREMATH_WORKER_ID"',
      // Bounded: if both got the same issue, one of them has no turn to claim.
      'for _ in $(seq 500); do test -e ../claim.worker.1 -a -e ../claim.worker.2 && break; sleep 0.02; done',
      writes,
    ].join('; ')
    const together = async () => {
      const paths = ['w1', 'w2'].map(name => repository.worktree(name))
      repository.given([open('bd-1'), open('bd-2')])
      const named = paths.flatMap(path => ['--worktree', path])
      const run = await loop(['coordinator', ...named], { work })
      expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
      return paths.map((path, at) => {
        const workerId = `worker.${at + 1}`
        const claim = readFileSync(join(repository.folder, `claim.${workerId}`), 'utf8')
        return { path, workerId, claim: claim.trimEnd(), issueId: claim.split(' ')[0] ?? '' }
      })
    }

    test('[runtime.7.claim] gives each its own issue, under a lease derived from issue and worker', async () => {
      const workers = await together()
      expect(workers.map(({ issueId }) => issueId).toSorted()).toEqual(['bd-1', 'bd-2'])
      expect(workers.map(({ claim }) => claim)).toEqual(
        workers.map(({ issueId: id }, at) => `${id} lease1_${id}_worker_${at + 1} 1`),
      )
    })

    test('[runtime.7.session-and-feature] has each record its work in its own session and ledger', async () => {
      for (const { path, issueId } of await together()) {
        const own = (name: string) => documentAt(join(path, '.premath/worker', `${name}.json`))
        expect(own('harness_session')).toMatchObject({ state: 'stopped', issueId })
        expect(own('harness_feature_ledger').features).toMatchObject([
          { featureId: issueId, status: 'completed', issueId },
        ])
      }
    })
  })

  test('[runtime.7.ready-each-round] sends a worker to an issue that became ready meanwhile', async () => {
    repository.given([open('bd-1'), waiting('bd-2', 'bd-1')])
    const work = `${writes}; test "$PREMATH_ISSUE_ID" != bd-1 || ${byAnother} issue add 'Found on the way'`
    const run = await loop(['coordinator', '--create-worktrees', '2'], { work })
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
    expect(endOf(run).closed.toSorted()).toEqual(['bd-1', 'bd-2', 'bd-3'])
  })

  test('[runtime.7.diagnostics-each-pass] sends no worker once issues form a cycle', async () => {
    repository.given([open('bd-1'), open('bd-2'), open('bd-3')])
    const circle = join(repository.folder, 'circle')
    const rows = [waiting('bd-8', 'bd-9'), waiting('bd-9', 'bd-8')]
    writeFileSync(circle, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    const run = await loop(['coordinator', '--create-worktrees', '2', '--parallel', '1'], {
      work: `${writes}; cat '${circle}' >> "$PREMATH_ISSUES_PATH"`,
    })
    expect(run.status).toBe(1)
    expect(endOf(run)).toMatchObject({ why: 'cycle', closed: ['bd-1'], left: 4 })
    expect(endOf(run).nextStep).toContain('premath dep diagnostics')
  })

  test('[runtime.7.lineage] gives the same issue, worker and worktree the same lineage in any copy', async () => {
    const copy = new Repository('loop-copy')
    try {
      const lineages = []
      for (const of of [repository, copy]) {
        of.given([open('bd-1'), open('bd-2')])
        // Inside the project, because lineage names a worktree by its path from there.
        const worktree = of.worktree('project/w1')
        await loop(['coordinator', '--worktree', worktree], { of, cwd: of.root, work: writes })
        lineages.push(trajectory(of).map(({ stepId, lineageRefs }) => [stepId, lineageRefs]))
        const session = documentAt(join(worktree, '.premath/worker/harness_session.json'))
        expect(session.lineageRefs).toEqual(trajectory(of).at(-1).lineageRefs)
      }
      expect(lineages[0]).toEqual(lineages[1])
      expect(lineages[0]).toEqual(
        ['bd-1', 'bd-2'].map(id => [
          `worker.1.${id}.1.1`,
          [
            expect.stringMatching(`^cover://worker-loop/${id}/[0-9a-f]{64}$`),
            expect.stringMatching(`^ctx://issue/${id}/[0-9a-f]{64}$`),
            expect.stringMatching(`^refinement://worker-loop/${id}/worker\\.1/[0-9a-f]{64}$`),
          ],
        ]),
      )
    } finally {
      copy.remove()
    }
  })

  test('[runtime.7.projections-no-authority] does the same if every projection is missing or wrong', async () => {
    const copy = new Repository('loop-copy')
    try {
      const rows = [open('bd-1'), open('bd-2'), waiting('bd-3', 'bd-1'), waiting('bd-4', 'bd-3')]
      const done = []
      for (const of of [repository, copy]) {
        of.given(rows)
        const cwd = of.worktree('w1')
        const args = ['coordinator', '--worktree', cwd]
        const setup = { of, cwd: of.root, work: writes }
        const first = await loop([...args, '--max-steps', '2'], setup)
        if (of === copy) forge(of, cwd)
        const second = await loop([...args, '--new-budget'], setup)
        expect([first.status, second.status]).toEqual([0, 0])
        done.push([endOf(first).closed, endOf(second).closed])
      }
      expect(done).toEqual([
        [
          ['bd-1', 'bd-2'],
          ['bd-3', 'bd-4'],
        ],
        [
          ['bd-1', 'bd-2'],
          ['bd-3', 'bd-4'],
        ],
      ])
    } finally {
      copy.remove()
    }
  })
})

/** No session, no trajectory, and a ledger that calls done what is not. */
function forge({ root }: Repository, worktree: string): void {
  const projections = readdirSync(join(root, '.premath')).filter(name =>
    name.startsWith('harness_'),
  )
  for (const name of projections) rmSync(join(root, '.premath', name))
  const folder = join(worktree, '.premath/worker')
  rmSync(join(folder, 'harness_session.json'))
  const path = join(folder, 'harness_feature_ledger.json')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll('bd-1', 'bd-3').replaceAll('bd-2', 'bd-4'))
}

/**
 * The loop, killed at any moment: the coordinator, workers that were started beside it, and the
 * commands of both. Whoever goes on finds what the dead have left by its journal, long before a
 * lease runs out. `SEED=…` draws the same moments again.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Repository, type Running } from './a-git-project.ts'
import { isTorture, seeded, seedOf } from './sim/seeded.ts'

const kills = Number(process.env['TORTURE_LOOP_KILLS'] ?? 3)
const seed = seedOf(process.env)
const chance = seeded(seed)
const repository = new Repository('loop-torture')
const { root, folder } = repository
const pids = join(folder, 'pids')

afterAll(() => repository.remove())

/** Says who it is while it runs: a shell that leads its group. */
const work = [
  `echo $$ > '${pids}/'$$`,
  'sleep 0.1$((PREMATH_FENCE % 8))',
  `echo "$PREMATH_STEP_ID" >> '${folder}/worked'`,
  'echo done > "$PREMATH_ISSUE_ID.txt"',
  `rm '${pids}/'$$`,
].join(' && ')
const verify = `grep -qx "$PREMATH_STEP_ID" '${folder}/worked'`
const commands = ['--work-cmd', work, '--verify-cmd', verify]
const coordinator = ['harness-loop', 'coordinator', '--create-worktrees', '2', ...commands]

const wait = (ms: number) => new Promise(settle => setTimeout(settle, ms))

/** A place in the crowd: whoever is there may be killed, and somebody else takes it. */
class Place {
  readonly #args: readonly string[]
  readonly #cwd: string
  #running: Running | undefined
  /** How those ended that nobody killed. */
  readonly ends: string[] = []

  constructor(args: readonly string[], cwd: string) {
    this.#args = args
    this.#cwd = cwd
  }

  take(): void {
    if (this.#running) return
    const running = repository.start(this.#args, { cwd: this.#cwd })
    this.#running = running
    running.ended.then(({ status, stderr }) => {
      if (status !== null) this.ends.push(`${status} ${stderr}`)
      if (this.#running === running) this.#running = undefined
    })
  }

  /** Kills the running process; false if there was none. */
  async kill(): Promise<boolean> {
    const running = this.#running
    if (!running?.child.kill('SIGKILL')) return false
    return (await running.ended).signal === 'SIGKILL'
  }
}

/** Waits for a command, stops it so that it cannot end by itself, and kills it a moment later. */
async function killCommand(which: number): Promise<boolean> {
  const until = performance.now() + 10 * startMs
  while (performance.now() < until) {
    const ids = runningCommands()
    const id = ids[Math.floor(which * ids.length)]
    if (id !== undefined && signalGroup(id, 'SIGSTOP')) {
      await wait(which * 50)
      return signalGroup(id, 'SIGKILL')
    }
    await wait(2)
  }
  return false
}

/** A command that was ended leaves its file, and its number may be another process's by now. */
function runningCommands(): number[] {
  const names = readdirSync(pids)
  if (names.length === 0) return []
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '-p', names.join()], { encoding: 'utf8' })
  const lines = stdout.split('\n').filter(line => line.includes(pids))
  const alive = lines.map(line => Number.parseInt(line, 10))
  for (const name of names)
    if (!alive.includes(Number(name))) rmSync(join(pids, name), { force: true })
  return alive
}

function signalGroup(id: number, signal: 'SIGSTOP' | 'SIGKILL'): boolean {
  try {
    return process.kill(-id, signal)
  } catch {
    // It ended just now, or with the worker that it was killed with.
    return false
  }
}

/** There was nothing to do, something failed, or somebody was in the way for a moment. */
const mayEnd = /^[014] /

const killed = { coordinator: 0, worker: 0, command: 0 }

/** From the start of a worker to its first command, which depends on the load of the machine. */
let startMs = 0

/** Waits for a command that starts from now on. */
async function timeStart(places: readonly Place[]): Promise<void> {
  for (const place of places) await place.kill()
  for (const name of readdirSync(pids)) rmSync(join(pids, name))
  const began = performance.now()
  for (const place of places) place.take()
  while (readdirSync(pids).length === 0 && openIssues().length > 0) await wait(20)
  startMs = performance.now() - began
}

/** The same draws at every call, whatever is hit. */
async function killOne(places: readonly [Place, ...Place[]]): Promise<void> {
  const [pause, kind, which, absence] = [chance(), chance(), chance(), chance()]
  await wait((0.05 + pause) * startMs)
  const victim = kind < 0.3 ? 'coordinator' : kind < 0.65 ? 'worker' : 'command'
  const at = victim === 'coordinator' ? 0 : 1 + Math.floor(which * (places.length - 1))
  const hit = await (victim === 'command' ? killCommand(which) : places[at]?.kill())
  if (hit) killed[victim]++
  // Now and then one is missing for a while, and others take over what it left.
  const staysAway = absence < 0.3 ? at : undefined
  for (const [index, place] of places.entries()) if (index !== staysAway) place.take()
}

const total = () => killed.coordinator + killed.worker + killed.command

/** How often each kind must be hit, at least. The draws give a multiple of it. */
const leastOfEach = Math.floor(kills / 15)
const isEnough = () => total() >= kills && Math.min(...Object.values(killed)) >= leastOfEach

/** Issues after the first `before`. Some depend on earlier ones. */
function issuesFor(count: number, before = 0) {
  return Array.from({ length: count }, (_, place) => {
    const at = before + place
    return {
      id: `bd-${at + 1}`,
      title: `Issue ${at + 1}`,
      dependencies: [1, 2]
        .filter(() => at > 4 && chance() < 0.4)
        .map(() => `bd-${1 + Math.floor(chance() * at)}`)
        .filter((id, index, all) => all.indexOf(id) === index)
        .map(id => ({ issue_id: `bd-${at + 1}`, depends_on_id: id, type: 'blocks' })),
    }
  })
}

const batch = isTorture ? 40 : 14

/** How much is done between two kills depends on the machine, so issues are added as they run out. */
async function addIssues(): Promise<void> {
  const rows = issuesFor(batch, lastRows().size)
  const file = join(folder, 'more.jsonl')
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const { status, stderr } = await repository.run(['issue', 'import', file])
  // A worker holds the lock of issue memory for a moment, or has just added an issue of the same id.
  const isLater = status === 4 || stderr.includes('issue_import_conflict')
  if (!isLater) expect([status, stderr]).toEqual([0, expect.anything()])
}

/** A run skips failed issues, so several runs may be needed. None waits for a lease. */
const runsMax = 5

async function finish(): Promise<void> {
  // Once in any case: whoever was killed last cleared up nothing.
  for (let run = 1; run === 1 || openIssues().length > 0; run++) {
    const { stdout, stderr } = await repository.run(coordinator)
    const end = { left: openIssues(), stdout: stdout.slice(-2_000), stderr }
    if (run === runsMax) expect(end).toMatchObject({ left: [] })
  }
}

const lastRows = () => new Map(repository.rows('issues.jsonl').map(row => [row.id, row]))
const openIssues = () => [...lastRows().values()].filter(({ status }) => status !== 'closed')

function mustBeClosedOnce(ids: readonly string[]): void {
  const memory = repository.rows('issues.jsonl')
  for (const id of ids) {
    const states = memory.filter(row => row.id === id).map(({ status = 'open' }) => status)
    const closings = states.filter((state, at) => state === 'closed' && states[at - 1] !== state)
    expect({ id, closings: closings.length }).toEqual({ id, closings: 1 })
  }
}

/** Every acquisition was somebody's step, and each is reported once. */
function mustBeToldOnce(ids: readonly string[]): void {
  const rows = repository.rows('harness_trajectory.jsonl')
  const stepIds: string[] = rows.map(({ stepId }) => stepId)
  expect(stepIds).toEqual([...new Set(stepIds)])
  const acquired = repository
    .rows('issues.jsonl')
    .filter(({ lease }) => lease)
    .map(({ id, lease, metadata }) => `${lease.owner}.${id}.${metadata.premathFence}.1`)
  expect([...new Set(acquired)].filter(id => !stepIds.includes(id))).toEqual([])
  const completed = rows.filter(({ resultClass }) => resultClass === 'completed')
  expect(completed.map(({ issueId }) => issueId).sort()).toEqual([...ids].sort())
}

function mustLeaveNothing(own: readonly string[]): void {
  expect(repository.worktrees).toEqual([root, ...own])
  // A worker beside the coordinator closes without landing. The branch of the issue then has work of
  // an attempt that was killed.
  const landed = [...lastRows().values()].filter(({ metadata }) => metadata?.premathClose?.target)
  const ofLanded = new Set(landed.map(({ id }) => `premath/${id}`))
  expect(repository.branches.filter(name => ofLanded.has(name))).toEqual([])
  const namesIn = (path: string) => readdirSync(join(root, '.premath', path))
  // A lock file that nobody holds does no harm, and removing one would.
  expect(namesIn('worktrees').filter(name => !/^\.gitignore$|\.lock$/.test(name))).toEqual([])
  expect(namesIn('steps').filter(name => name.endsWith('.jsonl'))).toEqual([])
  expect(repository.processes).toEqual([])
  const { status, json } = repository.asked('doctor')
  expect({ status, findings: json.findings }).toEqual({ status: 0, findings: [] })
}

test(`a loop killed ${kills} times closes each issue once and leaves nothing behind (seed ${seed})`, async () => {
  mkdirSync(pids)
  repository.given(issuesFor(batch))
  const worktrees = ['w1', 'w2', 'w3'].map(name => repository.worktree(name))
  const worker = ['harness-loop', 'worker', ...commands]
  const places: [Place, ...Place[]] = [
    new Place(coordinator, root),
    ...worktrees.map(path => new Place(worker, path)),
  ]
  for (let round = 0; !isEnough(); round++) {
    if (openIssues().length < batch / 2) await addIssues()
    if (round % 20 === 0) await timeStart(places)
    await killOne(places)
  }
  // No process is left to clean up until the next start.
  await Promise.all(places.map(place => place.kill()))
  for (const { ends } of places) expect(ends.filter(end => !mayEnd.test(end))).toEqual([])
  await finish()
  const ids = [...lastRows().keys()]
  mustBeClosedOnce(ids)
  mustBeToldOnce(ids)
  mustLeaveNothing(worktrees)
}, 3_600_000)

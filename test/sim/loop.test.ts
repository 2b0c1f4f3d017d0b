/**
 * Fifty workers on a machine that kills, pauses and sets its clock as it likes. Which call comes
 * next, and what goes wrong when, all comes from the seed.
 */
import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { Fault } from '../../src/fault.ts'
import { FileIssueStore } from '../../src/store/file/file-issue-store.ts'
import { TrajectoryLog } from '../../src/store/trajectory/trajectory-log.ts'
import { SimDisk } from '../../src/testing/sim-disk.ts'
import { SimProcesses } from '../../src/testing/sim-processes.ts'
import { simWorld } from '../../src/testing/sim-world.ts'
import type { StepRow } from '../../src/wire/harness/step-row.ts'
import { evidence } from '../a-turn.ts'
import { checkedOperations } from '../checked-answers.ts'
import { countsOf, replayed, verdictIn } from './loop-replay.ts'
import { LoopRun } from './loop-run.ts'
import {
  issuesPath,
  LoopSimulation,
  policyFiles,
  type SimulationSize,
  trajectoryPath,
} from './loop-simulation.ts'
import { Machine } from './machine.ts'
import { Program } from './program.ts'
import { isTorture, seeded, seedOf } from './seeded.ts'

const small = { issues: 100, coordinators: 2, workers: 5, alone: 2, strikes: 30 }
const full = {
  issues: isTorture ? 2_000 : 150,
  coordinators: 4,
  workers: 12,
  alone: 2,
  strikes: 50,
}

/** A call that was answered, and nobody knows what became of the answer. */
const openTurn = `${JSON.stringify({ evidence: { ...evidence(['tc-1']), toolUse: [] } })}\n`

async function simulated(seed: number, size: SimulationSize): Promise<LoopSimulation> {
  const simulation = new LoopSimulation(seed, size, openTurn)
  await simulation.run()
  return simulation
}

async function trajectoryOf({ disk }: LoopSimulation) {
  const log = new TrajectoryLog({ disk, path: trajectoryPath })
  const rows: StepRow[] = []
  const { bad } = await log.gather({ mode: 'latest' }, () => ({ take: row => void rows.push(row) }))
  return { rows, bad: bad.count }
}

/** The properties of every simulation. */
async function check(simulation: LoopSimulation): Promise<void> {
  await checkIssues(simulation)
  await checkTrajectory(simulation)
  checkEnds(simulation)
  await checkFiles(simulation)
}

async function checkIssues({ watch, work, machine, disk }: LoopSimulation): Promise<void> {
  const { seedText } = machine
  expect(watch.broken, seedText).toEqual([])
  const often = [...watch.closings].filter(([, times]) => times !== 1)
  expect(often, seedText).toEqual([])
  const open = [...work.closable].filter(id => !watch.closings.has(id))
  expect(open, seedText).toEqual([])
  const beyond = work.planned.filter(id => watch.closings.has(id) && !work.closable.has(id))
  expect(beyond, seedText).toEqual([])

  const memory = await new FileIssueStore({ path: issuesPath, disk, clock: machine }).read()
  const closed = memory.all().filter(({ status }) => status === 'closed')
  expect(closed.map(({ id }) => id).sort(), seedText).toEqual([...watch.closings.keys()].sort())
}

async function checkTrajectory(simulation: LoopSimulation): Promise<void> {
  const { watch, machine, runs, struck, begun } = simulation
  const { seedText } = machine
  const { rows, bad } = await trajectoryOf(simulation)
  const byId = new Map(rows.map(row => [row.stepId, row]))
  expect(byId.size, seedText).toBe(rows.length)
  expect(
    [...begun].filter(stepId => !byId.has(stepId)),
    seedText,
  ).toEqual([])
  // A line that was cut off is no row, and nothing else is wrong with the file.
  expect(bad, seedText).toBeLessThanOrEqual(struck.get('killed in a write') ?? 0)
  const completed = rows.filter(row => verdictIn(row) === 'closed')
  expect(completed.map(({ issueId }) => issueId).sort(), seedText).toEqual(
    [...watch.closings.keys()].sort(),
  )
  for (const { end, events, group } of runs) {
    if (!end) continue
    expect(replayed(events, byId), `${group.name} ${seedText}`).toEqual(countsOf(end))
  }
  const heard = new Map<string, string>()
  for (const event of runs.flatMap(({ events }) => events)) {
    if (event.event !== 'attempt.ended' && event.event !== 'recovered') continue
    heard.set(event.stepId, event.resultClass)
  }
  const wrong = [...heard].filter(([id, result]) => byId.get(id)?.resultClass !== result)
  expect(wrong, seedText).toEqual([])
  // A killed program may not have reported its last steps.
  const killed = runs.filter(({ program }) => !program.isAlive)
  const mute = new Set(killed.flatMap(({ group }) => [group.name, ...group.workers]))
  const unheard = rows.filter(({ stepId }) => !heard.has(stepId))
  expect(
    unheard.filter(({ workerId = '' }) => !mute.has(workerId)),
    seedText,
  ).toEqual([])
}

function checkEnds({ runs, machine }: LoopSimulation): void {
  const { seedText } = machine
  for (const { group, program, failure, end } of runs) {
    const who = `${group.name} ${seedText}`
    expect(program.isAlive && program.lateCalls, `left at work by ${who}`).toBeFalsy()
    // The disk may fail, and a program that was paused hold a lock for long. Nothing else goes wrong.
    if (failure !== undefined) expect(failure, who).toBeInstanceOf(Fault)
    if (failure instanceof Fault) expect(['conflict', 'unavailable'], who).toContain(failure.code)
    for (const { code } of end?.exits ?? []) expect([3, 4], who).toContain(code)
  }
  expect(runs.at(-1)?.end, seedText).toMatchObject({ exits: [], interrupted: 0 })
  expect(['idle', 'done'], seedText).toContain(runs.at(-1)?.end?.summary.why)
}

async function checkFiles(simulation: LoopSimulation): Promise<void> {
  const { disk, machine } = simulation
  const journals = disk.namesIn('/p/.premath/steps').filter(name => name.endsWith('.jsonl'))
  expect(journals, machine.seedText).toEqual([])
  await runs(simulation, 'issue', 'check')
  await runs(simulation, 'dep', 'diagnostics')
  // A line that was cut off stays, and the doctor says so.
  if ((await trajectoryOf(simulation)).bad === 0) await runs(simulation, 'doctor')
}

/** A command that has nothing to complain of. */
async function runs({ disk, machine }: LoopSimulation, ...words: string[]): Promise<void> {
  const clock = { now: () => machine.now(), steady: () => machine.steady(), sleep: async () => {} }
  const world = simWorld({ disk, clock, cwd: '/p' })
  const exit = await runCommand([...words, '--json'], checkedOperations, world)
  expect(exit, `${words.join(' ')} ${machine.seedText}: ${world.printed.out}`).toBe(0)
}

/**
 * Loads the modules that are imported when they are needed. A first simulation would go on while
 * they load, which takes real time, and its seed would not give the same schedule again.
 */
beforeAll(async () => {
  await simulated(1, { issues: 10, coordinators: 1, workers: 2, alone: 1, strikes: 0 })
})

const seed = seedOf(process.env)
const rounds = Number(process.env['SEEDS'] ?? (isTorture ? 5 : 1))
const seedsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, round) => first + round)

test.each(seedsFrom(seed, isTorture ? 3 * rounds : 1))(
  'a dozen workers close each closable issue once, under any faults (SEED=%i)',
  async own => await check(await simulated(own, small)),
)

test.each(seedsFrom(seed, rounds))(
  `fifty workers close ${full.issues} issues, each once, and record each once (SEED=%i)`,
  async own => {
    const simulation = await simulated(own, full)
    await check(simulation)
    const { struck, watch, machine } = simulation
    // Otherwise the machine was not hostile.
    expect(watch.takeovers, machine.seedText).toBeGreaterThan(2)
    expect(struck.get('killed'), machine.seedText).toBeGreaterThan(0)
    expect(struck.get('paused'), machine.seedText).toBeGreaterThan(0)
  },
  // A limit ends a simulation that hangs. A busy machine must not reach it.
  3_600_000,
)

test(`the same seed gives the same schedule, to the byte (SEED=${seed})`, async () => {
  const few = { ...small, issues: 60 }
  const [first, second] = [await simulated(seed, few), await simulated(seed, few)]
  expect(second.machine.turns).toBe(first.machine.turns)
  for (const path of [trajectoryPath, issuesPath]) {
    expect(Buffer.compare(bytesAt(first, path), bytesAt(second, path))).toBe(0)
  }
})

test('a failing run waits for its active workers', async () => {
  const machine = new Machine(seeded(1), 'SEED=1')
  const files = { [issuesPath]: '{"id":"bd-1","title":"One"}\n', ...policyFiles }
  const disk = new SimDisk({ files: { ...files, '/p/trees/w.1/a': '', '/p/trees/w.2/a': '' } })
  const script = () => ({ until: machine.sleep(60_000) })
  const processes = new SimProcesses({ disk, script })
  let faults = 0
  const fault = (what: string, path: string) =>
    processes.started.length === 1 && what === 'open' && path === issuesPath && faults++ === 0
      ? 'EIO'
      : undefined
  const calls = { appended: () => {}, died: () => {}, fault } as const
  const program = new Program({ machine, disk, processes, ...calls })
  const group = { mode: 'coordinator', name: 'c', workers: ['w.1', 'w.2'] } as const
  const run = new LoopRun(group, program, { change: undefined })
  void run.live()
  await machine.run(
    () => run.isOver,
    () => {},
    100_000,
  )
  // The fault hit the check on behalf of waiting workers.
  expect([faults > 0, run.failure]).toEqual([true, undefined])
  expect(run.end).toMatchObject({ summary: { why: 'failed' }, exits: [{ code: 3 }] })
  const memory = await new FileIssueStore({ path: issuesPath, disk, clock: machine }).read()
  expect(memory.get('bd-1')?.status).toBe('closed')
})

const bytesAt = ({ disk }: LoopSimulation, path: string) => disk.contentOf(path) ?? new Uint8Array()

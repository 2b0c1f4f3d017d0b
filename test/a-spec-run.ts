/** Runs the cases of documents in memory and returns their outcomes. */
import { caseProblems } from '../src/kernel/spec/case/check-case.ts'
import { chainGraph } from '../src/kernel/spec/chain/chain-graph.ts'
import type { CaseOutcome } from '../src/runner/case-outcome.ts'
import { caseHarnesses, caseTypes, isExecutable } from '../src/runner/cases/index.ts'
import { loadDocuments, withChained } from '../src/runner/load-documents.ts'
import { type RunPlan, runPlan } from '../src/runner/run-plan.ts'
import { SpecRun } from '../src/runner/spec-run.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../src/testing/sim-processes.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import type { Clock, CommandSpec, World } from '../src/world/world.ts'

export interface SpecRunSetup extends Pick<RunPlan, 'repeat' | 'retry' | 'onOutcome' | 'judge'> {
  readonly links?: Readonly<Record<string, string>>
  readonly env?: World['env']
  /** Stands still by default, so that no budget runs out while a test is slow. */
  readonly clock?: Clock
  readonly jobs?: number
  readonly failFast?: boolean
  /** As with `spec run --write`. */
  readonly writes?: boolean
  /** Stops the run, as with Ctrl-C, after the case with this id. */
  readonly stopAfter?: string
  readonly script?: (command: CommandSpec, disk: SimDisk) => SimScript | undefined
}

export const block = (...lines: readonly string[]) =>
  ['```yaml spec-test', ...lines, '```', ''].join('\n')

/** Files by path below `/r`, the contract root; the cases of all `*.spec.md` in `/r` are run. */
export async function aSpecRun(files: Readonly<Record<string, string>>, setup: SpecRunSetup = {}) {
  const placed = Object.entries(files).map(([path, text]) => [`/r/${path}`, text])
  const disk = new SimDisk({
    files: { '/r/.git/HEAD': '', '/outside.txt': 'outside', ...Object.fromEntries(placed) },
    links: setup.links ?? {},
  })
  const { script } = setup
  const processes = new SimProcesses({
    disk,
    ...(script && { script: command => script(command, disk) }),
  })
  const clock = setup.clock ?? { now: () => 0n, steady: () => 0n, sleep: async () => {} }
  const env = setup.env ?? {}
  const world = simWorld({ disk, processes, clock, env, cwd: '/r' })
  const names = Object.keys(files).filter(path => /^[^/]+\.spec\.md$/.test(path))
  const asked = await loadDocuments(names.sort(), undefined, world)
  const documents = await withChained(asked, world)
  const graph = chainGraph(documents, {
    isExecutable,
  })
  const run = new SpecRun({
    world,
    documents,
    graph,
    problemsOf: raw => [...caseProblems(raw, caseTypes), ...graph.problemsOf(raw)],
    harnesses: caseHarnesses,
    capabilities: new Set(),
    writes: setup.writes,
    repeat: setup.repeat,
  })
  const cases = asked.flatMap(document => document.cases).filter(isExecutable)
  const { jobs = 2, failFast = false, repeat, retry, judge } = setup
  const onOutcome: RunPlan['onOutcome'] = (raw, outcome) => {
    setup.onOutcome?.(raw, outcome)
    if (raw.id === setup.stopAfter) processes.signal('SIGINT')
  }
  const outcomes = await runPlan(run, {
    ...{ cases, jobs, failFast, repeat, retry, onOutcome },
    ...(judge && { judge }),
  })
  run.close()
  return { outcomes, started: processes.started, disk }
}

/** By id: the status, or the message of a failure. */
export async function verdicts(
  files: Readonly<Record<string, string>>,
  setup?: SpecRunSetup,
): Promise<Readonly<Record<string, string>>> {
  const { outcomes } = await aSpecRun(files, setup)
  return Object.fromEntries(outcomes.map(({ raw, outcome }) => [raw.id, resultOf(outcome)]))
}

const resultOf = (outcome: CaseOutcome | undefined) =>
  outcome === undefined
    ? 'not run'
    : outcome.failure
      ? `${outcome.failure.category}: ${outcome.failure.message}`
      : outcome.status

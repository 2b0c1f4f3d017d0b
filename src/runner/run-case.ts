/** Runs one case of any type: check, compile, chain, effect, verdict. */
import { Fault } from '../fault.ts'
import type { AssertRoot } from '../kernel/spec/assert/assert-tree.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import { type Chain, chainOf } from '../kernel/spec/chain/chain.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import { fillCase } from '../kernel/spec/template/fill-templates.ts'
import { type CaseFailure, type CaseOutcome, nothingExported } from './case-outcome.ts'
import type { CaseRecord } from './case-record.ts'
import {
  type CaseHarness,
  isSpecErrorOf,
  type ReadyCase,
  type Subjects,
} from './cases/case-harness.ts'
import { contextOf, type ExecutionContext, templateValues } from './execution-context.ts'
import { Masking } from './masking.ts'
import { observation, ResolvedSubjects } from './observation.ts'
import type { PreparedCase } from './prepared-case.ts'
import type { Round } from './round.ts'
import { runAssertionsWithContext } from './run-assertions.ts'
import { type ChainRun, noChain, runChain } from './run-chain.ts'
import type { SpecRun } from './spec-run.ts'
import { lent, OwnFolder, type TemporaryFolder } from './temporary-folder.ts'

export async function runCase(raw: RawCase, round: Round): Promise<CaseOutcome> {
  const record = round.run.newRecord()
  const outcome = hidden(await runChecked(raw, round, record), round.run)
  if (record === undefined) return outcome
  round.run.recorded(raw, record.end())
  return { ...outcome, record }
}

/** What a case exports stays as it is, for the cases that use it. */
function hidden(outcome: CaseOutcome, { secrets }: SpecRun): CaseOutcome {
  const { failure, warnings } = outcome
  if (secrets.isEmpty) return outcome
  return {
    ...outcome,
    ...(failure && { failure: secrets.json(failure) }),
    warnings: secrets.json(warnings),
  }
}

async function runChecked(
  raw: RawCase,
  round: Round,
  record: CaseRecord | undefined,
): Promise<CaseOutcome> {
  const { run } = round
  const prepared = await run.prepared.of(raw, run)
  if (isSpecErrorOf(prepared)) return failed(prepared)
  const ownChain = chainOf(raw)
  const folder = folderFor(ownChain, round)
  record?.enter('chainMs')
  const chain = ownChain ? await runChain(raw, ownChain, { round, folder, record }) : noChain
  // A shared folder is removed even if the case itself does not run.
  return await run.keys.holding(chain.failure ? [] : run.locksOf(raw), async () =>
    withoutFaults(async () => {
      try {
        if (chain.failure) return failed(chain.failure, chain)
        if (run.stopped) return notStarted
        const own = { chain, temporaryFolder: folder, record }
        return await runAlone(raw, prepared, contextOf(raw, prepared.setting, run, own))
      } finally {
        await folder.remove()
      }
    }, chain),
  )
}

/** Its own, that of its chain, or that of a chain it belongs to. */
function folderFor(chain: Chain | undefined, { folder, run }: Round): TemporaryFolder {
  return folder ? lent(folder) : new OwnFolder(run.world, chain?.shareFolder === true)
}

async function runAlone(
  raw: RawCase,
  prepared: PreparedCase,
  context: ExecutionContext,
): Promise<CaseOutcome> {
  const began = context.now()
  context.record?.enter('effectsMs')
  const outcome = await withoutFaults(() => runFilled(raw, prepared, context), context.chain)
  return { ...outcome, durationMs: context.now() - began }
}

async function runFilled(
  raw: RawCase,
  prepared: PreparedCase,
  context: ExecutionContext,
): Promise<CaseOutcome> {
  const { chain, run } = context
  const { root } = prepared
  const harness = run.harnesses.get(raw.type)
  if (harness === undefined) return failed(unknownType(raw.type), chain)
  const value = prepared.isFixed
    ? raw.value
    : fillCase(raw.value, templateValues(context), harness.fills)
  if (isSpecErrorOf(value)) return failed(value, chain)
  const masking = new Masking(value, context)
  const refused = masking.check()
  if (refused !== undefined) return failed(refused, chain)
  const plan = planOf(value, harness, prepared, context)
  if (isSpecErrorOf(plan)) return failed(plan, chain)
  const ready: ReadyCase = { raw, value, plan }
  const subjects = await harness.run(ready, context)
  if (isSpecErrorOf(subjects)) return failed(subjects, chain)
  context.record?.enter('assertionsMs')
  const resolved = new ResolvedSubjects(subjects, masking, context)
  const verdict = await runAssertionsWithContext(ready, root, subjects, resolved, context)
  if (run.observer) await run.observer(raw, await observation(root, subjects, resolved, context))
  const { evaluated, warnings } = verdict
  const wanted = run.wantedOf(raw)
  const failure = verdict.failure && (subjects.explain?.(verdict.failure) ?? verdict.failure)
  return {
    status: failure ? 'fail' : 'pass',
    ...(failure && { failure: noted(failure, subjects) }),
    evaluated: evaluated + (subjects.evaluated ?? 0),
    warnings: [...warnings, ...overlookedIn(root, subjects)],
    trace: chain.trace,
    durationMs: 0,
    exported: wanted === undefined ? nothingExported : await exportedOf(wanted, resolved),
  }
}

function planOf(
  value: ReadyCase['value'],
  harness: CaseHarness,
  prepared: PreparedCase,
  context: ExecutionContext,
): object | SpecError {
  if (!prepared.isFixed) return harness.plan?.(value, context) ?? noPlan
  prepared.plan ??= harness.plan?.(value, context) ?? noPlan
  return prepared.plan
}

const noPlan = {}

function overlookedIn(root: AssertRoot, { overlooked }: Subjects): readonly string[] {
  if (overlooked === undefined) return []
  return overlooked.targets.some(target => root.subjects.has(target)) ? [] : [overlooked.message]
}

/** Only a failed assertion has to do with what ran. */
const noted = (failure: CaseFailure, { note }: Subjects): CaseFailure =>
  note === undefined || failure.category === 'schema'
    ? failure
    : { ...failure, message: `${failure.message}\n${note()}` }

/** Read while the temporary folder still exists. */
async function exportedOf(
  targets: Iterable<string>,
  subjects: ResolvedSubjects,
): Promise<CaseOutcome['exported']> {
  const exported = new Map<string, Subject>()
  for (const target of targets) exported.set(target, await subjects.unmasked(target))
  return exported
}

/** A fault of the machine fails this case; the others continue. */
async function withoutFaults(
  act: () => Promise<CaseOutcome>,
  chain: ChainRun,
): Promise<CaseOutcome> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { message, hint } = error
    return failed({ category: 'runtime', message, ...(hint !== undefined && { hint }) }, chain)
  }
}

function failed(failure: CaseFailure, { trace }: ChainRun = noChain): CaseOutcome {
  return {
    status: 'fail',
    failure,
    evaluated: 0,
    warnings: [],
    trace,
    durationMs: 0,
    exported: nothingExported,
  }
}

/** The outcome of a case that had not started when the run was stopped. */
export const notStarted: CaseOutcome = failed({
  category: 'runtime',
  message: 'not started: the run was stopped',
  stopped: true,
})

const unknownType = (type: string): SpecError => ({
  category: 'runtime',
  message: `unknown spec-test type: ${type}`,
  path: 'type',
})

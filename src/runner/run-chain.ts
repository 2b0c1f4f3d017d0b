/** Runs the cases a case needs, each once per round, and collects their exports. */
import { isSubjectError } from '../kernel/spec/assert/subject.ts'
import type { Chain, ChainExport, ChainStep } from '../kernel/spec/chain/chain.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import { valueAt } from '../kernel/spec/template/fill-templates.ts'
import type { CaseFailure, CaseOutcome } from './case-outcome.ts'
import type { CaseRecord } from './case-record.ts'
import type { Round } from './round.ts'
import type { SpecRun } from './spec-run.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

/** One case that a chain ran. */
export interface TraceRow {
  readonly step_id: string
  readonly ref_case_id: string
  /** Relative to the contract root. */
  readonly ref_doc_path: string
  readonly status: CaseOutcome['status']
}

/** Exported values by step and name. */
type ChainState = ReadonlyMap<string, ReadonlyMap<string, SpecValue>>

export interface ChainRun {
  /** Exports visible to this case only. */
  readonly state: ChainState
  readonly trace: readonly TraceRow[]
  /** Why the case itself does not run. */
  readonly failure?: CaseFailure
}

export const noChain: ChainRun = { state: new Map(), trace: [] }

/** Runs steps in order, and the cases of each step in order. */
interface ChainSetting {
  /** The round of the case itself. */
  readonly round: Round
  /** The folder of the case, which its chain may share. */
  readonly folder: TemporaryFolder
  readonly record: CaseRecord | undefined
}

export async function runChain(
  raw: RawCase,
  chain: Chain,
  { round, folder, record }: ChainSetting,
): Promise<ChainRun> {
  const state = new Map<string, ReadonlyMap<string, SpecValue>>()
  const trace: TraceRow[] = []
  const { run } = round
  const within = chain.shareFolder ? roundIn(folder, round) : round.apart
  for (const { step, cases } of run.graph.stepsOf(raw)) {
    const taken = new Map<string, SpecValue>()
    state.set(step.id, taken)
    for (const needed of cases) {
      const began = record && run.now()
      const outcome = await within.once(needed)
      const row = rowOf(step, needed, outcome, run)
      trace.push(row)
      if (began !== undefined) record?.chainRan(row, run.now() - began)
      const failure = failureOf(step, needed, outcome) ?? take(step, outcome, taken)
      if (failure === undefined) continue
      taken.clear()
      if (chain.failFast && !step.allowContinue) return { state, trace, failure }
    }
  }
  return { state, trace }
}

/** A chain within a chain that shares its folder uses the same one. */
const roundIn = (folder: TemporaryFolder, round: Round) =>
  round.folder ? round : round.sharing(folder)

const rowOf = (step: ChainStep, needed: RawCase, { status }: CaseOutcome, run: SpecRun) => ({
  step_id: step.id,
  ref_case_id: needed.id,
  ref_doc_path: run.documentOf(needed).path,
  status,
})

/** The message of the inner case, with the path of steps that led to it. */
function failureOf(
  step: ChainStep,
  needed: RawCase,
  outcome: CaseOutcome,
): CaseFailure | undefined {
  const { failure } = outcome
  if (failure === undefined) return undefined
  const where = `chain step ${step.id} (${needed.file}#${needed.id})`
  const message = `${where} failed: ${failure.message}`
  const { category, hint, stopped } = failure
  const details = { category, message, ...(hint !== undefined && { hint }) }
  return { ...details, path: `${step.at}.ref`, ...(stopped && { stopped }) }
}

function take(
  step: ChainStep,
  { exported }: CaseOutcome,
  into: Map<string, SpecValue>,
): SpecError | undefined {
  for (const one of step.exports) {
    const found = exportedValue(one, exported)
    if (typeof found === 'object' && found !== null && 'why' in found) {
      if (!one.required) continue
      const path = `${step.at}.exports.${one.name}`
      const message = `chain step ${step.id} does not export ${one.name}: ${found.why}`
      return { category: found.category ?? 'schema', message, path }
    }
    into.set(one.name, found)
  }
  return undefined
}

interface NoExport {
  readonly why: string
  /** Set if the failure is not the author's mistake. */
  readonly category?: 'runtime'
}

function exportedValue(
  { fromTarget, path }: ChainExport,
  exported: CaseOutcome['exported'],
): SpecValue | NoExport {
  const subject = exported.get(fromTarget)
  if (subject === undefined) return { why: `the case has no target ${fromTarget}` }
  if (isSubjectError(subject)) {
    const { category, message: why } = subject
    return { why, ...(category === 'runtime' && { category }) }
  }
  const value = valueAt(subject.value, path)
  return (
    value ?? (value === null ? null : { why: `${fromTarget} has no value at ${path.join('.')}` })
  )
}

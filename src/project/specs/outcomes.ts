/** Runs the cases that a command is about. */
import { Fault } from '../../fault.ts'
import {
  declaredCapabilities,
  ownImplementation,
  ramdaCapabilities,
  textsIn,
} from '../../kernel/spec/case/requires.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import type { Recording } from '../../runner/case-record.ts'
import { caseHarnesses, isExecutable } from '../../runner/cases/index.ts'
import { judgedByExpect } from '../../runner/expectation.ts'
import type { Observer } from '../../runner/observation.ts'
import { type Offer, unmetRequirement } from '../../runner/requires-gate.ts'
import { type PlannedOutcome, type RunPlan, runPlan } from '../../runner/run-plan.ts'
import { SpecRun } from '../../runner/spec-run.ts'
import type { OperationContext } from '../context.ts'
import { isUnreadable, type SpecInput } from './spec-input.ts'

/** The cases of a run, chosen among those that were read. */
export interface ChosenSpecs {
  readonly specs: SpecInput
  /** The cases to run. */
  readonly cases: readonly RawCase[]
  /** The cases to choose from. */
  readonly all: readonly RawCase[]
  readonly readingMs: number
  /** The message if nothing runs. */
  readonly idle?: string
  /** A note about the choice. */
  readonly message?: string
  /** Why they are run again. */
  readonly changed?: readonly string[]
}

interface RunRequest extends Pick<RunPlan, 'repeat' | 'retry'> {
  /** Report outcomes as they are, whatever the cases expect. */
  readonly ignoresExpect?: boolean
  readonly cases: readonly RawCase[]
  readonly offer: Offer
  readonly jobs: number | undefined
  readonly failFast: boolean
  /** Callbacks per case. */
  readonly watch?: Pick<RunPlan, 'onBegin' | 'onOutcome'>
  readonly recording?: Recording | undefined
  /** Whether cases may write files of the contract root. */
  readonly writes?: boolean
  readonly observer?: Observer
  /** Values of `{{var.name}}`. */
  readonly variables?: ReadonlyMap<string, string> | undefined
  /** Ends running cases and starts no others. */
  readonly signal?: AbortSignal | undefined
}

export interface SpecOutcomes {
  readonly outcomes: readonly PlannedOutcome[]
  readonly durationMs: number
  /** True if the run was stopped early. */
  readonly interrupted: boolean
  /** Durations of all cases, prerequisites included, if recorded. */
  readonly times: SpecRun['times']
  /** Contract paths of the files that cases wrote, sorted. */
  readonly written: readonly string[]
}

/** This implementation and its capabilities. */
export const ownOffer: Offer = {
  implementation: ownImplementation,
  capabilities: new Set([...declaredCapabilities, ...ramdaCapabilities]),
}

/** The caller closes it. */
export function openRun(
  { documents, graph, problemsOf }: SpecInput,
  {
    offer,
    observer,
    recording,
    variables,
    writes,
    repeat,
  }: Pick<RunRequest, 'offer' | 'observer' | 'recording' | 'variables' | 'writes' | 'repeat'>,
  context: OperationContext,
): SpecRun {
  return new SpecRun({
    world: context,
    documents,
    graph,
    problemsOf,
    harnesses: caseHarnesses,
    capabilities: offer.capabilities,
    recording,
    observer,
    variables,
    secrets: context.secrets,
    writes,
    repeat,
  })
}

export async function runSpecs(
  specs: SpecInput,
  request: RunRequest,
  context: OperationContext,
): Promise<SpecOutcomes> {
  const {
    offer,
    jobs,
    ignoresExpect,
    watch,
    recording: _recording,
    observer: _observer,
    variables: _variables,
    writes: _writes,
    signal,
    ...plan
  } = request
  const run = openRun(specs, request, context)
  const stop = () => run.stop()
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    const began = run.now()
    const outcomes = await runPlan(run, {
      ...plan,
      jobs: jobs ?? context.cores(),
      instead: raw => unmetRequirement(raw, offer),
      ...(!ignoresExpect && {
        judge: (raw, outcome) => judgedByExpect(raw, outcome, offer.implementation),
      }),
      ...watch,
    })
    const { interrupted, times } = run
    const written = [...new Set(run.written)].sort()
    return { outcomes, durationMs: run.now() - began, interrupted, times, written }
  } finally {
    signal?.removeEventListener('abort', stop)
    run.close()
  }
}

/** A library is only read. */
export const executable = (cases: readonly RawCase[]): readonly RawCase[] =>
  cases.filter(isExecutable)

export interface Choice {
  /** A substring of the case's id or title, or of the document's path. */
  readonly filter: string | undefined
  /** Cases with one of these tags; all cases if the list is empty. */
  readonly tag: readonly string[]
}

export function chosen(specs: SpecInput, choice: Choice): readonly RawCase[] {
  const found = matchingCases(specs, choice)
  const isAsked = choice.filter !== undefined || choice.tag.length > 0
  const cases = executable(specs.cases)
  // An unreadable document is reported and may contain the requested cases.
  if (found.length > 0 || !isAsked || (cases.length === 0 && isUnreadable(specs))) return found
  throw nothingChosen(cases, choice)
}

/** The same, but the result may be empty. */
export function matchingCases(specs: SpecInput, { filter, tag }: Choice): readonly RawCase[] {
  const wanted = filter?.toLowerCase()
  return executable(specs.cases).filter(raw => {
    const names = [raw.id, raw.file, String(raw.value.get('title') ?? '')]
    const isNamed = wanted === undefined || names.some(name => name.toLowerCase().includes(wanted))
    return (
      isNamed && (tag.length === 0 || textsIn(raw.value, 'tags').some(one => tag.includes(one)))
    )
  })
}

/** A typing error must not look like a suite that passes. */
function nothingChosen(cases: readonly RawCase[], { filter, tag }: Choice): Fault {
  const flags = [
    ...(filter === undefined ? [] : [`--filter ${JSON.stringify(filter)}`]),
    ...tag.map(one => `--tag ${JSON.stringify(one)}`),
  ]
  const tags = [...new Set(cases.flatMap(({ value }) => textsIn(value, 'tags')))].sort()
  const meant = tag.map(one => nearest(one, tags)).find(Boolean)
  if (cases.length === 0) {
    return new Fault('usage', `there is no case that could fit ${flags.join(' ')}`, {
      hint: 'Name the folder or the documents where your specs are.',
    })
  }
  return new Fault('usage', `none of ${cases.length} cases fits ${flags.join(' ')}`, {
    hint: meant ? `Did you mean --tag ${meant}?` : 'premath spec list shows ids, titles and tags.',
  })
}

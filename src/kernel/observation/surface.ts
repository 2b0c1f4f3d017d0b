/** Puts the surface together: the state, and whether a person should look. */
import {
  type Coherence,
  type HarnessView,
  type InstructionRow,
  type ObservationSurface,
  surfaceKind,
} from '../../wire/observation/surface.ts'
import { canonicalJson } from '../canonical.ts'
import type { Json } from '../json.ts'
import { timestampOf } from '../timestamp.ts'
import type { LatestRows } from './ci-rows.ts'

export interface SurfaceParts {
  readonly at: bigint
  readonly latest: LatestRows
  /** By id. */
  readonly instructions: readonly InstructionRow[]
  readonly coherence: Coherence
  readonly harness: HarnessView
}

export function surfaceOf(parts: SurfaceParts): ObservationSurface {
  const { at, latest, instructions, coherence, harness } = parts
  const { delta, required, decision } = latest
  const { state, failureClass } = verdictOf(latest, instructions.findLast(isTelling))
  const reason = coherence.attentionReasons[0] ?? harness.attention[0]?.about ?? null
  const isBad = state === 'rejected' || state === 'error'
  return {
    schema: 1,
    surfaceKind,
    evaluatedAt: timestampOf(at),
    summary: {
      state,
      needsAttention: isBad || reason !== null,
      topFailureClass: isBad ? (failureClass ?? reason) : (reason ?? failureClass),
      latestProjectionDigest:
        [decision, required, delta]
          .map(row => row?.typedCoreProjectionDigest)
          .find(digest => digest !== undefined) ?? null,
      latestInstructionId: instructions.at(-1)?.instructionId ?? null,
      requiredCheckCount: (required ?? decision)?.requiredChecks.length ?? 0,
      executedCheckCount: required?.executedChecks.length ?? 0,
      changedPathCount: delta?.changedPathCount ?? 0,
      coherence,
    },
    latest,
    instructions,
    harness,
  }
}

/** A rejection that is history says nothing about the state. */
const isTelling = ({ standing, verdictClass }: InstructionRow) =>
  standing === 'current' || verdictClass === 'accepted'

interface Verdict {
  readonly state: ObservationSurface['summary']['state']
  readonly failureClass: string | null
}

/** The decision counts most, then the witness of the required checks, then the last instruction. */
function verdictOf(
  { decision, required }: LatestRows,
  instruction: InstructionRow | undefined,
): Verdict {
  if (decision) {
    const state = decisionStates[decision.decision ?? ''] ?? 'error'
    return { state, failureClass: decision.reasonClass ?? reasonless(state) }
  }
  const row = required ?? instruction
  if (!row) return { state: 'empty', failureClass: null }
  const state = witnessStates[row.verdictClass ?? ''] ?? 'error'
  return { state, failureClass: row.failureClasses[0] ?? reasonless(state) }
}

type States = Readonly<Record<string, Verdict['state']>>

const decisionStates: States = { accept: 'accepted', reject: 'rejected' }
/** Accepted checks wait for their decision. */
const witnessStates: States = { accepted: 'running', rejected: 'rejected' }

const reasonless = (state: Verdict['state']) =>
  state === 'rejected' ? 'rejected_without_reason' : null

/** The lines of `events.jsonl`. */
export function eventLines(surface: ObservationSurface): string {
  const { latest, instructions, summary } = surface
  const { coherence, ...rest } = summary
  const events = [
    ...(latest.delta ? [{ kind: 'ci.delta.v1.summary', payload: latest.delta }] : []),
    ...(latest.required ? [{ kind: 'ci.required.v1.summary', payload: latest.required }] : []),
    ...(latest.decision
      ? [{ kind: 'ci.required.decision.v1.summary', payload: latest.decision }]
      : []),
    ...instructions.map(payload => ({ kind: 'ci.instruction.v1.summary', payload })),
    { kind: `${surfaceKind}.summary`, payload: { ...rest, evaluatedAt: surface.evaluatedAt } },
    { kind: `${surfaceKind}.coherence`, payload: coherence },
  ]
  return events.map(event => `${canonicalJson(event as Json)}\n`).join('')
}

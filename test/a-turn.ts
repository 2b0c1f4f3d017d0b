/** Turns to judge, described by their difference from the smallest closed turn. */
import { hash } from 'node:crypto'
import { canonicalJson, digestOf } from '../src/kernel/canonical.ts'
import { type Json, parseJson } from '../src/kernel/json.ts'
import { judge } from '../src/kernel/turn/judge.ts'
import { freeKeys } from '../src/kernel/turn/normalize.ts'
import type { Kit } from '../src/kernel/turn/rules/rule.ts'
import type { JoinReport } from '../src/wire/turn/join-report.ts'

export const kit: Kit = { sha256: text => hash('sha256', text), schemaComplaints: () => [] }

export const governanceProfileId = 'profile.doctrine_inf_governance.v0'

export const callSpec = {
  callId: 'turn-1',
  modelRef: 'model-x@1',
  actionMode: 'code',
  executionPattern: 'single',
  normalizerId: 'nf.v1',
  mutationPolicyDigest: 'pol-mut',
  governancePolicyDigest: 'pol-gov',
  toolRenderProtocolDigest: 'pol-render',
  reminderQueuePolicyDigest: 'pol-queue',
  stateViewPolicyDigest: 'pol-view',
  decompositionPolicyDigest: 'pol-decomp',
} as const

/** Evidence of calls that each have a request, a result and a use. */
export function evidence(calls: readonly string[], more: object = {}): object {
  return {
    callSpec,
    toolRequests: calls.map(toolCallId => ({ toolCallId, toolName: 'fs.read' })),
    toolResults: calls.map(toolCallId => ({ toolCallId, resultDigest: `res-${toolCallId}` })),
    toolUse: calls.map(toolCallId => ({ toolCallId, disposition: 'observed' })),
    protocolState: { stopReason: 'end_turn' },
    ...more,
  }
}

/** The call spec with additional bindings, as a part of the evidence. */
export const bound = (more: object) => ({ callSpec: { ...callSpec, ...more } })

/** Policy documents and the call-spec fields with their digests. */
export function promised(documents: Readonly<Record<string, object>>) {
  const digests = Object.entries(documents).map(([field, document]) => [
    field,
    digestOf(document as Json, kit.sha256),
  ])
  return { spec: Object.fromEntries(digests) as object, policies: documents }
}

/** Converts a value through text, like every real input. */
export const read = (input: unknown): Json =>
  parseJson(typeof input === 'string' ? input : canonicalJson(input as Json), { freeKeys })

export const judged = (input: object, more: Partial<Kit> = {}): JoinReport =>
  judge(read(input), { ...kit, ...more })

/** Class and place of every finding. */
export const found = (given: object, claims: object = {}, more: Partial<Kit> = {}) =>
  judged({ evidence: given, ...claims }, more).findings.map(
    ({ failureClass, at }) => `${failureClass} at ${at}`,
  )

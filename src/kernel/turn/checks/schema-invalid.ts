/** Collects everything that makes a row or a call malformed. */

import type { Json } from '../../json.ts'
import { rowAt } from '../evidence/read-row.ts'
import { classByPolicy } from '../policy-class.ts'
import { mismatches } from '../policy-document.ts'
import { type Kit, none, type Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'
import { resultsOf, toolEntry } from './call-index.ts'
import { requestsUnderPolicy } from './tool-policy.ts'

export function schemaViolations(turn: Turn, kit: Kit): readonly Violation[] {
  return [
    ...turn.defects,
    ...argumentViolations(turn, kit),
    ...schemaDigestViolations(turn),
    ...retryViolations(turn),
    ...textModeViolations(turn),
    ...mismatches(turn, unclassified(turn)),
  ]
}

/** Malformed documents that no other class covers. */
const unclassified = (turn: Turn) =>
  Object.keys(turn.policies).filter(field => !Object.hasOwn(classByPolicy, field))

const unchecked = ['cannot be checked: the tool has a schema, and no schema checker is at hand']

function argumentViolations(turn: Turn, kit: Kit): readonly Violation[] {
  if (!turn.callSpec.toolPolicy) return none
  return turn.argumentsOf.flatMap(({ request, value }) => {
    const schema = toolEntry(turn, request.toolName)?.inputSchema
    if (schema === undefined) return none
    const at = `${rowAt('evidence.toolRequests', request.toolCallId)}.arguments`
    const complaints = kit.schemaComplaints?.(schema as Json, value) ?? unchecked
    return complaints.map(message => ({ at, message }))
  })
}

function schemaDigestViolations(turn: Turn): readonly Violation[] {
  return requestsUnderPolicy(turn)
    .filter(
      ({ request, tool }) =>
        tool.schemaDigest !== undefined && request.schemaDigest !== tool.schemaDigest,
    )
    .map(({ request, tool }) => ({
      at: `${rowAt('evidence.toolRequests', request.toolCallId)}.schemaDigest`,
      message: `is ${request.schemaDigest ?? 'missing'}; the tool policy has ${tool.schemaDigest}`,
    }))
}

function retryViolations(turn: Turn): readonly Violation[] {
  return turn.uses.flatMap(use => {
    if (use.disposition !== 'retry_scheduled') return none
    const results = resultsOf(turn, use.toolCallId)
    if (!results || results.retryable) return none
    const at = `${rowAt('evidence.toolUse', use.toolCallId)}.disposition`
    return [{ at, message: 'schedules a retry of a result that is not a retryable error' }]
  })
}

/**
 * Free text cannot call a tool unless an admitted adapter made it structured (HARNESS-TYPESTATE
 * §7).
 */
function textModeViolations(turn: Turn): readonly Violation[] {
  if (turn.callSpec.actionMode !== 'text') return none
  const admitted = turn.callSpec.textAdapterProfiles ?? []
  return turn.requests
    .filter(
      ({ adapterProfile }) => adapterProfile === undefined || !admitted.includes(adapterProfile),
    )
    .map(({ toolCallId, adapterProfile }) => ({
      at: `${rowAt('evidence.toolRequests', toolCallId)}.adapterProfile`,
      message:
        adapterProfile === undefined
          ? 'a tool was called from free text without an adapter profile'
          : `the adapter profile ${adapterProfile} is not admitted by textAdapterProfiles`,
    }))
}

/** Checks by size that results were truncated as the call spec says. */
import { canonicalJson, utf8Bytes } from '../../canonical.ts'
import { rowAt } from '../evidence/read-row.ts'
import type { Violation } from '../rules/rule.ts'
import type { ResultRow, Turn } from '../turn.ts'

type Policy = NonNullable<Turn['callSpec']['toolResponseTruncationPolicy']>

export function truncationViolations(turn: Turn): readonly Violation[] {
  const declared = turn.claims.truncationConstraints
  const violations: Violation[] = []
  if (declared?.required === true && declared.valid !== true) {
    violations.push({
      at: 'truncationConstraints.valid',
      message: 'truncation is required to be valid and is declared not to be',
    })
  }
  const policy = turn.callSpec.toolResponseTruncationPolicy
  if (!policy) return violations
  for (const { result, value } of turn.payloadOf) {
    const at = rowAt('evidence.toolResults', result.toolCallId)
    const payloadBytes = value === undefined ? undefined : utf8Bytes(canonicalJson(value))
    for (const message of complaints(result, payloadBytes, policy)) violations.push({ at, message })
  }
  return violations
}

function complaints(result: ResultRow, payloadBytes: number | undefined, policy: Policy): string[] {
  const { maxBytes, marker } = policy
  // The row contract already refused a policy without both.
  if (maxBytes === undefined || marker === undefined) return []
  const size = payloadBytes ?? result.bytes
  if (size === undefined) return ['its size is unknown: neither payload nor bytes is given']
  const messages: string[] = []
  if (payloadBytes !== undefined && result.bytes !== undefined && result.bytes !== payloadBytes) {
    messages.push(`bytes says ${result.bytes}, but the payload takes ${payloadBytes}`)
  }
  const cut = result.truncation
  if (!cut) {
    if (size > maxBytes) messages.push(`takes ${size} bytes of at most ${maxBytes} and was not cut`)
    return messages
  }
  const { keptBytes, originalBytes } = cut
  if (cut.marker !== marker) messages.push('the truncation marker is not the one of the policy')
  if (keptBytes === undefined || originalBytes === undefined) return messages
  if (keptBytes > maxBytes) messages.push(`keeps ${keptBytes} bytes of at most ${maxBytes}`)
  if (keptBytes !== size) messages.push(`says it keeps ${keptBytes} bytes, but takes ${size}`)
  if (keptBytes >= originalBytes) {
    messages.push(`says it was cut, but keeps ${keptBytes} of ${originalBytes} bytes`)
  }
  return messages
}

import { lowerAscii } from '../../text/clean.ts'
import { orderViolations } from '../checks/parallel.ts'
import { listed, short } from '../evidence/read-row.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none, type Violation, when } from './rule.ts'

const handledByDefault: readonly string[] = ['tool_use', 'pause_turn', 'max_tokens', 'end_turn']

export const protocolRules = defineRules({
  'protocol.stop_reason_unhandled': {
    means: 'The turn stopped for a reason that the protocol policy does not handle.',
    gate: 'join',
    remedy: 'Handle the stop reason in protocolStatePolicy, or end the turn with one it handles.',
    find: stopViolations,
  },
  'protocol.parallel_transport_order_invalid': {
    means: 'Results of parallel calls are not in the order that the transport promises.',
    gate: 'join',
    remedy: 'Deliver results in request order with a seq on every row, or bind ordering: any.',
    find: turn => {
      const declared = turn.claims.protocolConstraints?.parallelTransportOrderValid === false
      return [
        ...when(
          declared,
          'protocolConstraints.parallelTransportOrderValid',
          'the order of results is declared invalid',
        ),
        ...orderViolations(turn),
      ]
    },
  },
})

function stopViolations({ callSpec, protocolState }: Turn): readonly Violation[] {
  const at = 'evidence.protocolState.stopReason'
  const { stopReason } = protocolState
  const policy = callSpec.protocolStatePolicy
  const handled = policy?.handled?.map(lowerAscii) ?? handledByDefault
  if (stopReason === undefined || !handled.includes(stopReason)) {
    const list = listed(handled, 'none')
    const reason = stopReason === undefined ? 'no stop reason is given' : short(stopReason)
    return [{ at, message: `${reason}; handled are ${list}` }]
  }
  const continues = policy?.continues?.map(lowerAscii)
  if (!protocolState.continuationAllowed || !continues || continues.includes(stopReason))
    return none
  return [{ at, message: `the turn is to go on after ${stopReason}, which does not continue` }]
}

/** Which host functions a program may call, decided before anything happens. */
import { type HostRefusal, refusal } from './host-refusal.ts'

/** How calls of host functions reach the operations. */
export const transports = ['local-repl', 'mcp'] as const
export type Transport = (typeof transports)[number]

/** These need the transport `mcp`. */
const mcpOnlyActions: readonly string[] = ['issue.lease_renew', 'issue.lease_release']

const deniedPrefix = /^(?:shell|network|http|exec)\./i

interface ActionTerms {
  readonly transport: Transport
  readonly actions: readonly string[]
}

/** The first rule that refuses the call. */
export function actionRefusal(
  action: string,
  { transport, actions }: ActionTerms,
): HostRefusal | undefined {
  if (action.trim() === '') {
    const hint = 'Name an action, such as issue.ready.'
    return refusal('scheme_eval.invalid_program', 'a call has no action', hint)
  }
  if (deniedPrefix.test(action)) {
    const hint = 'Programs reach the project by host functions only.'
    return refusal('scheme_eval.effect_denied', `${action} is denied to programs`, hint)
  }
  if (!actions.includes(action)) {
    const hint = `Call one of: ${actions.join(', ')}.`
    const why = `${action} is not in the list of host functions`
    return refusal('scheme_eval.host_action_unallowlisted', why, hint)
  }
  if (transport !== 'mcp' && mcpOnlyActions.includes(action)) {
    return refusal(
      'control_plane_host_action_mcp_transport_required',
      `${action} needs the transport mcp`,
      'Pass --host-action-transport mcp.',
    )
  }
  return undefined
}

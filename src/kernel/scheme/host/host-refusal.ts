/** A host call that was not made, or that an operation refused. */

export interface HostRefusal {
  readonly failureClasses: readonly string[]
  readonly message: string
  readonly hint: string
}

export const refusal = (failureClass: string, message: string, hint: string): HostRefusal => ({
  failureClasses: [failureClass],
  message,
  hint,
})

/** The part of the evaluation that failed, for people. */
export function stageOf(failureClass: string): string {
  if (/^scheme_eval\.(?:invalid_program|replay_difference)$/.test(failureClass)) {
    return 'input validation'
  }
  if (/^(?:usage|invalid_input)$/.test(failureClass)) return 'input validation'
  if (/^scheme_eval\.\w+_budget_exceeded$/.test(failureClass)) return 'budget'
  if (/^scheme_eval\.(?:runtime_error|uncaught_condition)$/.test(failureClass)) return 'evaluation'
  const isPolicy =
    /^(?:scheme_eval|mutation|instruction|policy|governance)[._]/.test(failureClass) ||
    failureClass.startsWith('control_plane_host_action_')
  return isPolicy ? 'policy/capability' : 'transport dispatch'
}

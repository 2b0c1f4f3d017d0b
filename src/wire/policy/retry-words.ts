/** The words a retry policy may use. Plain data: the kernel reads them without a schema library. */

export const backoffClasses = ['none', 'fixed_short', 'exponential_short'] as const
export type BackoffClass = (typeof backoffClasses)[number]

export const escalationActions = ['issue_discover', 'mark_blocked', 'stop'] as const
export type EscalationAction = (typeof escalationActions)[number]

/** The instruction with which a person lets an agent work on one issue. */
import type { JsonObject } from '../json.ts'
import type { RegisteredPolicy } from './instruction-policy.ts'

/** They decide nothing about the issue, so the agent may make them as often as it needs. */
const standing = ['issue_claim', 'issue_lease_renew', 'issue_lease_release', 'issue_comment']

/** One for a change of the issue, and one for its close, each good once. */
const once = ['issue_update', 'issue_update']

const base = 'capabilities.change_morphisms'

interface Work {
  readonly issueId: string
  readonly intent: string
  readonly requestedChecks: readonly string[]
}

export function issueInstruction(
  { issueId, intent, requestedChecks }: Work,
  { policyDigest, allowedNormalizers }: RegisteredPolicy,
): JsonObject {
  const actions = [...new Set([...standing, ...once])].sort()
  return {
    schema: 1,
    intent,
    instructionType: 'ci.gate.check',
    normalizerId: allowedNormalizers[0] ?? '',
    policyDigest,
    capabilityClaims: [base, ...actions.map(action => `${base}.${action}`)],
    scope: {
      kind: 'repo',
      mutations: [
        ...standing.map(action => ({ action, issueId, standing: true })),
        ...once.map(action => ({ action, issueId })),
      ],
    },
    requestedChecks,
  }
}

/** `20260221T000000Z-bd-7`: an id of an issue may have characters that a file name cannot. */
export const newInstructionId = (issueId: string, now: string): string =>
  `${now.replace(/[-:]|\.\d+/g, '')}-${issueId.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 80)}`

/** The checks of the policy that can run: the required ones, or else all that have a command. */
export function checksToRequest(
  { allowedChecks, requiredChecks = [] }: RegisteredPolicy,
  hasCommand: (check: string) => boolean,
): readonly string[] {
  return requiredChecks.length > 0 ? requiredChecks : allowedChecks.filter(hasCommand)
}

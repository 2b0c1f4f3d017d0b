import { rowAt, short } from '../evidence/read-row.ts'
import { policiesOf } from '../policy-class.ts'
import { documentOf, mismatches } from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none, type Violation, when } from './rule.ts'

const changeClaim = 'capabilities.change_morphisms'

export const mutationRules = defineRules({
  'mutation.policy_digest_mismatch': {
    means: 'The turn ran under another mutation policy than the one in force.',
    gate: 'mutation',
    remedy: 'Run the turn under the active mutation policy and bind its digest.',
    find: turn => [
      ...mismatches(turn, policiesOf('mutation.policy_digest_mismatch')),
      ...activeViolations(turn),
    ],
  },
  'mutation.capability_claim_missing': {
    means: 'The turn does not claim the capability its change needs.',
    gate: 'mutation',
    remedy: 'Claim the capability in capabilityClaims where the instruction allows it.',
    find: ({ claims: { mutation, capabilityClaims } }) => {
      if (!mutation) return none
      const claimed = new Set(capabilityClaims)
      const action = `${changeClaim}.${mutation.action}`
      const missing = [changeClaim, ...(mutation.requiredClaims ?? [])].filter(
        id => !claimed.has(id),
      )
      if (!claimed.has(action) && !claimed.has(`${changeClaim}.all`)) missing.push(action)
      return missing.map(id => ({ at: 'capabilityClaims', message: `${short(id)} is not claimed` }))
    },
  },
  'mutation.use_evidence_missing': {
    means: 'A requested change is not linked to the recorded turn.',
    gate: 'mutation',
    remedy: 'Give sessionRefs and trajectoryRefs, and a ref to the use of each consumed result.',
    find: useViolations,
  },
})

function activeViolations({ claims, callSpec }: Turn): readonly Violation[] {
  const { activeMutationPolicyDigest: active, mutation } = claims
  const at = 'activeMutationPolicyDigest'
  if (active === undefined) {
    return when(mutation !== undefined, at, 'is missing, though a mutation is asked for')
  }
  const bound = callSpec.mutationPolicyDigest
  return when(
    active !== bound,
    at,
    `is ${short(active)}; the turn was bound to ${short(bound ?? 'none')}`,
  )
}

function useViolations(turn: Turn): readonly Violation[] {
  if (!turn.claims.mutation) return none
  const optional = documentOf(turn, 'mutationPolicyDigest')?.['useRefs'] === 'optional'
  const unlinked = optional
    ? []
    : turn.uses.filter(use => use.disposition === 'consumed' && !isLinked(use))
  return [
    ...when(turn.sessionRefs.length === 0, 'evidence.sessionRefs', 'no session is linked'),
    ...when(turn.trajectoryRefs.length === 0, 'evidence.trajectoryRefs', 'no step row is linked'),
    ...unlinked.map(({ toolCallId }) => ({
      at: rowAt('evidence.toolUse', toolCallId),
      message: 'was consumed, but has no summaryRef, handoffRef or mutationInputRef',
    })),
  ]
}

const isLinked = (use: Turn['uses'][number]) =>
  use.summaryRef !== undefined || use.handoffRef !== undefined || use.mutationInputRef !== undefined

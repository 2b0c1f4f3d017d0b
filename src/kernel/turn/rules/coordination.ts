import { lowerAscii } from '../../text/clean.ts'
import { requestGroups } from '../checks/parallel.ts'
import { listed, short } from '../evidence/read-row.ts'
import { policiesOf } from '../policy-class.ts'
import {
  documentOf,
  malformed,
  mismatches,
  textList,
  wholeNumber,
  yesOrNo,
} from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none, type Violation, when } from './rule.ts'

export const coordinationRules = defineRules({
  'coordination.decomposition_policy_violation': {
    means: 'The decomposition policy does not allow how the work was split or continued.',
    gate: 'join',
    remedy:
      'Keep to the bound pattern, fan-out and iterations, and record checkpoints and triggers.',
    find: turn => [
      ...mismatches(turn, policiesOf('coordination.decomposition_policy_violation')),
      ...decompositionViolations(turn),
    ],
  },
})

/** Limits how far a turn may split work or repeat itself. */
function decompositionViolations(turn: Turn): readonly Violation[] {
  return [...constraintViolations(turn), ...documentViolations(turn), ...iterationViolations(turn)]
}

function constraintViolations({ claims, callSpec }: Turn): readonly Violation[] {
  const constraints = claims.decompositionConstraints
  if (!constraints) return none
  const {
    admissible,
    expectedExecutionPattern: pattern,
    expectedPolicyDigest: digest,
  } = constraints
  if (admissible === false) {
    return [
      { at: 'decompositionConstraints.admissible', message: 'the split is declared inadmissible' },
    ]
  }
  return [
    ...when(
      pattern !== undefined && pattern !== callSpec.executionPattern,
      'evidence.callSpec.executionPattern',
      `is ${short(callSpec.executionPattern ?? 'missing')}; expected is ${short(pattern ?? '')}`,
    ),
    ...when(
      digest !== undefined && digest !== callSpec.decompositionPolicyDigest,
      'evidence.callSpec.decompositionPolicyDigest',
      `is ${short(callSpec.decompositionPolicyDigest ?? 'missing')}; expected is ${short(digest ?? '')}`,
    ),
  ]
}

function documentViolations(turn: Turn): readonly Violation[] {
  const field = 'decompositionPolicyDigest'
  const document = documentOf(turn, field)
  if (!document) return none
  const patterns = textList(document, 'patterns')
  const maxFanOut = wholeNumber(document, 'maxFanOut')
  const requireTrigger = yesOrNo(document, 'requireTrigger')
  const most = maxFanOut.value ?? Number.POSITIVE_INFINITY
  const widest = widestGroup(turn)
  const pattern = turn.callSpec.executionPattern ?? ''
  const admitted = patterns.value?.map(lowerAscii)
  return [
    ...malformed(field, { patterns, maxFanOut, requireTrigger }),
    ...when(
      admitted !== undefined && !admitted.includes(pattern),
      'evidence.callSpec.executionPattern',
      `is ${short(pattern)}; the policy admits ${listed(admitted ?? [], 'none')}`,
    ),
    ...when(
      widest > most,
      'evidence.toolRequests',
      `one action fans out to ${widest} calls; the policy admits ${most}`,
    ),
    ...when(
      requireTrigger.value === true && turn.extension.escalation === undefined,
      'evidence.escalation',
      'the policy asks for a measured trigger, and none is recorded',
    ),
  ]
}

function widestGroup({ requests }: Turn): number {
  return requestGroups(requests).reduce((widest, group) => Math.max(widest, group.length), 0)
}

function iterationViolations({ callSpec, extension }: Turn): readonly Violation[] {
  const { maxIterations, checkpointEvery } = callSpec.stopPolicy ?? {}
  const { iteration, checkpointRef } = extension
  return [
    ...when(
      maxIterations !== undefined && (iteration === undefined || iteration > maxIterations),
      'evidence.iteration',
      `is ${iteration ?? 'missing'}; the stop policy admits ${maxIterations}`,
    ),
    ...when(
      checkpointEvery !== undefined &&
        iteration !== undefined &&
        iteration % checkpointEvery === 0 &&
        checkpointRef === undefined,
      'evidence.checkpointRef',
      `is missing; every ${checkpointEvery} iterations a person looks, and this is ${iteration}`,
    ),
  ]
}

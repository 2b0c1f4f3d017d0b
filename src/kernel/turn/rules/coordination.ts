import { decompositionViolations } from '../checks/decomposition.ts'
import { policiesOf } from '../policy-class.ts'
import { mismatches } from '../policy-document.ts'
import { defineRules } from './rule.ts'

export const coordinationRules = defineRules({
  'coordination.decomposition_policy_violation': {
    means: 'The work was split, or went on, in a way the decomposition policy does not admit.',
    gate: 'join',
    remedy:
      'Keep to the bound pattern, fan-out and iterations, and record checkpoints and triggers.',
    find: turn => [
      ...mismatches(turn, policiesOf('coordination.decomposition_policy_violation')),
      ...decompositionViolations(turn),
    ],
  },
})

import { digestOf } from '../../canonical.ts'
import { cleanRefs } from '../../text/clean.ts'
import { shellViolations } from '../checks/shell-boundary.ts'
import { short } from '../evidence/read-row.ts'
import { policiesOf } from '../policy-class.ts'
import { mismatches } from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, type Kit, none, type Violation } from './rule.ts'

export const runtimeRules = defineRules({
  'runtime.shell_boundary_violation': {
    means: 'A shell ran, or something was written, outside the bounds of the call spec.',
    gate: 'join',
    remedy: 'Run the command in an allowed folder and sandbox, and edit through an edit surface.',
    find: shellViolations,
  },
  'runtime.compaction_state_invalid': {
    means: 'Context was compacted without the state that lets the next turn trust it.',
    gate: 'join',
    remedy: 'Compact under the bound policy, drop only closed calls, and record what is carried.',
    find: (turn, kit) => [
      ...mismatches(turn, policiesOf('runtime.compaction_state_invalid')),
      ...compactionViolations(turn, kit),
    ],
  },
})

function compactionViolations(turn: Turn, kit: Kit): readonly Violation[] {
  const { compaction } = turn.extension
  if (!compaction) return none
  const said: Violation[] = []
  const { policyDigest, stateDigest, carriedRefs = [], droppedToolCallIds = [] } = compaction
  if (policyDigest === undefined || policyDigest !== turn.callSpec.compactionPolicyDigest) {
    const message = 'is not the compaction policy the call spec binds'
    said.push({ at: 'evidence.compaction.policyDigest', message })
  }
  const results = new Set(turn.joinState.resultCallIds)
  const used = new Set(turn.joinState.usedCallIds)
  for (const id of droppedToolCallIds) {
    if (results.has(id) && used.has(id)) continue
    const message = `drops call ${short(id)}, which has no ${results.has(id) ? 'use' : 'result'}`
    said.push({ at: 'evidence.compaction.droppedToolCallIds', message })
  }
  const computed = digestOf(cleanRefs(carriedRefs), kit.sha256)
  if (stateDigest !== computed) {
    const message = `is ${stateDigest ?? 'missing'}; the carried refs come to ${computed}`
    said.push({ at: 'evidence.compaction.stateDigest', message })
  }
  return said
}

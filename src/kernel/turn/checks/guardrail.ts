/** Checks that each guardrail stage decided, and in the right order. */
import { guardrailStages } from '../../../wire/turn/turn-evidence.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'

const seqsOf = (turn: Turn, stage: string) =>
  (turn.extension.guardrails ?? [])
    .filter(row => row.stage === stage)
    .map(row => row.seq)
    .filter(seq => seq !== undefined)

export function missingStages(turn: Turn): readonly Violation[] {
  if (turn.callSpec.guardrailStagePolicyDigest === undefined) return none
  return guardrailStages
    .filter(stage => !turn.extension.guardrails?.some(row => row.stage === stage))
    .map(stage => ({ at: 'evidence.guardrails', message: `the stage ${stage} left no decision` }))
}

export function misorderedStages(turn: Turn): readonly Violation[] {
  if (turn.callSpec.guardrailStagePolicyDigest === undefined) return none
  const said: Violation[] = []
  const [preFlight, input, output] = guardrailStages.map(stage => seqsOf(turn, stage))
  const requests = turn.requests.map(row => row.seq).filter(seq => seq !== undefined)
  const inOrder = [
    [preFlight, input, 'input was decided before pre_flight was'],
    [input, output, 'output was decided before input was'],
    [preFlight, output, 'output was decided before pre_flight was'],
    [preFlight, requests, 'a tool was called before pre_flight was decided'],
  ] as const
  for (const [earlier = [], later = [], message] of inOrder) {
    const last = earlier.reduce((latest, seq) => Math.max(latest, seq), -1)
    if (later.some(seq => seq <= last)) said.push({ at: 'evidence.guardrails', message })
  }
  return said
}

/** The obligations of a proposal, each named by its digest. */
import {
  type ObligationKind,
  type ProposalObligation,
  refinementKinds,
} from '../../wire/instruction/proposal.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import type { CanonicalProposal } from './proposal.ts'

export function obligationsOf(
  proposal: CanonicalProposal,
  sha256: Sha256,
): readonly ProposalObligation[] {
  const { proposalKind, targetCtxRef, targetJudgment, candidateRefs, steps = [] } = proposal
  const subject = { kind: targetJudgment.kind, ref: subjectRefOf(proposal) }
  return kindsOf(proposal).map((kind, obligationIndex) => {
    const details = {
      proposalKind,
      candidateCount: candidateRefs.length,
      stepCount: steps.length,
      obligationIndex,
    }
    const content = { kind, ctx: { ref: targetCtxRef }, subject, details }
    return { obligationId: `obl1_${sha256(canonicalJson(content))}`, ...content }
  })
}

function kindsOf({ proposalKind, candidateRefs, steps = [] }: CanonicalProposal) {
  const hasSomething = candidateRefs.length > 0 || steps.some(({ outputs }) => outputs.length > 0)
  const kinds: ObligationKind[] = ['stability', 'locality']
  kinds.push(hasSomething ? 'descent_exists' : 'ext_gap')
  if (proposalKind === 'value' && candidateRefs.length > 1) kinds.push('ext_ambiguous')
  if (proposalKind === 'refinementPlan') kinds.push(...refinementKinds)
  return kinds
}

/** The first candidate, or the first output of the last step that has one. */
function subjectRefOf({ candidateRefs, steps, ...proposal }: CanonicalProposal): string {
  const { targetCtxRef, targetJudgment } = proposal
  const yielding = steps?.findLast(({ outputs }) => outputs.length > 0)
  return candidateRefs[0] ?? yielding?.outputs[0] ?? `${targetCtxRef}#${targetJudgment.kind}`
}

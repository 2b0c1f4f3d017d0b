/** Decides whether the obligations of a proposal hold. */
import type {
  ObligationKind,
  ProposalDischarge,
  ProposalObligation,
} from '../../wire/instruction/proposal.ts'
import { byCodePoint } from '../canonical.ts'
import type { InstructionClass } from './instruction-classes.ts'
import type { CanonicalProposal } from './proposal.ts'

type DischargeStep = ProposalDischarge['steps'][number]

interface Law {
  readonly failureClass: InstructionClass
  readonly lawRef: string
  /** The obligation holds if the proposal gives this hint. */
  readonly hinted?: true
}

const coherence = {
  failureClass: 'adjoint_triple_coherence_failure',
  lawRef: 'GATE-3.5',
  hinted: true,
} as const satisfies Law

/** Obligations that can fail. */
const laws: Readonly<Partial<Record<ObligationKind, Law>>> = {
  ext_gap: { failureClass: 'descent_failure', lawRef: 'GATE-3.3' },
  ext_ambiguous: { failureClass: 'glue_non_contractible', lawRef: 'GATE-3.4' },
  adjoint_triangle: coherence,
  beck_chevalley_sigma: coherence,
  beck_chevalley_pi: coherence,
  refinement_invariance: { failureClass: 'stability_failure', lawRef: 'GATE-3.1', hinted: true },
}

export function dischargeOf(
  { binding, candidateRefs }: CanonicalProposal,
  obligations: readonly ProposalObligation[],
): ProposalDischarge {
  const steps = obligations.map(one => stepOf(one, candidateRefs))
  const failed = steps.flatMap(({ failureClass }) => failureClass ?? [])
  return {
    mode: 'normalized',
    binding,
    outcome: failed.length === 0 ? 'accepted' : 'rejected',
    steps,
    failureClasses: [...new Set(failed)].sort(byCodePoint),
  }
}

function stepOf(
  { obligationId, kind }: ProposalObligation,
  candidateRefs: readonly string[],
): DischargeStep {
  const law = laws[kind]
  const hint = `hint:${kind}`
  if (!law || (law.hinted && candidateRefs.includes(hint))) {
    return { obligationId, kind, status: 'passed' }
  }
  const { failureClass, lawRef, hinted } = law
  const missing = hinted ? { missingHint: hint } : {}
  return { obligationId, kind, status: 'failed', failureClass, lawRef, ...missing }
}

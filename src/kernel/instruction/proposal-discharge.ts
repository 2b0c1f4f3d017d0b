/** Decides whether the obligations of a proposal hold. */
import { byCodePoint } from '../canonical.ts'
import type { InstructionClass } from './instruction-classes.ts'
import type { CanonicalProposal, ProposalBinding } from './proposal.ts'
import type { ObligationKind, ProposalObligation } from './proposal-obligation.ts'

interface DischargeStep {
  readonly obligationId: string
  readonly kind: ObligationKind
  readonly status: 'passed' | 'failed'
  readonly failureClass?: InstructionClass
  readonly lawRef?: string
  readonly missingHint?: string
}

export interface ProposalDischarge {
  readonly mode: 'normalized'
  readonly binding: ProposalBinding
  readonly outcome: 'accepted' | 'rejected'
  readonly steps: readonly DischargeStep[]
  readonly failureClasses: readonly InstructionClass[]
}

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

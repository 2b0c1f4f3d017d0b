/** Every reason to reject a witness or a proof. The reference page lists them. */

interface ProofClassEntry {
  readonly means: string
  /** 1: a verdict. 5: stored data was changed or cannot be read. */
  readonly exitCode: 1 | 5
}

export const proofClasses = {
  attestation_forged: {
    means: 'The signature is not of this payload by this key.',
    exitCode: 5,
  },
  attestation_invalid: { means: 'The envelope or its statement is not one.', exitCode: 5 },
  attestation_other: {
    means: 'The attestation is not about the proof that was named.',
    exitCode: 1,
  },
  proof_missing: { means: 'Nothing lies there that shows why the issue is closed.', exitCode: 1 },
  proof_row_mismatch: { means: 'Issue memory records another close.', exitCode: 5 },
  proof_stray: { means: 'A file lies with the proofs that no chain names.', exitCode: 1 },
  proof_superseded: { means: 'The issue is not closed, or not any more.', exitCode: 1 },
  proof_unmet: { means: 'The files that the chain names do not prove the issue.', exitCode: 1 },
  witness_changed: { means: 'A file does not match its digest.', exitCode: 5 },
  witness_invalid: { means: 'A document does not have the shape of its kind.', exitCode: 5 },
  witness_rejected: { means: 'The witness records a rejection.', exitCode: 1 },
  witness_tree_changed: { means: 'The files are not those that were witnessed.', exitCode: 1 },
  witness_unreadable: {
    means: 'A file is gone, a link, a folder, too large or no text.',
    exitCode: 5,
  },
} as const satisfies Readonly<Record<string, ProofClassEntry>>

type ProofClass = keyof typeof proofClasses

/** A defect of a witness or a proof, with its location. */
export interface ProofFinding {
  readonly failureClass: ProofClass
  /** The file or the issue. */
  readonly at: string
  readonly message: string
}

export const finding = (failureClass: ProofClass, at: string, message: string): ProofFinding => ({
  failureClass,
  at,
  message,
})

/** The highest exit code of the findings; 0 without findings. */
export function exitCodeOf(findings: readonly ProofFinding[]): 0 | 1 | 5 {
  const codes = findings.map(({ failureClass }) => proofClasses[failureClass].exitCode)
  return codes.includes(5) ? 5 : codes.includes(1) ? 1 : 0
}

/** Every reason to reject a witness or a proof. The reference page lists them. */

interface ProofClassEntry {
  readonly means: string
  /** 1: a verdict. 3: there is no verdict here. 5: stored data was changed or cannot be read. */
  readonly exitCode: 1 | 3 | 5
}

export const proofClasses = {
  attestation_forged: {
    means: 'The signature does not match the payload and the key.',
    exitCode: 5,
  },
  attestation_invalid: { means: 'The envelope or its statement is malformed.', exitCode: 5 },
  attestation_other: {
    means: 'The attestation is about another proof than the one named.',
    exitCode: 1,
  },
  not_rerunnable: {
    means: 'The verification of the issue cannot run again here.',
    exitCode: 3,
  },
  proof_forced: {
    means: 'A person closed the issue by force, so nothing was verified.',
    exitCode: 1,
  },
  proof_missing: { means: 'The issue has no proof.', exitCode: 1 },
  proof_row_mismatch: { means: 'Issue memory records another close.', exitCode: 5 },
  proof_stray: { means: 'No chain names this file in the folder of proofs.', exitCode: 1 },
  proof_superseded: { means: 'The issue is not closed, or was opened again.', exitCode: 1 },
  proof_unmet: {
    means: 'The files that the chain names do not prove that the issue is done.',
    exitCode: 1,
  },
  proof_unsandboxed: {
    means: 'The work was verified without a sandbox, and --require-sandbox asks for one.',
    exitCode: 1,
  },
  proof_unsigned: {
    means: 'No trusted key signed a witness or the close, and --require-signed asks for it.',
    exitCode: 1,
  },
  rerun_failed: {
    means: 'The verification ran again on the commit of the issue, and failed.',
    exitCode: 1,
  },
  witness_changed: { means: 'A file does not match its digest.', exitCode: 5 },
  witness_invalid: { means: 'The document does not match the schema of its kind.', exitCode: 5 },
  witness_rejected: { means: 'The witness records a rejection.', exitCode: 1 },
  witness_tree_changed: {
    means: 'The files have changed since the witness was made.',
    exitCode: 1,
  },
  witness_unreadable: {
    means: 'The file is missing, a link, a folder, too large or not text.',
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

/** The exit code of the worst finding: damage, then a no, then no answer; 0 without findings. */
export function exitCodeOf(findings: readonly ProofFinding[]): 0 | 1 | 3 | 5 {
  const codes: readonly number[] = findings.map(one => proofClasses[one.failureClass].exitCode)
  return ([5, 1, 3] as const).find(code => codes.includes(code)) ?? 0
}

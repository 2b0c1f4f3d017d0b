/** What shows that the issue of a step is done, from the witnesses of its verification. */
import type { Proofs } from '../harness/harness.ts'
import { CloseProof } from '../kernel/work/close-proof.ts'
import { specsOf } from '../kernel/work/issue-edit.ts'
import type { TreeDigest } from '../kernel/work/tree-digest.ts'
import { openedWitnesses } from '../store/witness-store.ts'
import type { VerifyWitness } from '../wire/verify-witness.ts'
import { findProof, type ProofPlace, witnessVerification } from './close-proof.ts'
import type { OperationContext } from './operation.ts'

export function stepProofs(place: ProofPlace, context: OperationContext): Proofs {
  const opened = async (kind: 'spec' | 'verify', paths: readonly string[]) =>
    await openedWitnesses(kind, paths, {
      root: place.root,
      disk: await context.disk(),
      sha256: context.sha256,
    })
  return {
    async find(issue, ran) {
      if (specsOf(issue).length > 0) return await findProof(issue, place, context)
      const passed = { ...ran, issueId: issue.id, exitCode: 0 } as Ran
      const { path, tree } = await witnessVerification(passed, place, context)
      return CloseProof.byVerification({ issueId: issue.id, tree }, await opened('verify', [path]))
    },

    async reopen(issueId, { treeDigest, documents, witnesses }) {
      const asked = { issueId, tree: treeDigest as TreeDigest }
      return documents.length > 0
        ? CloseProof.bySpecs({ ...asked, documents }, await opened('spec', witnesses))
        : CloseProof.byVerification(asked, await opened('verify', witnesses))
    },
  }
}

type Ran = Pick<VerifyWitness, 'issueId' | 'stepId' | 'commandDigest' | 'exitCode' | 'outputDigest'>

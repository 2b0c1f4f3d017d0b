/** What shows that the issue of a step is done, from the witnesses of its verification. */
import { Fault } from '../fault.ts'
import type { Proofs } from '../harness/harness.ts'
import { CloseProof } from '../kernel/work/close-proof.ts'
import { specsOf } from '../kernel/work/issue-edit.ts'
import { refuse } from '../kernel/work/issue-refusal.ts'
import type { TreeDigest } from '../kernel/work/tree-digest.ts'
import { openedWitnesses } from '../store/witness-store.ts'
import type { VerifyWitness } from '../wire/verify-witness.ts'
import { findProof, type ProofPlace, treeDigestOf, witnessVerification } from './close-proof.ts'
import type { OperationContext } from './operation.ts'

export function stepProofs(place: ProofPlace, context: OperationContext): Proofs {
  const opened = async (kind: 'spec' | 'verify', paths: readonly string[]) =>
    await openedWitnesses(kind, paths, {
      root: place.root,
      disk: await context.disk(),
      sha256: context.sha256,
    })
  return {
    folder: place.folder,

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

    async staleness({ folder, treeDigest }) {
      const tree = await treeAgain(folder, context)
      if (tree === treeDigest) return undefined
      const why = tree === undefined ? `nothing can be read in ${folder}` : 'files have changed'
      return refuse('close_proof_stale', `${why} since it was verified`, 'Verify it again.')
    },
  }
}

/** A worktree may be gone by now, or its git may be: what cannot be read shows nothing. */
async function treeAgain(
  folder: string,
  context: OperationContext,
): Promise<TreeDigest | undefined> {
  if ((await context.files.kindOf(folder)) !== 'folder') return undefined
  try {
    return await treeDigestOf({ folder }, context)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

type Ran = Pick<VerifyWitness, 'issueId' | 'stepId' | 'commandDigest' | 'exitCode' | 'outputDigest'>

/** What shows that the issue of a step is done, from the witnesses of its verification. */
import { Fault } from '../../fault.ts'
import type { Proofs } from '../../harness/harness.ts'
import type { FoundProof } from '../../kernel/harness/step/step-journal.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { refuse } from '../../kernel/issues/issue-refusal.ts'
import { CloseProof } from '../../kernel/proof/close-proof.ts'
import type { TreeDigest } from '../../kernel/proof/tree-digest.ts'
import { openedWitnesses } from '../../store/witness-store.ts'
import type { VerifyWitness } from '../../wire/proof/verify-witness.ts'
import type { OperationContext } from '../context.ts'
import {
  contentsOf,
  findProof,
  type ProofPlace,
  treeDigestOf,
  witnessVerification,
} from './close-proof.ts'

export function stepProofs(place: ProofPlace, context: OperationContext): Proofs {
  const opened = async (kind: 'spec' | 'verify', paths: readonly string[]) =>
    await openedWitnesses(kind, paths, {
      root: place.root,
      disk: await context.disk(),
      sha256: context.sha256,
    })
  return {
    folder: place.folder,
    tree: onAsked => treeDigestOf(place, context, onAsked),

    async find(issue, ran) {
      if (specsOf(issue).length > 0) return await findProof(issue, place, context)
      const { treeDigest, treeNow, ...last } = ran
      const passed = { ...last, issueId: issue.id, exitCode: 0 } as Ran
      const tree = (treeNow as TreeDigest | undefined) ?? (await treeDigestOf(place, context))
      // It vouches for the files it was run on, which are not these where something changed them.
      const verified = (treeDigest ?? tree) as TreeDigest
      // Read again when the issue is closed by it.
      const witness = await witnessVerification(passed, verified, place, context)
      return CloseProof.byVerification({ issueId: issue.id, tree }, [witness])
    },

    async reopen(issueId, { treeDigest, specs, documents, witnesses }) {
      const asked = { issueId, tree: treeDigest as TreeDigest }
      return documents.length > 0
        ? CloseProof.bySpecs({ ...asked, specs, documents }, await opened('spec', witnesses))
        : CloseProof.byVerification(asked, await opened('verify', witnesses))
    },

    async staleness(found) {
      const { folder } = found
      const here = await foundAgain(found, context)
      if (here === undefined) return stale(`nothing can be read in ${folder}`)
      return here === printed(found) ? undefined : stale('files have changed')
    },
  }
}

const stale = (why: string) =>
  refuse('close_proof_stale', `${why} since it was verified`, 'Verify it again.')

const printed = ({ treeDigest, documents }: Pick<FoundProof, 'treeDigest' | 'documents'>) =>
  [treeDigest, ...documents.flatMap(({ path, sha256 }) => [path, sha256])].join('\n')

/** A worktree may be gone by now, or its git, or a spec: what cannot be read shows nothing. */
async function foundAgain(
  { folder, documents }: FoundProof,
  context: OperationContext,
): Promise<string | undefined> {
  if ((await context.files.kindOf(folder)) !== 'folder') return undefined
  const paths = documents.map(({ path }) => path)
  try {
    const treeDigest = await treeDigestOf({ folder }, context)
    return printed({ treeDigest, documents: await contentsOf(paths, { folder }, context) })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

type Ran = Pick<VerifyWitness, 'issueId' | 'stepId' | 'commandDigest' | 'exitCode' | 'outputDigest'>

/** Proves that the issue of a step is done, from the witnesses of its verification. */
import { Fault } from '../../fault.ts'
import type { Proofs } from '../../harness/harness.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { CloseProof } from '../../kernel/proof/close-proof.ts'
import type { TreeDigest } from '../../kernel/proof/tree-digest.ts'
import { openedWitnesses } from '../../store/witness-store.ts'
import type { FoundProof } from '../../wire/harness/step-journal.ts'
import type { Project } from '../open.ts'
import {
  contentsOf,
  signLeft,
  specProof,
  treeDigestOf,
  witnessVerification,
} from './close-proof.ts'

export async function stepProofs(project: Project): Promise<Proofs> {
  const { root, sha256 } = project
  const folder = await project.folderHere()
  const opened = async (kind: 'spec' | 'verify', paths: readonly string[]) =>
    await openedWitnesses(kind, paths, { root, disk: await project.disk(), sha256 })
  return {
    folder,
    tree: onAsked => treeDigestOf(folder, project, onAsked),

    async find(issue, ran) {
      const { witness: left, ...last } = ran
      // Others than the one of this run may be there, and the work may have written them.
      if (specsOf(issue).length > 0) {
        const proof = await specProof(issue, left ? [left] : [], project)
        const { commit, gitTree } = last
        const checkout = commit && gitTree ? { commit, gitTree } : undefined
        if (left && !isRefusal(proof)) await signLeft(left, project, checkout)
        return proof
      }
      const passed = { ...last, issueId: issue.id, exitCode: 0 } as Ran
      const tree = await treeDigestOf(folder, project)
      // The close reads this witness again.
      const witness = await witnessVerification(passed, tree, project)
      return CloseProof.byVerification({ issueId: issue.id, tree }, [witness])
    },

    async reopen(issueId, { treeDigest, specs, documents, witnesses }) {
      const asked = { issueId, tree: treeDigest as TreeDigest }
      return documents.length > 0
        ? CloseProof.bySpecs({ ...asked, specs, documents }, await opened('spec', witnesses))
        : CloseProof.byVerification(asked, await opened('verify', witnesses))
    },

    async staleness(found) {
      const here = await proofAgain(found, project)
      if (here === undefined) return stale(`nothing can be read in ${found.folder}`)
      return here === printed(found) ? undefined : stale('files have changed')
    },
  }
}

const stale = (why: string) =>
  refuse('close_proof_stale', `${why} since it was verified`, 'Verify it again.')

const printed = ({ treeDigest, documents }: Pick<FoundProof, 'treeDigest' | 'documents'>) =>
  [treeDigest, ...documents.flatMap(({ path, sha256 }) => [path, sha256])].join('\n')

/** `undefined` where the worktree, its repository or a spec is gone. */
async function proofAgain(
  { folder, documents }: FoundProof,
  project: Project,
): Promise<string | undefined> {
  if ((await project.files.kindOf(folder)) !== 'folder') return undefined
  const paths = documents.map(({ path }) => path)
  try {
    const treeDigest = await treeDigestOf(folder, project)
    return printed({ treeDigest, documents: await contentsOf(paths, folder, project) })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

type Ran = Parameters<typeof witnessVerification>[0]

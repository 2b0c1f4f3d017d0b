/** Witnesses and proofs of a project, as the operations that ask for them open them. */
import type { Sha256 } from '../kernel/canonical.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { TreeDigest } from '../kernel/proof/tree-digest.ts'
import type { FileProofStore } from '../store/file/file-proof-store.ts'
import type { OwnPath } from '../store/file/issue-files.ts'
import type { Disk, Files } from '../world/world.ts'
import type { OperationContext } from './context.ts'
import { openGate } from './gate/gate.ts'
import { openIssues } from './open-issues.ts'
import { proofPlace, treeDigestOf } from './proofs/close-proof.ts'
import { registryClaims } from './registry.ts'

export interface OpenWitnesses {
  readonly root: string
  readonly disk: Disk
  readonly files: Files
  readonly sha256: Sha256
  /** What the project tells of its issues; nothing where it has none. */
  readonly memory: IssueMemory | undefined
  readonly proofs: FileProofStore
  readonly ownPaths: readonly OwnPath[]
  /** Nanoseconds since 1970. */
  readonly now: bigint
  readonly gate: ReturnType<typeof openGate>
  /** Of the files as they are; read once, and only where somebody asks. */
  tree(): Promise<TreeDigest>
}

export async function openWitnesses(
  context: OperationContext,
  input: { readonly issues: string | undefined },
): Promise<OpenWitnesses> {
  const { root: given, store, ownPaths, proofs } = await openIssues(context, input, 'ask')
  const { files, sha256, clock } = context
  const disk = await context.disk()
  const root = await disk.realPath(given)
  let tree: Promise<TreeDigest> | undefined
  return {
    root,
    disk,
    files,
    sha256,
    memory: (await store.exists()) ? await store.read() : undefined,
    proofs: await proofs(),
    ownPaths,
    now: clock.now(),
    gate: openGate(context, await registryClaims(context)),
    tree() {
      tree ??= proofPlace(given, context).then(place => treeDigestOf(place, context))
      return tree
    },
  }
}

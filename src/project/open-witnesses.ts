/** Opens the witnesses and proofs of a project. */
import type { Sha256 } from '../kernel/canonical.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { TreeDigest } from '../kernel/proof/tree-digest.ts'
import { readEventLines } from '../store/file/event-lines.ts'
import type { FileProofStore } from '../store/file/file-proof-store.ts'
import type { OwnPath } from '../store/file/issue-files.ts'
import type { Disk, Files } from '../world/world.ts'
import { openGate } from './gate/gate.ts'
import type { Project } from './open.ts'
import { fileStore, openIssues } from './open-issues.ts'
import { treeDigestOf } from './proofs/close-proof.ts'

export interface OpenWitnesses {
  readonly root: string
  readonly disk: Disk
  readonly files: Files
  readonly sha256: Sha256
  /** `undefined` where the project has none. */
  readonly memory: IssueMemory | undefined
  /** The issues that the event log shows in another state than closed. */
  seenOpen(): Promise<ReadonlySet<string>>
  readonly proofs: FileProofStore
  readonly ownPaths: readonly OwnPath[]
  /** Nanoseconds since 1970. */
  readonly now: bigint
  readonly gate: ReturnType<typeof openGate>
  /** The digest of the project's files now; computed at the first call. */
  tree(): Promise<TreeDigest>
}

export async function openWitnesses(
  here: Project,
  input: { readonly issues: string | undefined },
): Promise<OpenWitnesses> {
  const { project, store, ownPaths, proofs } = await openIssues(here, input, 'ask')
  const { files, sha256, clock } = project
  const disk = await project.disk()
  const root = await disk.realPath(project.root)
  let tree: Promise<TreeDigest> | undefined
  return {
    root,
    disk,
    files,
    sha256,
    memory: (await store.exists()) ? await store.read() : undefined,
    seenOpen: () => seenOpenIn(fileStore({ store }).files.events, files),
    proofs: await proofs(),
    ownPaths,
    now: clock.now(),
    gate: openGate(here, await here.claims()),
    tree() {
      tree ??= project.folderHere().then(folder => treeDigestOf(folder, project))
      return tree
    },
  }
}

async function seenOpenIn(log: string, files: Files): Promise<ReadonlySet<string>> {
  const bytes = await files.readIfPresent(log)
  const lines = bytes ? readEventLines(bytes, log).lines : []
  const open = lines.filter(
    ({ event }) => event.action === 'upsert_issue' && event.issue.status !== 'closed',
  )
  return new Set(open.map(({ event }) => event.issue_id))
}

/** Opens the witnesses and proofs of a project. */
import type { Sha256 } from '../kernel/canonical.ts'
import type { IssueEvent } from '../kernel/issues/events/issue-event.ts'
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

interface LoggedEvent {
  readonly event: IssueEvent
  readonly line: number
}

export interface OpenWitnesses {
  readonly root: string
  readonly disk: Disk
  readonly files: Files
  readonly sha256: Sha256
  /** `undefined` where the project has none. */
  readonly memory: IssueMemory | undefined
  /** The events of issues, in the order of the log. */
  events(): Promise<readonly LoggedEvent[]>
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
  const events = () => eventsIn(fileStore({ store }).files.events, files)
  let tree: Promise<TreeDigest> | undefined
  return {
    root,
    disk,
    files,
    sha256,
    memory: (await store.exists()) ? await store.read() : undefined,
    events,
    seenOpen: async () => seenOpenIn(await events()),
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

async function eventsIn(log: string, files: Files): Promise<readonly LoggedEvent[]> {
  const bytes = await files.readIfPresent(log)
  return bytes ? readEventLines(bytes, log).lines : []
}

function seenOpenIn(lines: readonly LoggedEvent[]): ReadonlySet<string> {
  const open = lines.flatMap(({ event }) =>
    event.action === 'upsert_issue' && event.issue.status !== 'closed' ? [event.issue_id] : [],
  )
  return new Set(open)
}

/** Issue memory, as the operations that need it open it. */

import { Fault } from '../fault.ts'
import type { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { MutationPolicy } from '../kernel/authority/mutation-policy.ts'
import type { GrantRefusal, OperatorGrant } from '../kernel/authority/operator-grant.ts'
import { newIdFor } from '../kernel/issues/issue-id.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import { FileIssueStore } from '../store/file/file-issue-store.ts'
import type { FileProofStore } from '../store/file/file-proof-store.ts'
import { type OwnPath, ownPaths } from '../store/file/issue-files.ts'
import type { IssueStore } from '../store/issue-store.ts'
import { personUnder } from './authority/acting-surface.ts'
import { type AgentInput, instructionIn } from './authority/agent-fields.ts'
import type { OperationContext } from './context.ts'
import { insideProject, resolvePath } from './paths.ts'
import { mutationPolicy } from './policy-file.ts'
import { policyInForce } from './policy-in-force.ts'
import { projectOfFile, projectRoot } from './root.ts'

/** A person, or an agent under an instruction. */
export type Acting = OperatorGrant | GrantRefusal | AgentGrant | IssueRefusal

export interface OpenIssues {
  readonly store: IssueStore
  /** Holds records that belong to the memory: step journals, recorded overrides. */
  readonly recordsFolder: string
  /** Files of the memory. Commands do not write their output there. */
  readonly ownPaths: readonly OwnPath[]
  readonly proofs: () => Promise<FileProofStore>
  /** As the person gave it, or where it is by default. */
  readonly issuesPath: string
  readonly root: string
  /** Nanoseconds since 1970. */
  now(): bigint
  /** Whoever acts on this command line. A refused one is for the store to refuse. */
  authority(reason?: string): Acting
  /** The same, asked again, with the witness of a turn. */
  authorityNow(reason: string | undefined, joinWitness: string): Promise<Acting>
}

export const defaultIssuesPath = '.premath/issues.jsonl'

/** `--issues` names the file from here; otherwise it is the project's, or as the environment says. */
export async function openIssues(
  context: OperationContext,
  flags: { readonly issues?: string | undefined } & AgentInput,
  purpose: 'ask' | 'change' = 'change',
): Promise<OpenIssues> {
  const { clock, sha256 } = context
  const here = await projectRoot(context)
  const { folder, issuesPath } = issuesPlace(context, here, flags.issues)
  const disk = await context.disk()
  const path = await insideProject(resolvePath(folder, issuesPath), {
    root: here,
    disk,
    flag: '--issues',
  })
  const root = await projectOfFile(path, here, context)
  const policy = await (purpose === 'ask' ? mutationPolicy : policyInForce)(root, context)
  const agent = purpose === 'ask' ? undefined : await agentOf(context, flags, root, policy)
  const proofs = () => openProofs(root, path, context)
  const store = new FileIssueStore({
    path,
    disk,
    clock,
    newId: (memory, now) =>
      newIdFor(policy.ids, memory, {
        title: path,
        now,
        random: policy.ids === 'hash' ? context.random() : '',
        sha256,
      }),
    cache: await cacheOf(path, root, context),
    proofs,
  })
  return {
    store,
    recordsFolder: store.files.folder,
    ownPaths: ownPaths(store.files),
    proofs,
    issuesPath,
    root,
    now: () => clock.now(),
    authority: reason => agent ?? personUnder(policy, reason, context),
    authorityNow: async (reason, joinWitness) => {
      const now = await policyInForce(root, context)
      const asked = await agentOf(context, { ...flags, joinWitness }, root, now)
      return asked ?? personUnder(now, reason, context)
    },
  }
}

/** What agents need is loaded when one acts. */
async function agentOf(
  context: OperationContext,
  flags: AgentInput,
  root: string,
  policy: MutationPolicy,
): Promise<AgentGrant | IssueRefusal | undefined> {
  const instructionId = instructionIn(flags, context)
  if (instructionId === undefined) return undefined
  const { agentAuthority } = await import('./authority/agent-authority.ts')
  return await agentAuthority(instructionId, flags, { root, policy }, context)
}

/** Loaded when an issue closes, or a command reads the proof of a close. */
async function openProofs(
  root: string,
  issuesPath: string,
  { disk, files, sha256 }: OperationContext,
): Promise<FileProofStore> {
  const { FileProofStore } = await import('../store/file/file-proof-store.ts')
  return new FileProofStore({ root, issuesPath, disk: await disk(), files, sha256 })
}

/** The file backend, for commands that work on its files. */
export function fileStore({ store }: Pick<OpenIssues, 'store'>): FileIssueStore {
  if (store instanceof FileIssueStore) return store
  throw new Fault('usage', `issue memory at ${store.location} is not a file of rows`, {
    hint: 'This command works on the files of issue memory, and needs --issues <file>.',
  })
}

/** The path as it is shown, and the folder it starts from. */
export const issuesPlace = (
  { cwd, env }: Pick<OperationContext, 'cwd' | 'env'>,
  root: string,
  given: string | undefined,
) =>
  given
    ? { folder: cwd(), issuesPath: given }
    : { folder: root, issuesPath: env['PREMATH_ISSUES_PATH'] || defaultIssuesPath }

/** In the project's own cache, wherever the file is; without a project nothing is kept. */
async function cacheOf(path: string, root: string, { files, sha256 }: OperationContext) {
  const own = `${root.replace(/\/$/, '')}/.premath`
  if ((await files.kindOf(own)) !== 'folder') return undefined
  const name = path === `${own}/issues.jsonl` ? 'issues' : `issues-${sha256(path).slice(0, 16)}`
  return { folder: `${own}/cache`, name }
}

/** What the store set right on the way is told, whatever the answer is. */
export function talkOf(
  { store }: Pick<OpenIssues, 'store'>,
  ...own: readonly (string | undefined)[]
): { readonly talk?: string } {
  const notes = store.notices.map(note => `note: ${note}`)
  const lines = [...notes, ...own.filter(line => line !== undefined)]
  return lines.length > 0 ? { talk: lines.join('\n') } : {}
}

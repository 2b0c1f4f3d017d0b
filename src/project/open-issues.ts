/** Opens issue memory. */

import { Fault } from '../fault.ts'
import { type Repository, repositoryAround } from '../harness/worktree/repository.ts'
import { newIdFor } from '../kernel/issues/issue-id.ts'
import { FileIssueStore } from '../store/file/file-issue-store.ts'
import type { FileProofStore } from '../store/file/file-proof-store.ts'
import { issueFiles, type OwnPath, ownPaths } from '../store/file/issue-files.ts'
import type { IssueStore } from '../store/issue-store.ts'
import type { Disk } from '../world/world.ts'
import { forwardPlace } from './issues/forward-place.ts'
import { mustBeMerged } from './issues/unmerged.ts'
import { type Project, projectOf } from './open.ts'
import { insideProject, resolvePath } from './paths.ts'

export interface OpenIssues {
  readonly store: IssueStore
  /** Holds records that belong to the memory: step journals, recorded overrides. */
  readonly recordsFolder: string
  /** Files of the memory. Commands do not write their output there. */
  readonly ownPaths: readonly OwnPath[]
  readonly proofs: () => Promise<FileProofStore>
  /** As the person gave it, or the default. */
  readonly issuesPath: string
  /** The project that the memory belongs to: its policy decides who may change it. */
  readonly project: Project
}

export const defaultIssuesPath = '.premath/issues.jsonl'

/**
 * The memory of the project. `--issues` names another file, from the working folder;
 * `PREMATH_ISSUES_PATH` names one from the root. To `look` is to ask without writing a cache.
 */
export async function openIssues(
  here: Project,
  flags: {
    readonly issues?: string | undefined
    /** Opens a memory that git has not merged, which may lack rows. */
    readonly isUnmergedToo?: true
  },
  purpose: 'ask' | 'look' | 'change' = 'change',
): Promise<OpenIssues> {
  const { folder, issuesPath } = issuesPlace(here, flags.issues)
  const disk = await here.disk()
  const path = await insideProject(resolvePath(folder, issuesPath), {
    root: here.root,
    disk,
    flag: '--issues',
  })
  const project = await projectOf(path, here)
  // A question needs no policy in force, but stops at a policy that cannot be trusted.
  const { ids } =
    purpose === 'change' ? await project.policy() : (await project.writtenPolicy()).policy
  const { clock, sha256, random } = project
  const repository = await repositoryAround(disk, path.slice(0, path.lastIndexOf('/')) || '/')
  if (repository && !flags.isUnmergedToo) {
    if (purpose === 'change') await mustNotBeCopy(path, repository, disk)
    await mustBeMerged(issueFiles(path), repository, project)
  }
  const forward = await forwardPlace(path, repository, project, purpose === 'look')
  const proofs = () => openProofs(path, project, forward && `${forward.folder}/proofs`)
  const store = new FileIssueStore({
    path,
    disk,
    clock,
    newId: (memory, now) =>
      newIdFor(ids, memory, { title: path, now, random: ids === 'hash' ? random() : '', sha256 }),
    cache: await cacheOf(path, purpose === 'look', project),
    forward,
    kept: purpose === 'change' ? undefined : await keptAt(path, disk, project),
    proofs,
    lockWaitMs: async () => (await project.config()).config.lockWaitSeconds * 1000,
  })
  const { files } = store
  return {
    store,
    recordsFolder: files.folder,
    ownPaths: ownPaths(files),
    proofs,
    issuesPath,
    project,
  }
}

/** A claim in the copy that a linked worktree has checked out would give a fence out twice. */
async function mustNotBeCopy(path: string, { top, own, common }: Repository, disk: Disk) {
  if (own === common || !common.endsWith('/.git')) return
  const memory = `${common.slice(0, -'/.git'.length)}${path.slice(top.length)}`
  if ((await disk.stamp(memory)) === undefined) return
  throw new Fault('usage', `${path} is a copy of issue memory that git checked out`, {
    hint: `Nothing was changed. The memory of the repository is ${memory}: leave out --issues, PREMATH_ISSUES_PATH or PREMATH_ROOT, whichever names the copy.`,
    detail: { path, memory },
  })
}

/** Loaded when an issue closes, or a command reads the proof of a close. */
async function openProofs(
  issuesPath: string,
  project: Project,
  copies: string | undefined,
): Promise<FileProofStore> {
  const { root, disk, files, sha256 } = project
  const { FileProofStore } = await import('../store/file/file-proof-store.ts')
  const signer = async () => (await import('./proofs/birth-signing.ts')).signerOf(project)
  return new FileProofStore({ root, issuesPath, disk: await disk(), files, sha256, copies, signer })
}

/** The file backend, for commands that work on its files. */
export function fileStore({ store }: Pick<OpenIssues, 'store'>): FileIssueStore {
  if (store instanceof FileIssueStore) return store
  throw new Fault('usage', `issue memory at ${store.location} is not a file of rows`, {
    hint: 'This command works on the files of issue memory, and needs --issues <file>.',
  })
}

/** The path as it is shown, and the folder that it starts from. */
export const issuesPlace = ({ cwd, env, root }: Project, given: string | undefined) =>
  given
    ? { folder: cwd(), issuesPath: given }
    : { folder: root, issuesPath: env['PREMATH_ISSUES_PATH'] || defaultIssuesPath }

/** The memory of one file is kept. The code is loaded by a resident process alone. */
async function keptAt(path: string, disk: Disk, { keptMemory, clock, sha256 }: Project) {
  if (!keptMemory) return undefined
  const { KeptIssues } = await import('../store/file/kept-issues.ts')
  const found = keptMemory.get(path)
  const kept = found instanceof KeptIssues ? found : new KeptIssues({ path, disk, clock, sha256 })
  keptMemory.clear()
  keptMemory.set(path, kept)
  return kept
}

/** In the project's cache, wherever the file is; without a project nothing is cached. */
async function cacheOf(path: string, isReadOnly: boolean, { at, files, sha256 }: Project) {
  const own = at('.premath')
  if ((await files.kindOf(own)) !== 'folder') return undefined
  const name = path === `${own}/issues.jsonl` ? 'issues' : `issues-${sha256(path).slice(0, 16)}`
  return { folder: `${own}/cache`, name, isReadOnly }
}

/** The repairs that the store made, and the messages of the command itself. */
export function messageOf(
  { store }: Pick<OpenIssues, 'store'>,
  ...own: readonly (string | undefined)[]
): { readonly message?: string } {
  const notes = store.notices.map(note => `note: ${note}`)
  const lines = [...notes, ...own.filter(line => line !== undefined)]
  return lines.length > 0 ? { message: lines.join('\n') } : {}
}

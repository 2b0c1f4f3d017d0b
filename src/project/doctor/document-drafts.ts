/** Drafts of our own documents in `.premath/` that nobody will put in place any more. */

import { mutationPolicyPath } from '../../kernel/authority/mutation-policy.ts'
import { ledgerPathDefault } from '../../kernel/harness/feature-ledger.ts'
import { sessionPathDefault } from '../../kernel/harness/session.ts'
import { checksPath } from '../../kernel/instruction/checks.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'
import { worktreeTop } from '../root.ts'
import { worktreeDocuments } from '../worktree-documents.ts'
import { isOldDraft } from './draft-age.ts'

interface Place {
  readonly root: string
  readonly context: OperationContext
  readonly disk: Disk
  readonly now: bigint
}

/** One that we write into. Others may keep files beside ours. */
interface OwnFolder {
  /** The project or worktree that it is part of. */
  readonly top: string
  readonly path: string
  isOurs(name: string): boolean
}

export async function documentDrafts(place: Place): Promise<readonly string[]> {
  const drafts: string[] = []
  for (const folder of await ownFolders(place)) {
    if (await isInPlace(folder, place.disk)) drafts.push(...(await draftsIn(folder, place)))
  }
  return drafts
}

const namesOf = (paths: readonly string[]) =>
  new Set(paths.map(path => path.slice(path.lastIndexOf('/') + 1)))

const projectNames = namesOf([
  sessionPathDefault,
  ledgerPathDefault,
  mutationPolicyPath,
  checksPath,
  'replay-cache.json',
  '.gitignore',
  '.gitattributes',
])
const workerNames = namesOf([sessionPathDefault, ledgerPathDefault, '.gitignore'])

async function ownFolders({ root, context }: Place): Promise<readonly OwnFolder[]> {
  const inProject = (path: string, isOurs: OwnFolder['isOurs']) => ({
    top: root,
    path: resolvePath(root, path),
    isOurs,
  })
  const ofWorker = (top: string, worktree: string) => ({
    top,
    path: worktreeDocuments(worktree).folder,
    isOurs: (name: string) => workerNames.has(name),
  })
  const here = await worktreeTop(context)
  return [
    inProject('.premath', name => projectNames.has(name)),
    // All that is in there is ours.
    inProject('.premath/cache', () => true),
    ...(await worktreesGiven(root, context)).map(worktree => ofWorker(root, worktree)),
    ...(here === undefined || here.startsWith(`${root}/`) ? [] : [ofWorker(here, here)]),
  ]
}

async function worktreesGiven(root: string, { files }: OperationContext): Promise<string[]> {
  const folder = resolvePath(root, '.premath/worktrees')
  if ((await files.kindOf(folder)) !== 'folder') return []
  const entries = await files.list(folder)
  return entries.filter(({ isFolder }) => isFolder).map(({ name }) => `${folder}/${name}`)
}

/** What a link leads to is not ours to tidy up. */
async function isInPlace({ top, path }: OwnFolder, disk: Disk): Promise<boolean> {
  if ((await disk.entry(path))?.kind !== 'folder') return false
  return (await disk.realPath(path)) === (await disk.realPath(top)) + path.slice(top.length)
}

const draftName = /^(?<document>.+)\.tmp\.\d+\.\d+$/

async function draftsIn({ path, isOurs }: OwnFolder, place: Place): Promise<readonly string[]> {
  const drafts: string[] = []
  for (const { name, isFolder } of await place.context.files.list(path)) {
    const document = draftName.exec(name)?.groups?.['document']
    if (isFolder || document === undefined || !isOurs(document)) continue
    const draft = `${path}/${name}`
    if (await isLeft(draft, `${path}/${document}`, place)) drafts.push(draft)
  }
  return drafts
}

/** Who writes a session or a ledger holds its lock; of what has none, only age can tell. */
async function isLeft(draft: string, document: string, { disk, now }: Place): Promise<boolean> {
  const lockPath = `${document}.lock`
  if (!(await disk.stamp(lockPath))) return await isOldDraft(draft, disk, now)
  const lock = await disk.lock(lockPath, 0)
  if (!lock.held) return false
  await lock.release()
  // Whoever held it may have put it in place, or taken it away, since it was listed.
  return (await disk.entry(draft))?.kind === 'file'
}

/** Finds drafts: files that a process left when it was killed while it wrote. */

import { mutationPolicyPath } from '../../kernel/authority/mutation-policy.ts'
import { ledgerPathDefault } from '../../kernel/harness/feature-ledger.ts'
import { sessionPathDefault } from '../../kernel/harness/session.ts'
import { checksPath } from '../../kernel/instruction/checks.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { Disk } from '../../world/world.ts'
import { worktreeDocuments } from '../harness-files.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { type Examined, finding, fixed, noting } from './finding.ts'

interface Place {
  readonly project: Project
  readonly disk: Disk
  readonly now: bigint
}

interface Visit extends Place {
  /** The path of the rows. */
  readonly path: string
  readonly fix: boolean
}

export async function examineDrafts(visit: Visit): Promise<Examined> {
  const listed = await noting('permissions', async () => [
    ...(await rowDrafts(visit)),
    // A killed loop leaves such drafts, which is no news to a person.
    ...(visit.fix ? [...(await documentDrafts(visit)), ...(await witnessDrafts(visit))] : []),
  ])
  if ('found' in listed) return listed.found
  const drafts = listed.value
  const found = drafts.map(path =>
    finding(
      'drafts',
      `${path} was left by a process that was killed while it wrote`,
      'It only uses disk space.',
      'premath doctor --fix removes it.',
    ),
  )
  if (!visit.fix) return { checks: ['drafts'], findings: found }
  for (const path of drafts) await visit.disk.remove(path)
  return { checks: ['drafts'], findings: found.map(one => fixed(one, 'Removed.')) }
}

async function rowDrafts({ path, project: { files } }: Visit): Promise<string[]> {
  const [folder, name] = [
    path.replace(/\/[^/]*$/, '') || '/',
    path.slice(path.lastIndexOf('/') + 1),
  ]
  return (await files.list(folder))
    .filter(entry => !entry.isFolder && entry.name.startsWith(`${name}.tmp.`))
    .map(entry => `${folder}/${entry.name}`)
}

const witnessDraft = /\.json\.tmp\.\d+\.\d+$/

async function witnessDrafts({ project, disk, now }: Place): Promise<string[]> {
  const { at, files, root } = project
  const drafts: string[] = []
  const folder = at(witnessFolder)
  const isOurs =
    (await disk.realPath(folder)) === resolvePath(await disk.realPath(root), witnessFolder)
  const folders = isOurs ? [folder] : []
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // The target of a link is not ours to tidy up.
    if ((await disk.entry(folder))?.kind !== 'folder') continue
    for (const { name, isFolder } of await files.list(folder)) {
      const path = `${folder}/${name}`
      if (isFolder) folders.push(path)
      else if (witnessDraft.test(name) && (await isOldDraft(path, disk, now))) drafts.push(path)
    }
  }
  return drafts
}

/** A folder that premath writes into. Others may keep files beside ours. */
interface OwnFolder {
  /** The project or worktree that it is part of. */
  readonly top: string
  readonly path: string
  isOurs(name: string): boolean
}

/** Drafts of premath's documents in `.premath/` that no process will put in place. */
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

async function ownFolders({ project }: Place): Promise<readonly OwnFolder[]> {
  const { root, at } = project
  const inProject = (path: string, isOurs: OwnFolder['isOurs']) => ({
    top: root,
    path: at(path),
    isOurs,
  })
  const ofWorker = (top: string, worktree: string) => ({
    top,
    path: worktreeDocuments(worktree).folder,
    isOurs: (name: string) => workerNames.has(name),
  })
  const here = await project.worktree()
  return [
    inProject('.premath', name => projectNames.has(name)),
    // Every file in there is ours.
    inProject('.premath/cache', () => true),
    ...(await worktreesGiven(project)).map(worktree => ofWorker(root, worktree)),
    ...(here === undefined || here.startsWith(`${root}/`) ? [] : [ofWorker(here, here)]),
  ]
}

async function worktreesGiven({ at, files }: Project): Promise<string[]> {
  const folder = at('.premath/worktrees')
  if ((await files.kindOf(folder)) !== 'folder') return []
  const entries = await files.list(folder)
  return entries.filter(({ isFolder }) => isFolder).map(({ name }) => `${folder}/${name}`)
}

/** The target of a link is not ours to tidy up. */
async function isInPlace({ top, path }: OwnFolder, disk: Disk): Promise<boolean> {
  if ((await disk.entry(path))?.kind !== 'folder') return false
  return (await disk.realPath(path)) === (await disk.realPath(top)) + path.slice(top.length)
}

const draftName = /^(?<document>.+)\.tmp\.\d+\.\d+$/

async function draftsIn({ path, isOurs }: OwnFolder, place: Place): Promise<readonly string[]> {
  const drafts: string[] = []
  for (const { name, isFolder } of await place.project.files.list(path)) {
    const document = draftName.exec(name)?.groups?.['document']
    if (isFolder || document === undefined || !isOurs(document)) continue
    const draft = `${path}/${name}`
    if (await isLeft(draft, `${path}/${document}`, place)) drafts.push(draft)
  }
  return drafts
}

/** The writer of a session or a ledger holds its lock; other drafts are judged by their age. */
async function isLeft(draft: string, document: string, { disk, now }: Place): Promise<boolean> {
  const lockPath = `${document}.lock`
  if (!(await disk.stamp(lockPath))) return await isOldDraft(draft, disk, now)
  const lock = await disk.lock(lockPath, 0)
  if (!lock.held) return false
  await lock.release()
  // Its writer may have put it in place, or removed it, since it was listed.
  return (await disk.entry(draft))?.kind === 'file'
}

/** A younger draft may belong to a process that writes right now, without a lock. */
const writingNs = 60_000_000_000n

async function isOldDraft(path: string, disk: Disk, now: bigint): Promise<boolean> {
  const entry = await disk.entry(path)
  return entry?.kind === 'file' && now - entry.stamp.modifiedNs > writingNs
}

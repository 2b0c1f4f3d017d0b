/** Finds drafts: files that a process left when it was killed while it wrote. */
import { repositoryAround } from '../../harness/worktree/repository.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import type { Disk } from '../../world/world.ts'
import { worktreeDocuments } from '../harness-files.ts'
import { forwardPlace } from '../issues/forward-place.ts'
import type { Project } from '../open.ts'
import { defaultIssuesPath } from '../open-issues.ts'
import { outputFolders } from '../setup/added-files.ts'
import { type Examined, faultAsFinding, finding, fixed, type Visit } from './finding.ts'

export async function examineDrafts(visit: Visit): Promise<Examined> {
  const listed = await faultAsFinding('permissions', async () => [
    ...(await rowDrafts(visit)),
    // A killed loop leaves such drafts. They do no harm, so only `--fix` reports and removes them.
    ...(visit.fix ? await oldDrafts(visit) : []),
  ])
  if ('found' in listed) return listed.found
  const drafts = [...new Set(listed.value)]
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

/** Nobody writes the rows now, because doctor has their lock. */
async function rowDrafts({ path, project: { files } }: Visit): Promise<string[]> {
  const [folder, name] = [
    path.replace(/\/[^/]*$/, '') || '/',
    path.slice(path.lastIndexOf('/') + 1),
  ]
  return (await files.list(folder))
    .filter(entry => !entry.isFolder && entry.name.startsWith(`${name}.tmp.`))
    .map(entry => `${folder}/${entry.name}`)
}

/** The name of a file, the number of the process that writes it, and a count. */
const draftName = /^(.*)\.tmp\.(\d+)\.\d+$/s

/** Files that premath writes into folders where others may have drafts of their own. */
const ownName = /(\.jsonl?|^\.gitignore|^\.gitattributes|\.(torn|before|refused)-[^/]*)$/

/** Index drafts of a landing, which git writes, and the locks that git leaves beside them. */
const indexName = /^(memory|merge-[0-9a-f]+)\.index(\.lock)?$/

/** A younger draft may belong to a process of another machine or container that writes right now. */
const writingNs = 60_000_000_000n

/** The drafts below a folder. In a folder of ours alone, all of them are ours. */
interface DraftFolder {
  readonly path: string
  readonly isOursAlone: boolean
  readonly isDeep: boolean
}

type Place = Pick<Visit, 'project' | 'disk' | 'now'>

export async function oldDrafts(place: Place): Promise<string[]> {
  const drafts: string[] = []
  for (const folder of await foldersWithDrafts(place.project, place.disk)) {
    drafts.push(...(await draftsIn(folder, place)))
  }
  return drafts
}

async function draftsIn(folder: DraftFolder, place: Place): Promise<string[]> {
  const drafts: string[] = []
  for (const { name, isFolder } of await place.project.files.list(folder.path)) {
    const path = `${folder.path}/${name}`
    if (isFolder) {
      if (folder.isDeep) drafts.push(...(await draftsIn({ ...folder, path }, place)))
    } else if (isDraft(name, folder) && (await isLeft(path, name, place))) drafts.push(path)
  }
  return drafts
}

function isDraft(name: string, { isOursAlone }: DraftFolder): boolean {
  const [, target] = draftName.exec(name) ?? []
  if (target === undefined) return isOursAlone && indexName.test(name)
  return isOursAlone || ownName.test(target)
}

/** True if nobody writes it any more. */
async function isLeft(path: string, name: string, { project, disk, now }: Place): Promise<boolean> {
  const entry = await disk.entry(path)
  if (entry?.kind !== 'file' || now - entry.stamp.modifiedNs <= writingNs) return false
  const [, , writer] = draftName.exec(name) ?? []
  return writer === undefined || !(await (await project.processes()).isRunning(Number(writer)))
}

async function foldersWithDrafts(project: Project, disk: Disk): Promise<readonly DraftFolder[]> {
  const { root, at, files } = project
  // The target of a link is not ours to tidy up.
  const isOurs = async (folder: string) =>
    (await disk.entry(folder))?.kind === 'folder' &&
    (await disk.realPath(folder)) === (await disk.realPath(root)) + folder.slice(root.length)
  const below = async (folder: string) =>
    (await isOurs(folder))
      ? (await files.list(folder)).filter(one => one.isFolder).map(one => `${folder}/${one.name}`)
      : []
  const worktrees = await below(at('.premath/worktrees'))
  const deep = ['.premath/cache', '.premath/memory', '.premath/proofs', '.premath/steps']
  const own = [...deep, closesFolder].map(at)
  const candidates: readonly DraftFolder[] = [
    { path: at('.premath'), isOursAlone: false, isDeep: false },
    ...worktrees.map(worktree => ({
      path: worktreeDocuments(worktree).folder,
      isOursAlone: false,
      isDeep: false,
    })),
    ...own.map(path => ({ path, isOursAlone: true, isDeep: true })),
    ...outputFolders.map(({ path }) => ({ path: at(path), isOursAlone: false, isDeep: true })),
  ]
  const ours = await Promise.all(candidates.map(({ path }) => isOurs(path)))
  return [...candidates.filter((_, number) => ours[number]), ...(await outside(project, disk))]
}

/** Outside of the work tree: the high-water mark, and drafts of landings beside it. */
async function outside(project: Project, disk: Disk): Promise<readonly DraftFolder[]> {
  const repository = await repositoryAround(disk, project.root)
  const rows = project.at(defaultIssuesPath)
  const marked = await forwardPlace(rows, repository, project, true)
  const path = repository ? `${repository.common}/premath` : marked?.folder
  const isThere = path !== undefined && (await disk.entry(path))?.kind === 'folder'
  return isThere ? [{ path, isOursAlone: true, isDeep: true }] : []
}

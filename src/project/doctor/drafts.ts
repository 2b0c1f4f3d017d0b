/** Finds drafts: files that a process left when it was killed while it wrote. */
import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { Disk } from '../../world/world.ts'
import { worktreeDocuments } from '../harness-files.ts'
import type { Project } from '../open.ts'
import { type Examined, faultAsFinding, finding, fixed, type Visit } from './finding.ts'

export async function examineDrafts(visit: Visit): Promise<Examined> {
  const listed = await faultAsFinding('permissions', async () => [
    ...(await rowDrafts(visit)),
    // A killed loop leaves such drafts. They do no harm, so only `--fix` reports and removes them.
    ...(visit.fix ? await oldDrafts(visit) : []),
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

const draftName = /\.jsonl?\.tmp\.\d+\.\d+$/

/** A younger draft may belong to a process that writes right now. */
const writingNs = 60_000_000_000n

export async function oldDrafts({
  project,
  disk,
  now,
}: Pick<Visit, 'project' | 'disk' | 'now'>): Promise<string[]> {
  const drafts: string[] = []
  for (const folder of await foldersWithDrafts(project, disk)) {
    for (const { name } of await project.files.list(folder)) {
      if (!draftName.test(name)) continue
      const entry = await disk.entry(`${folder}/${name}`)
      const isOld = entry?.kind === 'file' && now - entry.stamp.modifiedNs > writingNs
      if (isOld) drafts.push(`${folder}/${name}`)
    }
  }
  return drafts
}

async function foldersWithDrafts({ root, at, files }: Project, disk: Disk): Promise<string[]> {
  // The target of a link is not ours to tidy up.
  const isOurs = async (folder: string) =>
    (await disk.entry(folder))?.kind === 'folder' &&
    (await disk.realPath(folder)) === (await disk.realPath(root)) + folder.slice(root.length)
  const below = async (folder: string) =>
    (await isOurs(folder))
      ? (await files.list(folder)).filter(one => one.isFolder).map(one => `${folder}/${one.name}`)
      : []
  const worktrees = await below(at('.premath/worktrees'))
  const candidates = [
    at('.premath'),
    at('.premath/cache'),
    ...worktrees.map(worktree => worktreeDocuments(worktree).folder),
    at(witnessFolder),
    ...(await below(at(witnessFolder))),
  ]
  const ours = await Promise.all(candidates.map(isOurs))
  return candidates.filter((_, number) => ours[number])
}

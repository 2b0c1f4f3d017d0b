/** Finds drafts: files that a process left when it was killed while it wrote. */

import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { Disk } from '../../world/world.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { documentDrafts } from './document-drafts.ts'
import { isOldDraft } from './draft-age.ts'
import { type Examined, finding, fixed, noting } from './finding.ts'

interface Visit {
  /** The path of the rows. */
  readonly path: string
  readonly project: Project
  readonly disk: Disk
  readonly fix: boolean
  readonly now: bigint
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
      'It only takes room.',
      'premath doctor --fix removes it.',
    ),
  )
  if (!visit.fix) return { checks: ['drafts'], findings: found }
  for (const path of drafts) await visit.disk.remove(path)
  return { checks: ['drafts'], findings: found.map(one => fixed(one, 'It is removed.')) }
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

async function witnessDrafts({ project, disk, now }: Visit): Promise<string[]> {
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

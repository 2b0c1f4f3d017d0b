/** What processes leave that were killed while they wrote a file. */

import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'
import { documentDrafts } from './document-drafts.ts'
import { isOldDraft } from './draft-age.ts'
import { type Examined, finding, fixed, noting } from './finding.ts'

interface Visit {
  /** Of the rows. */
  readonly path: string
  readonly root: string
  readonly context: OperationContext
  readonly disk: Disk
  readonly fix: boolean
  readonly now: bigint
}

export async function examineDrafts(visit: Visit): Promise<Examined> {
  const listed = await noting('permissions', async () => [
    ...(await rowDrafts(visit)),
    // A loop that is killed leaves some, and nobody needs to look at that.
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

async function rowDrafts({ path, context: { files } }: Visit): Promise<string[]> {
  const [folder, name] = [
    path.replace(/\/[^/]*$/, '') || '/',
    path.slice(path.lastIndexOf('/') + 1),
  ]
  return (await files.list(folder))
    .filter(entry => !entry.isFolder && entry.name.startsWith(`${name}.tmp.`))
    .map(entry => `${folder}/${entry.name}`)
}

const witnessDraft = /\.json\.tmp\.\d+\.\d+$/

async function witnessDrafts({ root, context: { files }, disk, now }: Visit): Promise<string[]> {
  const drafts: string[] = []
  const folder = resolvePath(root, witnessFolder)
  const isOurs =
    (await disk.realPath(folder)) === resolvePath(await disk.realPath(root), witnessFolder)
  const folders = isOurs ? [folder] : []
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // What a link leads to is not ours to tidy up.
    if ((await disk.entry(folder))?.kind !== 'folder') continue
    for (const { name, isFolder } of await files.list(folder)) {
      const path = `${folder}/${name}`
      if (isFolder) folders.push(path)
      else if (witnessDraft.test(name) && (await isOldDraft(path, disk, now))) drafts.push(path)
    }
  }
  return drafts
}

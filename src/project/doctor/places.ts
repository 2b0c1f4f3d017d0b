/** Finds what stands where premath needs a file or a folder: a pipe, a folder, a link to nowhere. */
import { Fault } from '../../fault.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { issueFiles } from '../../store/file/issue-files.ts'
import type { Disk } from '../../world/world.ts'
import type { Project } from '../open.ts'
import { projectPaths } from '../setup/added-files.ts'
import { type DoctorFinding, type Examined, finding } from './finding.ts'

/** A file has an extension, and a folder has none. */
const isFileName = (path: string) => path.slice(path.lastIndexOf('/') + 1).includes('.')

export async function examinePlaces(
  project: Project,
  issuesPath: string,
  disk: Disk,
): Promise<Examined> {
  const { rows, lock, events, folder } = issueFiles(issuesPath)
  const paths = projectPaths.map(({ path }) => project.at(path))
  const places = new Set([...paths, rows, lock, events, `${folder}/memory/grants.jsonl`])
  const found: DoctorFinding[] = []
  for (const path of places) {
    const there = await wrongKind(path, isFileName(path) ? 'file' : 'folder', disk)
    if (there !== undefined) found.push(misplaced(path, there))
  }
  return { checks: ['places'], findings: found }
}

/** `undefined` where there is nothing, or the right thing, also behind a link. */
export async function wrongKind(
  path: string,
  needed: 'file' | 'folder',
  disk: Disk,
): Promise<string | undefined> {
  const entry = await disk.entry(path)
  const isLink = entry?.kind === 'link'
  const target = isLink ? await targetOf(path, disk) : entry
  if (isLink && target === undefined) return 'is a symbolic link that leads nowhere'
  if (target === undefined || target.kind === needed) return undefined
  const kind = { file: 'file', folder: 'folder', other: 'pipe or a device', link: 'link' }
  return `is a ${kind[target.kind]}, and a ${needed} is needed there`
}

async function targetOf(path: string, disk: Disk) {
  try {
    return await disk.entry(await disk.realPath(path))
  } catch (error) {
    // A link that leads back to itself.
    if (error instanceof Fault) return undefined
    throw error
  }
}

const misplaced = (path: string, there: string) =>
  finding(
    'places',
    `${path} ${there}`,
    'Commands that need it stop, and doctor checks nothing else until it is moved.',
    `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.before-repair`)}. If git has the file, git checkout -- ${shellWord(path)} restores it. premath init makes what is missing then, and issue memory gets its acknowledged rows back.`,
    3,
  )

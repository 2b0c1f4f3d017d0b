/** Decides what `uninit` removes from a project and what stays. Looks only, and changes nothing. */
import { isInstructionId } from '../../kernel/instruction/instruction-id.ts'
import { witnessFolder, witnessKinds } from '../../kernel/proof/witness.ts'
import { counted } from '../../kernel/text/counted.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Disk } from '../../world/world.ts'
import { namingSource } from '../named-document.ts'
import type { Project } from '../open.ts'
import { mustStayInside } from '../paths.ts'
import {
  driverFiles,
  initFiles,
  machineState,
  outputFolders,
  projectPaths,
  worktreesPath,
} from './added-files.ts'
import { driverAttributes, withoutGitAttributes } from './merge-driver.ts'
import { type GitTraces, gitTraces, type UninitRepository } from './uninit-git.ts'

/** One thing that `uninit` removes. */
export interface Removable {
  readonly kind: 'file' | 'folder' | 'lines' | 'settings' | 'worktree' | 'branch' | 'ref'
  /** The path from the root, or an absolute one outside of it; the name of a branch or a ref. */
  readonly name: string
  readonly holds: string
  /** The commit of a branch or a ref: it is removed only if it still points there. */
  readonly commit?: string
}

export interface Staying {
  readonly name: string
  readonly why: string
}

export interface UninitPlan {
  readonly removes: readonly Removable[]
  readonly stays: readonly Staying[]
}

export interface UninitAsked {
  /** Issues, proofs, policy and configuration go too. */
  readonly all: boolean
  readonly issueCount: number
  /** `undefined` outside of a git repository. */
  readonly repository: UninitRepository | undefined
}

export async function planUninit(project: Project, asked: UninitAsked): Promise<UninitPlan> {
  const { all, repository } = asked
  const disk = await project.disk()
  const traces: GitTraces = repository
    ? await gitTraces(project, repository, all)
    : { removes: [], stays: await foldersWithoutGit(project, disk) }
  const hasKeptWorktree = traces.stays.some(({ name }) => name.startsWith(`${worktreesPath}/`))
  const own = await ownEntries(project, asked, hasKeptWorktree, disk)
  const outputs = await outputEntries(project, disk)
  const driver = repository ? await driverEntries(project, repository) : { removes: [], stays: [] }
  const parts = [traces, own, outputs, driver]
  return {
    removes: parts.flatMap(({ removes }) => removes),
    stays: parts.flatMap(({ stays }) => stays),
  }
}

/** Without git nobody can tell whether a worktree holds work. */
async function foldersWithoutGit(project: Project, disk: Disk): Promise<readonly Staying[]> {
  return (await worktreeFolders(project, disk)).map(name => ({
    name: `${worktreesPath}/${name}`,
    why: 'there is no git repository to compare it with',
  }))
}

/** The names of the folders in `.premath/worktrees`. */
export async function worktreeFolders(project: Project, disk: Disk): Promise<readonly string[]> {
  if ((await disk.entry(project.at(worktreesPath)))?.kind !== 'folder') return []
  const entries = await project.files.list(project.at(worktreesPath))
  return entries.filter(({ isFolder }) => isFolder).map(({ name }) => name)
}

/** What each path holds. */
const contents = new Map(projectPaths.map(({ path, holds }) => [path, holds]))

async function ownEntries(
  project: Project,
  { all, issueCount }: UninitAsked,
  hasKeptWorktree: boolean,
  disk: Disk,
): Promise<UninitPlan> {
  const home = project.at('.premath')
  if ((await project.files.kindOf(home)) !== 'folder') return { removes: [], stays: [] }
  await mustStayInside(home, project.root, disk)
  const machine = new Set<string>(machineState.map(({ path }) => path))
  const removes: Removable[] = []
  const stays: Staying[] = []
  for (const { name: entryName } of await project.files.list(home)) {
    const name = `.premath/${entryName}`
    const kind = (await disk.entry(project.at(name)))?.kind
    const isLock = kind === 'file' && name.endsWith('.lock')
    const isWorktrees = name === worktreesPath && kind === 'folder'
    if (isWorktrees && hasKeptWorktree) continue
    // The target of a link is not ours.
    const isMachine = isLock || isWorktrees || (machine.has(name) && kind !== 'link')
    const holds = isLock ? 'lock' : isWorktrees ? 'worktrees' : (contents.get(name) ?? 'other')
    const words = name === initFiles.issuesFile.path ? counted(issueCount, 'issue') : holds
    if (all || isMachine) {
      removes.push({ kind: kind === 'folder' ? 'folder' : 'file', name, holds: words })
    } else stays.push({ name, why: words })
  }
  return { removes, stays }
}

/** Outputs in folders that premath made: those have its `.gitignore`. */
async function outputEntries(project: Project, disk: Disk): Promise<UninitPlan> {
  const removes: Removable[] = []
  const stays: Staying[] = []
  for (const { path, holds } of outputFolders) {
    if ((await disk.entry(project.at(path)))?.kind !== 'folder') continue
    await mustStayInside(project.at(path), project.root, disk)
    const foreign = await foreignIn(path, project)
    if (foreign.length === 0) removes.push({ kind: 'folder', name: path, holds })
    else stays.push(...foreign.map(name => ({ name, why: 'premath did not write it' })))
  }
  return { removes, stays }
}

/** The entries that premath did not write; the folder itself if it is not one of ours. */
async function foreignIn(path: string, { at, files }: Project): Promise<readonly string[]> {
  const ignore = await files.readIfPresent(at(`${path}/.gitignore`))
  if (!ignore || new TextDecoder().decode(ignore) !== '*\n') return [path]
  if (path !== witnessFolder) return []
  const names = (await files.list(at(path))).map(({ name }) => name)
  return names.filter(name => !isWitnessEntry(name)).map(name => `${path}/${name}`)
}

/** Other tools may put evidence beside the witnesses. */
const isWitnessEntry = (name: string): boolean =>
  name === '.gitignore' ||
  name === 'instructions' ||
  Object.hasOwn(witnessKinds, name) ||
  (name.endsWith('.json') && isInstructionId(name.slice(0, -'.json'.length)))

/** The lines and settings of the merge driver. */
async function driverEntries(
  project: Project,
  { top, driver }: UninitRepository,
): Promise<UninitPlan> {
  const removes: Removable[] = []
  const stays: Staying[] = []
  const { isBlank, isChanged, isForOthers } = await attributesWithout(project, top)
  const { gitAttributes, gitConfig } = driverFiles
  if (isChanged) {
    removes.push({
      kind: 'lines',
      name: nameAt(top, gitAttributes.path, project),
      holds: `${gitAttributes.holds}${isBlank ? ' (whole file)' : ''}`,
    })
  }
  const name = nameAt(top, gitConfig.path, project)
  if (driver === 'ours' && !isForOthers) {
    removes.push({ kind: 'settings', name, holds: gitConfig.holds })
  } else if (driver === 'ours') {
    stays.push({ name, why: 'another project in this repository uses the merge driver' })
  } else if (driver === 'foreign') {
    stays.push({ name, why: 'its section merge.premath was not written by premath' })
  }
  return { removes, stays }
}

/** `.gitattributes` without the lines of this project. */
export async function attributesWithout(project: Project, top: string) {
  const path = `${top}/${driverFiles.gitAttributes.path}`
  const bytes = await project.files.readIfPresent(path)
  const before = bytes ? await namingSource(path, () => decodeUtf8(bytes)) : ''
  const after = withoutGitAttributes(before, driverAttributes(project.root.slice(top.length)))
  const isForOthers = after.split('\n').some(line => /^[^#].*\smerge=premath(\s|$)/.test(line))
  return { path, after, isChanged: after !== before, isBlank: after.trim() === '', isForOthers }
}

const nameAt = (top: string, path: string, { root }: Project) =>
  top === root ? path : `${top}/${path}`

/** Finds and removes what steps left behind: their outputs, and work that was set aside. */
import { askGit, type GitPlace, git } from '../harness/worktree/git.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { Disk, Files } from '../world/world.ts'
import type { Project } from './open.ts'
import { openTrajectory } from './open-trajectory.ts'

export interface OldOutput {
  /** `output`: the folder of a step. `attempt`: a git ref that keeps work that did not land. */
  readonly kind: 'output' | 'attempt'
  /** The path from the root of the project, or the ref. */
  readonly name: string
  /** When it last changed, in nanoseconds since 1970. */
  readonly at: bigint
  /** The commit of an attempt. */
  readonly commit?: string
}

const stepsFolder = 'artifacts/steps'
const attemptRefs = 'refs/premath/attempts/'

/** What changed last before that time. The last step of an open issue stays: it tells what failed. */
export async function oldOutputs(
  project: Project,
  memory: IssueMemory | undefined,
  before: bigint,
): Promise<readonly OldOutput[]> {
  const kept = await lastSteps(project, memory)
  const outputs = (await stepOutputs(project)).filter(({ name }) => !kept.has(name))
  const all = [...outputs, ...(await attempts(await gitPlaceOf(project)))]
  return all.filter(({ at }) => at < before).sort((a, b) => (a.at < b.at ? -1 : 1))
}

export async function removeOutputs(old: readonly OldOutput[], project: Project): Promise<void> {
  const place = await gitPlaceOf(project)
  for (const { kind, name, commit } of old) {
    if (kind === 'output') await place.disk.removeFolder(project.at(name))
    // Only if it still keeps that commit.
    else await git(place, place.root, ['update-ref', '-d', name, ...(commit ? [commit] : [])])
  }
}

async function gitPlaceOf({ root, env, ...project }: Project): Promise<GitPlace> {
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  return { root, env, disk, processes }
}

async function lastSteps(
  project: Project,
  memory: IssueMemory | undefined,
): Promise<ReadonlySet<string>> {
  const { log } = await openTrajectory(project, undefined)
  const kept = new Set<string>()
  for (const { id, status } of memory?.all() ?? []) {
    if (status === 'closed') continue
    const [last] = await log.lastOf(id, 1)
    if (last) kept.add(`${stepsFolder}/${stepFolderName(last.stepId, project.sha256)}`)
  }
  return kept
}

async function stepOutputs(project: Project): Promise<readonly OldOutput[]> {
  const [home, disk] = [project.at(stepsFolder), await project.disk()]
  // The target of a link is not ours.
  if ((await disk.entry(home))?.kind !== 'folder') return []
  const found: OldOutput[] = []
  for (const { name, isFolder } of await project.files.list(home)) {
    if (!isFolder || (await disk.entry(`${home}/${name}`))?.kind !== 'folder') continue
    const at = await newestIn(`${home}/${name}`, project.files, disk)
    found.push({ kind: 'output', name: `${stepsFolder}/${name}`, at })
  }
  return found
}

/** The time of the youngest file, because an output may still grow. */
async function newestIn(folder: string, files: Pick<Files, 'list'>, disk: Disk): Promise<bigint> {
  let newest = (await disk.stamp(folder))?.modifiedNs ?? 0n
  for (const { name } of await files.list(folder)) {
    const stamp = await disk.stamp(`${folder}/${name}`)
    if (stamp && stamp.modifiedNs > newest) newest = stamp.modifiedNs
  }
  return newest
}

/** None where there is no git repository. */
async function attempts(place: GitPlace): Promise<readonly OldOutput[]> {
  const format = '--format=%(refname)%09%(objectname)%09%(committerdate:unix)'
  const { exitCode, stdout } = await askGit(place, place.root, [
    'for-each-ref',
    format,
    attemptRefs,
  ])
  if (exitCode !== 0) return []
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [name = '', commit = '', seconds = '0'] = line.split('\t')
      return { kind: 'attempt', name, commit, at: BigInt(seconds) * 1_000_000_000n }
    })
}

/** Resolves the refs of a turn that asks for a mutation, each with at most two reads of files. */
import { openRef, StepFolder } from '../../harness/step/step-folder.ts'
import { isJsonObject, type Json, jsonIn } from '../../kernel/json.ts'
import { normalizeTurn } from '../../kernel/turn/normalize.ts'
import { type RefTarget, type TurnRef, turnRefs } from '../../kernel/turn/turn-refs.ts'
import { leadsOutside, readPlain } from '../../store/plain-file.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { openTrajectory } from '../open-trajectory.ts'
import { isWithin, resolvePath } from '../paths.ts'

/**
 * The refs that name nothing in this project. `known` are refs of the harness to a step under way,
 * which has no row yet and whose worktree may be gone with its session.
 */
export async function unresolvedRefs(
  input: Json,
  project: Project,
  known: readonly string[] = [],
): Promise<readonly TurnRef[]> {
  const unresolved: TurnRef[] = []
  for (const ref of turnRefs(normalizeTurn(input, project))) {
    const isKnown = ref.noun !== 'artifact' && known.includes(ref.ref)
    if (!isKnown && !(await isThere(ref.target, project))) unresolved.push(ref)
  }
  return unresolved
}

async function isThere(target: RefTarget, project: Project): Promise<boolean> {
  switch (target.is) {
    case 'nothing':
      return false
    case 'part of the turn':
      return true
    case 'step':
      return await isStep(target.stepId, project)
    case 'witness': {
      const { root, sha256 } = project
      return (
        (await openRef(target.ref, { root, sha256, disk: await project.disk() })) === 'verified'
      )
    }
    case 'proof': {
      const { issueId, chainDigest } = target
      const proofs = await (await openIssues(project, {}, 'look')).proofs()
      return (await proofs.reread(issueId, chainDigest)) === chainDigest
    }
    case 'file':
      return (await placeOf(target.path, project)) !== undefined
    case 'session': {
      const value = jsonIn((await textAt(target.path, project)) ?? '')
      return isJsonObject(value) && value['sessionKind'] === 'premath.harness.session.v1'
    }
    case 'artifact':
      return (await digestedText(target, project)) !== undefined
    case 'message': {
      const lines = (await digestedText(target, project))?.split('\n') ?? []
      return lines.some(line => isMessage(jsonIn(line), target.message))
    }
  }
}

/** A step under way has a folder, and one that ended has a row, also in another clone. */
async function isStep(stepId: string, project: Project): Promise<boolean> {
  const { root, sha256 } = project
  const folder = new StepFolder({ root, sha256, disk: await project.disk() }, stepId)
  if ((await project.files.kindOf(folder.path)) === 'folder') return true
  return (await (await openTrajectory(project, undefined)).log.get(stepId)) !== undefined
}

const isMessage = (value: Json | undefined, id: string) =>
  isJsonObject(value) && (value['id'] === id || value['uuid'] === id)

async function digestedText(
  { path, digest }: { readonly path: string; readonly digest: string },
  project: Project,
): Promise<string | undefined> {
  const text = await textAt(path, project)
  return text !== undefined && `sha256:${project.sha256(text)}` === digest ? text : undefined
}

async function textAt(path: string, project: Project): Promise<string | undefined> {
  const place = await placeOf(path, project)
  if (place === undefined) return undefined
  const read = await readPlain(place.path, { root: place.root, disk: await project.disk() })
  return 'text' in read ? read.text : undefined
}

/** A plain file of the project, or of the worktree that the command runs in. */
async function placeOf(path: string, project: Project) {
  const disk = await project.disk()
  for (const root of new Set([project.root, await project.folderHere()])) {
    const file = resolvePath(root, path)
    if (!isWithin(file, root) || (await disk.entry(file))?.kind !== 'file') continue
    if (!(await leadsOutside(file, root, disk))) return { root, path: file }
  }
  return undefined
}

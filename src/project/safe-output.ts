/** Output files that a flag names: any path except the files that a project cannot lose. */
import { Fault } from '../fault.ts'
import type { OwnPath } from '../store/file/issue-files.ts'
import type { Disk } from '../world/world.ts'
import type { OperationContext } from './context.ts'
import type { OpenIssues } from './open-issues.ts'
import { isWithin, resolvePath } from './paths.ts'

/** A project and the files of its issue memory. */
interface Kept {
  readonly root: string
  readonly ownPaths: readonly OwnPath[]
}

export const protectedPaths = ({ project: { root }, ownPaths }: OpenIssues): Kept => ({
  root,
  ownPaths,
})

/** The real path of an output file, after checking that writing to it is safe. */
export async function safeOutput(
  given: string,
  project: Kept,
  context: OperationContext,
  spared: readonly string[] = [],
): Promise<string> {
  const disk = await context.disk()
  const path = await disk.realPath(resolvePath(context.cwd(), given))
  await mustNotOverwriteProject(path, given, project, disk, spared)
  return path
}

/** Faults where writing to the real path would overwrite a file of the project. */
export async function mustNotOverwriteProject(
  path: string,
  given: string,
  project: Kept,
  disk: Disk,
  spared: readonly string[] = [],
): Promise<void> {
  const own = await overwritten(path, project, disk, spared)
  if (own === undefined) return
  throw own.isFolder
    ? new Fault('usage', `${given} lies among ${own.holds}, and is none of them`, {
        hint: 'Name a file elsewhere.',
      })
    : new Fault('usage', `${given} is ${own.holds}`, {
        hint: 'Name another file; this one would be overwritten.',
      })
}

/** The file of the project that the real path is, or the folder that it lies in. */
export async function overwritten(
  path: string,
  { root, ownPaths }: Kept,
  disk: Disk,
  spared: readonly string[] = [],
): Promise<OwnPath | undefined> {
  const kept = [...ownPaths, ...projectPaths(root)]
  for (const own of kept.filter(({ isFolder }) => !isFolder)) {
    if (!spared.includes(own.path) && path === (await disk.realPath(own.path))) return own
  }
  for (const own of kept.filter(({ isFolder }) => isFolder)) {
    if (isWithin(path, await disk.realPath(own.path))) return own
  }
  return undefined
}

function projectPaths(root: string): readonly OwnPath[] {
  const file = (name: string, holds: string) => ({
    path: `${root}/${name}`,
    isFolder: false,
    holds,
  })
  const folder = (name: string, holds: string) => ({ ...file(name, holds), isFolder: true })
  return [
    file('.premath/policy.json', 'the policy of the project'),
    file('.premath/policy-log.jsonl', 'the log of policies that were put in force'),
    file('.premath/checks.json', 'the checks of the project'),
    file('.premath/config.json', 'the settings of the project'),
    file('.premath/trust.json', 'the list of trusted keys'),
    file('.premath/memory/grants.jsonl', 'the record of overrides'),
    file('.premath/required-checks.json', 'the rules of required checks'),
    file('.premath/capability-registry.json', 'the capability registry of the project'),
    folder('.premath/steps', 'the journals of steps'),
    folder('artifacts/ciwitness', 'the witnesses'),
    folder('policies/instruction', 'the policies of instructions'),
    folder('.git', 'the files of git'),
  ]
}

/**
 * The project that a command works in, opened once per command. This file alone calls the readers
 * of root, policy, registry and configuration. `openIssues`, `openWitnesses`, `openHarness` and `authorityOf` take
 * the rest from this value, and load it when a command asks for it.
 */
import type { MutationPolicy } from '../kernel/authority/mutation-policy.ts'
import type { ConfigInForce } from '../kernel/config/settings.ts'
import type { PolicyLog } from '../kernel/governance/policy-standing.ts'
import { governanceProfileId } from '../kernel/turn/governance-claim.ts'
import type { OperationContext } from './context.ts'
import { resolvePath } from './paths.ts'
import { readPolicy, type WrittenPolicy } from './policy.ts'
import { readRegistry } from './registry.ts'
import { findProject, once, type ProjectPlace, projectPlace, rootOfFile } from './root.ts'

/** The documents of the project. Each is read once, on first use. */
interface Documents {
  /** The profiles that the capability registry claims. */
  claims(): Promise<readonly string[]>
  /** The registry claims governance: a policy counts once it is put in force. */
  isGoverned(): Promise<boolean>
  /** The policy as its file says it. */
  writtenPolicy(): Promise<WrittenPolicy>
  /** Every policy that was put in force, with the claims that decide which of them counts. */
  policyLog(): Promise<PolicyLog & { readonly torn: string | undefined }>
  /** The policy that people and steps go by. */
  policy(): Promise<MutationPolicy>
  /** The settings in `.premath/config.json`, under the variables of the environment. */
  config(): Promise<ConfigInForce>
}

export interface Project extends OperationContext, ProjectPlace, Documents {
  /** A path in the project, from its root. */
  at(path: string): string
  /**
   * The same project with policy and registry read again: for a change after a command or an agent
   * had time to edit them.
   */
  reopened(): Project
}

/** The project around the working folder, or the place where one would begin. */
export const openProject = async (context: OperationContext): Promise<Project> =>
  projectIn(context.place ?? (await findProject(context)), context)

/** The context of a command that also runs outside of a project. */
export interface ProjectSeeker extends OperationContext {
  /** Starts the search at the first call. */
  project(): Promise<Project>
}

export const seekProject = (context: OperationContext): ProjectSeeker => ({
  ...context,
  project: once(() => openProject(context)),
})

/** The project at a named root. */
export const projectAt = (root: string, context: OperationContext): Project =>
  projectIn(projectPlace(root, context), context)

/** The same project for a worker in another folder. */
export function projectFrom(
  project: Project,
  { cwd, env }: Pick<OperationContext, 'cwd' | 'env'>,
): Project {
  const context = { ...project, cwd, env }
  return projectIn(projectPlace(project.root, context), context, project)
}

/** The project that a file belongs to, which may be another one. */
export async function projectOf(path: string, project: Project): Promise<Project> {
  const root = await rootOfFile(path, project.root, project)
  return root === project.root ? project : projectAt(root, project)
}

function projectIn(
  place: ProjectPlace,
  context: OperationContext,
  documents: Documents = documentsOf(place.root, context),
): Project {
  const { claims, isGoverned, writtenPolicy, policyLog, policy, config } = documents
  return {
    ...context,
    ...place,
    claims,
    isGoverned,
    writtenPolicy,
    policyLog,
    policy,
    config,
    at: path => resolvePath(place.root, path),
    reopened: () => projectIn(place, context),
  }
}

function documentsOf(root: string, context: OperationContext): Documents {
  const { disk, sha256 } = context
  const claims = once(() => readRegistry(root, context))
  const isGoverned = async () => (await claims()).includes(governanceProfileId)
  const writtenPolicy = once(() => readPolicy(root, context))
  // Few commands read the log, so its code is loaded for them alone.
  const policyLog = once(async () => {
    const { PolicyLogFile } = await import('../store/policy-log.ts')
    const lines = await new PolicyLogFile({ disk: await disk(), root, sha256 }).read()
    return { ...lines, registryClaims: await claims() }
  })
  const policy = once(async () => {
    const { policy: written } = await writtenPolicy()
    if (!(await isGoverned())) return written
    // In a governed project an edited policy file is ignored, so that nobody can grant himself
    // rights.
    const { lastPolicyIn } = await import('./policies/governed-files.ts')
    return lastPolicyIn(await policyLog()) ?? written
  })
  // Its parser is loaded for the commands that run an agent.
  const config = once(async () => {
    const { readProjectConfig } = await import('./config.ts')
    return await readProjectConfig(root, context)
  })
  return { claims, isGoverned, writtenPolicy, policyLog, policy, config }
}

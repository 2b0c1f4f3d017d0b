/** Issue memory, as the operations that need it open it. */
import { Fault } from '../fault.ts'
import { newIdFor } from '../kernel/work/issue-id.ts'
import { type GrantRefusal, OperatorGrant } from '../kernel/work/operator-grant.ts'
import { FileIssueStore } from '../store/file-issue-store.ts'
import type { IssueStore } from '../store/issue-store.ts'
import type { Disk } from '../world/world.ts'
import { mutationPolicy } from './mutation-policy.ts'
import type { OperationContext } from './operation.ts'
import { projectRoot, resolvePath } from './project-root.ts'

export interface OpenIssues {
  readonly store: IssueStore
  /** As the person gave it, or where it is by default. */
  readonly issuesPath: string
  readonly root: string
  /** Nanoseconds since 1970. */
  now(): bigint
  /** Whoever acts on this command line. A refused one is for the store to refuse. */
  authority(reason?: string): OperatorGrant | GrantRefusal
}

export const defaultIssuesPath = '.premath/issues.jsonl'

/** `--issues` names the file from here; otherwise it is the project's, or as the environment says. */
export async function openIssues(
  context: OperationContext,
  flags: { readonly issues?: string | undefined },
): Promise<OpenIssues> {
  const { clock, env, sha256 } = context
  const root = await projectRoot(context)
  const [folder, issuesPath] = flags.issues
    ? [context.cwd(), flags.issues]
    : [root, env['PREMATH_ISSUES_PATH'] || defaultIssuesPath]
  const [policy, disk] = await Promise.all([mutationPolicy(root, context), context.disk()])
  const path = await insideProject(resolvePath(folder, issuesPath), root, disk)
  return {
    store: new FileIssueStore({
      path,
      disk,
      clock,
      newId: (memory, now) =>
        newIdFor(policy.ids, memory, {
          title: path,
          now,
          random: policy.ids === 'hash' ? context.random() : '',
          sha256,
        }),
      cache: await cacheOf(path, root, context),
    }),
    issuesPath,
    root,
    now: () => clock.now(),
    authority: reason =>
      OperatorGrant.grant({
        operator: operatorIn(env),
        surface: 'cli',
        mode: policy.modes.cli,
        reason,
      }),
  }
}

/** In the project's own cache, wherever the file is; without a project nothing is kept. */
async function cacheOf(path: string, root: string, { files, sha256 }: OperationContext) {
  const own = `${root.replace(/\/$/, '')}/.premath`
  if ((await files.kindOf(own)) !== 'folder') return undefined
  const name = path === `${own}/issues.jsonl` ? 'issues' : `issues-${sha256(path).slice(0, 16)}`
  return { folder: `${own}/cache`, name }
}

/**
 * The real path. One that lies in the project must still lie there when links are followed: what
 * is shared with a repository must not reach files outside of it.
 */
async function insideProject(path: string, root: string, disk: Disk): Promise<string> {
  const [real, realRoot] = await Promise.all([disk.realPath(path), disk.realPath(root)])
  if (!isWithin(path, root) && !isWithin(path, realRoot)) return real
  if (isWithin(real, realRoot)) return real
  throw new Fault('unavailable', `${path} leaves the project through a symbolic link`, {
    hint: `It leads to ${real}. Put the file into the project, or name that path with --issues.`,
    detail: { path, leadsTo: real },
  })
}

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

const operatorIn = (env: OperationContext['env']) =>
  env['PREMATH_OPERATOR'] || env['USER'] || env['LOGNAME'] || env['USERNAME'] || 'operator'

/** Decides how git is asked for the paths of a change, and what its answers mean. */
import type { DeltaSnapshot, RequiredDelta } from '../../wire/required/delta.ts'
import type { RequiredProjection } from '../../wire/required/projection.ts'
import type { Sha256 } from '../canonical.ts'
import { normalPaths } from './changed-paths.ts'
import { coreDigests } from './typed-core.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Names for the commit before the change. */
export interface BaseNames {
  readonly names: readonly string[]
  /** Somebody named it, so no other commit will do. */
  readonly isNamed: boolean
}

export function baseNames(fromRef: string | undefined, env: Environment): BaseNames {
  if (fromRef !== undefined) return { names: [fromRef], isNamed: true }
  const given = env['PREMATH_CI_BASE_REF']?.trim()
  if (!given) {
    const names = ['origin/main', 'main', 'origin/master', 'master', 'HEAD~1']
    return { names, isNamed: false }
  }
  const other = given.startsWith('origin/') ? given.slice('origin/'.length) : `origin/${given}`
  return { names: [given, other], isNamed: true }
}

export const headName = (toRef: string | undefined, env: Environment): string =>
  toRef ?? (env['PREMATH_CI_HEAD_REF']?.trim() || 'HEAD')

/** The paths that git listed, by where they come from. */
export interface ListedPaths {
  /** Between base and head; without a base, all of head. */
  readonly committed: readonly string[]
  readonly staged: readonly string[]
  readonly unstaged: readonly string[]
  readonly untracked: readonly string[]
}

export function deltaOf(
  listed: ListedPaths,
  { fromRef, toRef }: { readonly fromRef: string | null; readonly toRef: string },
): RequiredDelta {
  const own = (paths: readonly string[]) => paths.filter(path => !isRecord(path))
  const committed = own(listed.committed)
  const staged = own(listed.staged)
  const unstaged = own(listed.unstaged)
  const untracked = own(listed.untracked)
  const more = [
    ...(staged.length > 0 ? ['workspace'] : []),
    ...(unstaged.length > 0 ? ['workspace'] : []),
    ...(untracked.length > 0 ? ['untracked'] : []),
  ]
  return {
    schema: 1,
    deltaKind: 'ci.required.delta.v1',
    changedPaths: normalPaths([...committed, ...staged, ...unstaged, ...untracked]),
    source: [fromRef === null ? 'none' : 'git_diff', ...more].join('+'),
    fromRef,
    toRef,
  }
}

/** Files below `.premath` that decide something. The others record what happened. */
const settings =
  /^\.premath\/(?:config|policy|checks|required-checks|capability-registry|trust)\.json$/

/** Records of premath change with every command. No check is about them. */
export const isRecord = (path: string): boolean =>
  /^artifacts\/(?:ciwitness|observation)\//.test(path) ||
  (path.startsWith('.premath/') && !settings.test(path))

interface Found {
  readonly projection: RequiredProjection
  readonly delta: Pick<RequiredDelta, 'source' | 'fromRef' | 'toRef'>
  readonly normalizerId: string
}

/** The change as it was when the checks began. */
export function deltaSnapshot(
  { projection, delta, normalizerId }: Found,
  sha256: Sha256,
): DeltaSnapshot {
  const { projectionPolicy, projectionDigest, requiredChecks, changedPaths } = projection
  const policyDigest = projectionPolicy
  return {
    schema: 1,
    deltaKind: 'ci.delta.v1',
    projectionPolicy,
    projectionDigest,
    ...coreDigests({ projectionDigest, normalizerId, policyDigest }, sha256),
    normalizerId,
    policyDigest,
    requiredChecks,
    changedPaths,
    deltaSource: delta.source,
    fromRef: delta.fromRef,
    toRef: delta.toRef,
  }
}

/** Who may change issue memory by which way, in `.premath/policy.json`. */
import { Fault } from '../fault.ts'
import { canonicalJson } from '../kernel/canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf, parseJson } from '../kernel/json.ts'
import { type MutationMode, mutationModes } from '../kernel/work/operator-grant.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './operation.ts'

export type Surface = 'cli' | 'mcp'

export interface MutationPolicy {
  readonly modes: Readonly<Record<Surface, MutationMode>>
  /** How new issues are named: `bd-7`, or a hash that two clones can mint without clashing. */
  readonly ids: 'counted' | 'hash'
  /** Whether a step needs turns that its work left, beside its own. */
  readonly requireAgentEvidence: boolean
  /** How old the witness of an instruction, or of a turn, may be. */
  readonly witnessTtlSeconds: number
}

export const policyKind = 'premath.mutation_policy.v1'

/**
 * Without a policy. The command line is where people act, by hand or by script; agents come by the
 * others.
 */
const defaults: MutationPolicy = {
  modes: { cli: 'open', mcp: 'instruction-linked' },
  ids: 'counted',
  requireAgentEvidence: false,
  witnessTtlSeconds: 3600,
}

export async function mutationPolicy(
  root: string,
  { files }: Pick<OperationContext, 'files'>,
): Promise<MutationPolicy> {
  const path = `${root.replace(/\/$/, '')}/.premath/policy.json`
  const bytes = await policyBytes(path, files)
  return bytes ? readPolicy(bytes, path) : defaults
}

/** By which turns and steps say what they are under. */
export const policyDigestOf = (
  policy: MutationPolicy,
  { sha256 }: Pick<OperationContext, 'sha256'>,
): string => `sha256:${sha256(canonicalJson(policy as unknown as Json))}`

/** Nobody named the file: where it cannot be read, that is not the caller's doing. */
async function policyBytes(path: string, files: OperationContext['files']) {
  try {
    return await files.readIfPresent(path)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { message, hint = '', detail } = error
    throw new Fault('unavailable', message, { hint, detail, cause: error })
  }
}

function readPolicy(bytes: Uint8Array, path: string): MutationPolicy {
  const policy = documentOf(bytes, path)
  if (policy['schema'] !== 1) throw corrupt(path, 'schema must be 1')
  if ((policy['policyKind'] ?? policyKind) !== policyKind) {
    throw corrupt(path, `policyKind must be ${policyKind}`)
  }
  const surfaces = policy['surfaces']
  if (surfaces === undefined) throw corrupt(path, 'it names no surfaces, so nobody may write')
  if (!isJsonObject(surfaces)) throw corrupt(path, 'surfaces must be an object')
  const ids = policy['ids'] ?? defaults.ids
  if (ids !== 'counted' && ids !== 'hash') throw corrupt(path, 'ids must be counted or hash')
  return {
    modes: {
      cli: modeOf('cli', surfaces, path),
      mcp: modeOf('mcp', surfaces, path),
    },
    ids,
    requireAgentEvidence: evidenceRule(policy, path),
    witnessTtlSeconds: ttlOf(policy, path),
  }
}

/** A month: whoever needs longer has forgotten what it was for. */
const ttlSecondsMax = 31 * 24 * 3600

function ttlOf(policy: JsonObject, path: string): number {
  const given = policy['witnessTtlSeconds'] ?? defaults.witnessTtlSeconds
  const seconds = numberOf(given)
  if (Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= ttlSecondsMax) {
    return Number(seconds)
  }
  throw corrupt(path, `witnessTtlSeconds must be a whole number from 1 to ${ttlSecondsMax}`)
}

function evidenceRule(policy: JsonObject, path: string): boolean {
  const harness = policy['harness'] ?? {}
  if (!isJsonObject(harness)) throw corrupt(path, 'harness must be an object')
  const required = harness['requireAgentEvidence'] ?? false
  if (typeof required === 'boolean') return required
  throw corrupt(path, 'harness.requireAgentEvidence must be true or false')
}

/** A policy that forgot a surface may have meant to close it: only what is closed goes unsaid. */
function modeOf(surface: Surface, surfaces: JsonObject, path: string): MutationMode {
  const given = surfaces[surface]
  if (given === undefined && defaults.modes[surface] === 'instruction-linked') {
    return 'instruction-linked'
  }
  const mode = isJsonObject(given) ? given['mode'] : undefined
  // A rule in the wrong place must not read as one that is off.
  const stray = isJsonObject(given) ? Object.keys(given).find(name => name !== 'mode') : undefined
  if (stray !== undefined) throw corrupt(path, `surfaces.${surface} knows no ${stray}`)
  const known = mutationModes.find(name => name === mode)
  if (known) return known
  throw corrupt(path, `surfaces.${surface}.mode must be one of ${mutationModes.join(', ')}`)
}

function documentOf(bytes: Uint8Array, path: string): JsonObject {
  let document: Json
  try {
    document = parseJson(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof Fault) throw corrupt(path, error.message)
    throw error
  }
  if (!isJsonObject(document)) throw corrupt(path, 'must be an object')
  return document
}

/** A policy that cannot be read may forbid what we are asked to do. */
function corrupt(path: string, why: string): Fault {
  return new Fault('corrupt', `the policy ${path} cannot be trusted: ${why}`, {
    hint: 'Restore the file from version control, or remove it and run premath init.',
    detail: { path },
  })
}

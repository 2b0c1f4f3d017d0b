/** Reads `.premath/policy.json`: who may change issue memory through which surface. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { strayMember } from '../unknown-key.ts'
import { type MutationMode, mutationModes } from './operator-grant.ts'

export const mutationPolicyPath = '.premath/policy.json'
export const policyKind = 'premath.mutation_policy.v1'

/** The command line, what agents speak, and the command line for the work of a step. */
export const surfaces = ['cli', 'mcp', 'work'] as const
type Surface = (typeof surfaces)[number]

export interface MutationPolicy {
  readonly modes: Readonly<Record<Surface, MutationMode>>
  /** The form of new ids: `bd-7`, or a hash that clones can create without clashes. */
  readonly ids: 'counted' | 'hash'
  /** Whether a step needs turns left by its work, beside its own. */
  readonly requireAgentEvidence: boolean
  /** The maximum age of a witness of an instruction or a turn. */
  readonly witnessTtlSeconds: number
}

/**
 * The default. People and scripts use the command line; agents use the other surfaces. If agents
 * have a shell, `operator` tells them from people.
 */
export const defaultPolicy: MutationPolicy = {
  modes: { cli: 'open', mcp: 'instruction-linked', work: 'instruction-linked' },
  ids: 'counted',
  requireAgentEvidence: false,
  witnessTtlSeconds: 3600,
}

/**
 * The digest that turns and steps bind to. A newer surface with its default is left out, so that
 * older policies keep their digest.
 */
export function mutationPolicyDigest(policy: MutationPolicy, sha256: Sha256): string {
  const { work, ...first } = policy.modes
  const modes = work === defaultPolicy.modes.work ? first : policy.modes
  return `sha256:${sha256(canonicalJson({ ...policy, modes } as unknown as Json))}`
}

/** All members of a policy, by path. */
const policyMembers = [
  ...['schema', 'policyKind', 'ids', 'witnessTtlSeconds'],
  ...['harness', 'harness.requireAgentEvidence'],
  ...['surfaces', ...surfaces.flatMap(name => [`surfaces.${name}`, `surfaces.${name}.mode`])],
]

/** The policy, or what is wrong with the document. */
export function readMutationPolicy(policy: Json): MutationPolicy | string {
  if (!isJsonObject(policy)) return 'must be an object'
  if (policy['schema'] !== 1) return 'schema must be 1'
  if ((policy['policyKind'] ?? policyKind) !== policyKind) return `policyKind must be ${policyKind}`
  const stray = strayMember(policy, policyMembers)
  if (stray !== undefined) return stray
  const told = policy['surfaces']
  if (told === undefined) return 'it names no surfaces, so nobody may write'
  if (!isJsonObject(told)) return 'surfaces must be an object'
  const ids = policy['ids'] ?? defaultPolicy.ids
  if (ids !== 'counted' && ids !== 'hash') return 'ids must be counted or hash'
  const [cli, mcp, work] = [modeOf('cli', told), modeOf('mcp', told), modeOf('work', told)]
  if (!isMode(cli)) return cli
  if (!isMode(mcp)) return mcp
  if (!isMode(work)) return work
  const requireAgentEvidence = evidenceRule(policy)
  if (typeof requireAgentEvidence === 'string') return requireAgentEvidence
  const witnessTtlSeconds = ttlOf(policy)
  if (typeof witnessTtlSeconds === 'string') return witnessTtlSeconds
  return { modes: { cli, mcp, work }, ids, requireAgentEvidence, witnessTtlSeconds }
}

/** One month. */
const ttlSecondsMax = 31 * 24 * 3600

function ttlOf(policy: JsonObject): number | string {
  const given = policy['witnessTtlSeconds'] ?? defaultPolicy.witnessTtlSeconds
  const seconds = numberOf(given)
  if (Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= ttlSecondsMax) {
    return Number(seconds)
  }
  return `witnessTtlSeconds must be a whole number from 1 to ${ttlSecondsMax}`
}

function evidenceRule(policy: JsonObject): boolean | string {
  const harness = policy['harness'] ?? {}
  if (!isJsonObject(harness)) return 'harness must be an object'
  const required = harness['requireAgentEvidence'] ?? false
  if (typeof required === 'boolean') return required
  return 'harness.requireAgentEvidence must be true or false'
}

const isMode = (value: string): value is MutationMode =>
  (mutationModes as readonly string[]).includes(value)

/** A policy without a surface may have meant to close it: only a closed surface may be omitted. */
function modeOf(surface: Surface, told: JsonObject): string {
  const given = told[surface]
  if (given === undefined && defaultPolicy.modes[surface] === 'instruction-linked') {
    return 'instruction-linked'
  }
  const mode = isJsonObject(given) ? given['mode'] : undefined
  if (typeof mode === 'string' && isMode(mode)) return mode
  return `surfaces.${surface}.mode must be one of ${mutationModes.join(', ')}`
}

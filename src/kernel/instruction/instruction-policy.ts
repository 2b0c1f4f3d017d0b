/** The checks and normalizers that instructions may or must request: data in `policies/instruction/`. */
import { InstructionPolicy } from '../../wire/instruction/instruction-policy.ts'
import type { ValueOf } from '../../wire/shape.ts'
import { newerFlaw } from '../artifact/flaw.ts'
import { byCodePoint, canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { exactTextOf, isGiven, type Member, namesOf, shown } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'

export const instructionPolicyFolder = 'policies/instruction'
export const instructionPolicyKind = 'ci.instruction.policy.v1'

type Policy = Omit<ValueOf<typeof InstructionPolicy>, 'schema' | 'policyKind'>

/** A policy with its file. */
export interface RegisteredPolicy extends Policy {
  readonly path: string
}

/** By digest. */
export type PolicyRegistry = ReadonlyMap<string, RegisteredPolicy>

type PolicySaid = Omit<Policy, 'policyDigest'>

/** `pol1_` plus the hash of the policy's content in canonical order. */
export function instructionPolicyDigest(
  { policyId, allowedChecks, requiredChecks, allowedNormalizers }: PolicySaid,
  sha256: Sha256,
): Policy['policyDigest'] {
  const content = {
    schema: 1,
    policyKind: instructionPolicyKind,
    policyId,
    allowedChecks: allowedChecks.toSorted(byCodePoint),
    // Absent where nothing is required, so that older policies keep their digest.
    ...(requiredChecks && { requiredChecks: requiredChecks.toSorted(byCodePoint) }),
    allowedNormalizers: allowedNormalizers.toSorted(byCodePoint),
  }
  return `pol1_${sha256(canonicalJson(content))}`
}

/** Reads the policy of a file, or returns its first error. */
export function readInstructionPolicy(
  value: Json,
  path: string,
  sha256: Sha256,
): RegisteredPolicy | InstructionRefusal {
  const bad = (why: string) => refused('instruction_policy_invalid_shape', `${path}: ${why}`)
  const at = (name: string): Member => ({
    at: `${path}: ${name}`,
    failureClass: 'instruction_policy_invalid_shape',
  })
  if (!isJsonObject(value)) return bad('it is not an object')
  const newer = newerFlaw(InstructionPolicy, value)
  if (newer) return bad(String(newer))
  // The digest does not cover unknown members, so they are refused.
  const stray = Object.keys(value).find(name => !Object.hasOwn(InstructionPolicy.members, name))
  if (stray !== undefined) return bad(`it knows no ${shown(stray)}`)
  if (value['schema'] !== 1) return bad('its schema is not 1')
  if (value['policyKind'] !== instructionPolicyKind) {
    return bad(`its policyKind is not ${instructionPolicyKind}`)
  }
  const read = allRead({
    policyId: exactTextOf(value['policyId'], at('policyId')),
    allowedChecks: someNames(value['allowedChecks'], at('allowedChecks')),
    required: requiredIn(value, at('requiredChecks')),
    allowedNormalizers: someNames(value['allowedNormalizers'], at('allowedNormalizers')),
    policyDigest: exactTextOf(value['policyDigest'], at('policyDigest')),
  })
  if (isRefused(read)) return read
  const { required, ...said } = read
  const policy = { ...said, ...required }
  const forbidden = required.requiredChecks?.find(check => !policy.allowedChecks.includes(check))
  if (forbidden !== undefined) {
    return bad(`it requires the check ${shown(forbidden)} and does not allow it`)
  }
  const actual = instructionPolicyDigest(policy, sha256)
  if (policy.policyDigest === actual) return { ...policy, policyDigest: actual, path }
  return refused(
    'instruction_policy_digest_mismatch',
    `${path}: its digest is ${actual}, not ${policy.policyDigest} as it says`,
  )
}

function requiredIn(value: JsonObject, member: Member) {
  if (!isGiven(value, 'requiredChecks')) return {}
  const requiredChecks = someNames(value['requiredChecks'], member)
  return isRefused(requiredChecks) ? requiredChecks : { requiredChecks }
}

function someNames(value: Json | undefined, member: Member) {
  const names = namesOf(value, member)
  if (isRefused(names) || names.length > 0) return names
  return refused(member.failureClass, `${member.at} is empty`)
}

/** All policies of a folder. Two policies with one digest or id are refused as ambiguous. */
export function registerPolicies(
  policies: readonly RegisteredPolicy[],
): PolicyRegistry | InstructionRefusal {
  const byDigest = new Map<string, RegisteredPolicy>()
  const byId = new Map<string, RegisteredPolicy>()
  for (const policy of policies) {
    const { policyDigest, policyId, path } = policy
    const other = byDigest.get(policyDigest) ?? byId.get(policyId)
    if (other) {
      const what = other.policyDigest === policyDigest ? policyDigest : policyId
      const why = `${other.path} and ${path} are both ${what}`
      return refused('instruction_policy_ambiguous', why, [other.path, path])
    }
    byDigest.set(policyDigest, policy)
    byId.set(policyId, policy)
  }
  return byDigest
}

/** The policy that a digest names. */
export function policyNamed(
  policyDigest: string,
  registry: PolicyRegistry | InstructionRefusal,
): RegisteredPolicy | InstructionRefusal {
  const unknown = (why: string) =>
    refused('instruction_unknown_policy', `policyDigest ${shown(policyDigest)} ${why}`)
  if (!policyDigest.startsWith('pol1_')) return unknown('does not begin with pol1_')
  if (isRefused(registry)) return registry
  return (
    registry.get(policyDigest) ?? unknown(`is of no policy that is registered: ${listed(registry)}`)
  )
}

const listedMax = 5

/** The policies that could have been named, so that nobody has to open the files for a digest. */
function listed(registry: PolicyRegistry): string {
  const all = [...registry.values()]
  if (all.length === 0) return `there is none in ${instructionPolicyFolder}/`
  const few = all.slice(0, listedMax).map(({ policyDigest, path }) => `${policyDigest} (${path})`)
  const more = all.length - few.length
  return more === 0
    ? few.join(', ')
    : `${few.join(', ')} and ${more} more, each with its policyDigest in ${instructionPolicyFolder}/`
}

/**
 * Converts a turn to normal form (`premath.harness.typestate_normalized.v1`, HARNESS-TYPESTATE §4):
 * rows cleaned, sorted and keyed by id, each set bound by a digest.
 */
import { Fault } from '../../fault.ts'
import { Claims } from '../../wire/turn/turn-evidence.ts'
import { byCodePoint, type Digest, digestOf, type Sha256 } from '../canonical.ts'
import { type FreeKeys, isJsonObject, type Json } from '../json.ts'
import { cleanRefs } from '../text/clean.ts'
import { readEvidence } from './evidence/read-evidence.ts'
import { kindOf, place, Reading, readFields } from './evidence/read-row.ts'
import { digestsOf, textsOf } from './evidence/seal.ts'
import type { Kit } from './rules/rule.ts'
import {
  type ContextState,
  type Evidence,
  type JoinState,
  noPolicies,
  type Policies,
  type PolicyRow,
  type Turn,
} from './turn.ts'

/** Free-form values, in which the last of two equal keys wins. */
export const freeKeys: FreeKeys = new Map([
  ['toolRequests', new Set(['arguments'])],
  ['toolResults', new Set(['payload', 'rawError'])],
])

/** Throws a `Fault` if the input is not a turn. Rules report everything else. */
export function normalizeTurn(input: Json, kit: Pick<Kit, 'sha256' | 'registryClaims'>): Turn {
  if (!isJsonObject(input)) throw badInput('the input', `must be an object, not ${kindOf(input)}`)
  const claimsReading = new Reading()
  const read = readFields(input, Claims, place('input'), claimsReading, ['evidence'])
  const [flaw] = claimsReading.defects
  if (flaw) throw badInput(flaw.at.replace(/^input\./, ''), flaw.message)
  const evidence = input['evidence']
  if (evidence === undefined) throw badInput('evidence', 'is missing')
  if (!isJsonObject(evidence)) {
    throw badInput('evidence', `must be an object, not ${kindOf(evidence)}`)
  }
  const policies = policiesOf(read.policies as Json | undefined)
  const reading = new Reading()
  const rows = readEvidence(evidence, reading, kit.sha256)
  const joinState = joinStateOf(rows)
  const contextState = contextStateOf(rows, joinState)
  const texts = textsOf(rows, reading.exotic)
  return {
    // Member by member: a spread of this many members is slow, and it runs for every turn.
    callSpec: rows.callSpec,
    requests: rows.requests,
    results: rows.results,
    uses: rows.uses,
    renders: rows.renders,
    queues: rows.queues,
    views: rows.views,
    protocolState: rows.protocolState,
    handoff: rows.handoff,
    sessionRefs: rows.sessionRefs,
    trajectoryRefs: rows.trajectoryRefs,
    extension: rows.extension,
    argumentsOf: rows.argumentsOf,
    payloadOf: rows.payloadOf,
    joinState,
    contextState,
    isPlain: !reading.exotic,
    digests: digestsOf(texts, joinState, contextState, kit.sha256),
    claims: withRegistry(read, kit.registryClaims),
    policies,
    policyDigests: policyDigestsOf(policies, kit.sha256),
    defects: reading.defects,
    ignoredKeys: ignoredKeys(claimsReading, reading),
  }
}

function ignoredKeys(outer: Reading, inner: Reading): readonly string[] {
  const keys = outer.ignoredKeys.map(key => key.replace(/^input\./, ''))
  return [...keys, ...inner.ignoredKeys].sort(byCodePoint)
}

function policyDigestsOf(policies: Policies, sha256: Sha256): Readonly<Record<string, Digest>> {
  if (policies === noPolicies) return {}
  return Object.fromEntries(
    Object.entries(policies).map(([field, document]) => [field, digestOf(document, sha256)]),
  )
}

/** Adds the registry's claims to the input's. The input cannot remove any. */
function withRegistry(claims: Claims, registry: readonly string[] = []): Claims {
  if (registry.length === 0) return claims
  const registryClaims = cleanRefs([...(claims.registryClaims ?? []), ...registry])
  // Members keep their canonical order.
  return Object.fromEntries(
    Object.entries({ ...claims, registryClaims }).sort(([a], [b]) => byCodePoint(a, b)),
  )
}

function badInput(at: string, message: string): Fault {
  return new Fault('invalid_input', `not a turn to judge: ${at} ${message}`, {
    hint: 'See `premath schema premath.harness.turn_evidence.v1` for the shape.',
    detail: { at },
  })
}

function policiesOf(value: Json | undefined): Policies {
  if (value === undefined) return noPolicies
  if (!isJsonObject(value)) throw badInput('policies', `must be an object, not ${kindOf(value)}`)
  for (const [field, document] of Object.entries(value)) {
    if (!isJsonObject(document)) {
      throw badInput(`policies.${field}`, `must be an object, not ${kindOf(document)}`)
    }
  }
  return value as Policies
}

/** Derives the two states that decide a join: open calls, and complete context. */
function joinStateOf({ requests, results, uses }: Evidence): JoinState {
  const requestedCallIds = callIds(requests)
  const resultCallIds = callIds(results)
  const usedCallIds = callIds(uses)
  const missingResultCallIds = without(requestedCallIds, resultCallIds)
  const orphanResultCallIds = without(resultCallIds, requestedCallIds)
  const missingUseCallIds = without(resultCallIds, usedCallIds)
  const unknownUseCallIds = without(usedCallIds, resultCallIds)
  const joinClosed =
    missingResultCallIds.length === 0 &&
    orphanResultCallIds.length === 0 &&
    missingUseCallIds.length === 0 &&
    unknownUseCallIds.length === 0
  return {
    requestedCallIds,
    resultCallIds,
    usedCallIds,
    missingResultCallIds,
    orphanResultCallIds,
    missingUseCallIds,
    unknownUseCallIds,
    joinClosed,
  }
}

function contextStateOf(evidence: Evidence, joinState: JoinState): ContextState {
  const { callSpec, renders, queues, views, protocolState } = evidence
  const renderCallIds = callIds(renders)
  const missingRenderCallIds = without(joinState.resultCallIds, renderCallIds)
  const queueReductionPresent = queues.length > 0
  const stateViewPresent = views.length > 0
  const renderPolicyValid = allUnder(callSpec.toolRenderProtocolDigest, renders)
  const queuePolicyValid = allUnder(callSpec.reminderQueuePolicyDigest, queues)
  const stateViewPolicyValid = allUnder(callSpec.stateViewPolicyDigest, views)
  const complete =
    missingRenderCallIds.length === 0 &&
    queueReductionPresent &&
    stateViewPresent &&
    renderPolicyValid &&
    queuePolicyValid &&
    stateViewPolicyValid
  return {
    renderCallIds,
    queueIds: unique(queues.map(row => row.queueId)),
    stateViewIds: unique(views.map(row => row.viewId)),
    missingRenderCallIds,
    queueReductionPresent,
    stateViewPresent,
    renderPolicyValid,
    queuePolicyValid,
    stateViewPolicyValid,
    continuationContextReady: protocolState.continuationAllowed !== true || complete,
  }
}

const callIds = (rows: readonly { readonly toolCallId: string }[]) =>
  unique(rows.map(row => row.toolCallId))

/** Removes duplicates from sorted ids. Only conflicting rows share an id. */
const unique = (ids: readonly string[]) => ids.filter((id, at) => at === 0 || ids[at - 1] !== id)

function without(these: readonly string[], those: readonly string[]): readonly string[] {
  if (these.length === those.length && these.every((id, at) => id === those[at])) return []
  const known = new Set(those)
  return these.filter(id => !known.has(id))
}

const allUnder = (digest: string | undefined, rows: readonly PolicyRow[]) =>
  rows.every(row => row.policyDigest !== undefined && row.policyDigest === digest)

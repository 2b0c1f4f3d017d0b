import { isJsonObject, type JsonObject } from '../../json.ts'
import { rowAt, short } from '../evidence/read-row.ts'
import { policiesOf } from '../policy-class.ts'
import { documentOf, malformed, mismatches, textList } from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none, type Violation } from './rule.ts'

/** True if the turn continues or a result was used. */
const contextRequired = ({ protocolState, uses }: Turn) =>
  protocolState.continuationAllowed === true || uses.some(use => use.disposition === 'consumed')

export const contextRules = defineRules({
  'context.injection_point_missing': {
    means:
      'A result is used or the loop continues, but the record of the text shown to the model is missing.',
    gate: 'join',
    remedy: 'Record a toolRender row for each result and a state view for the turn.',
    find: turn => {
      const { missingRenderCallIds, stateViewPresent } = turn.contextState
      if (missingRenderCallIds.length === 0 && stateViewPresent) return none
      if (!contextRequired(turn)) return none
      const violations: Violation[] = missingRenderCallIds.map(id => ({
        at: rowAt('evidence.toolResults', id),
        message: `no toolRender row shows how the result of ${short(id)} reached the model`,
      }))
      if (!stateViewPresent)
        violations.push({ at: 'evidence.stateViews', message: 'no state view is given' })
      return violations
    },
  },
  'context.queue_policy_violation': {
    means:
      'The text shown to the model was not rendered, queued and viewed under the bound policies.',
    gate: 'join',
    remedy: 'Record a reminderQueue row, and give each row the policy digest of the call spec.',
    find: turn => [
      ...mismatches(turn, policiesOf('context.queue_policy_violation')),
      ...queueViolations(turn),
    ],
  },
  'context.scope_violation': {
    means: 'A role read or wrote something outside its scope.',
    gate: 'join',
    remedy:
      'Keep to the prefixes of the role, or widen them in the scope document and bind it anew.',
    find: turn => [
      ...mismatches(turn, policiesOf('context.scope_violation')),
      ...scopeViolations(turn),
    ],
  },
})

function queueViolations(turn: Turn): readonly Violation[] {
  const state = turn.contextState
  const valid = state.renderPolicyValid && state.queuePolicyValid && state.stateViewPolicyValid
  if ((state.queueReductionPresent && valid) || !contextRequired(turn)) return none
  const violations: Violation[] = []
  if (!state.queueReductionPresent) {
    violations.push({ at: 'evidence.reminderQueue', message: 'no queue row is given' })
  }
  const surfaces = [
    ['toolRender', state.renderPolicyValid, 'toolRenderProtocolDigest'],
    ['reminderQueue', state.queuePolicyValid, 'reminderQueuePolicyDigest'],
    ['stateViews', state.stateViewPolicyValid, 'stateViewPolicyDigest'],
  ] as const
  for (const [surface, ok, field] of surfaces) {
    if (ok) continue
    const message = `a row is under another policy than the call spec's ${field}`
    violations.push({ at: `evidence.${surface}`, message })
  }
  return violations
}

const field = 'contextScopeDigest'

/** Checks each role's reads and writes against the scope document that the call spec binds. */
function scopeViolations(turn: Turn): readonly Violation[] {
  const document = documentOf(turn, field)
  if (!document) return none
  const roles = document['roles']
  if (!isJsonObject(roles)) {
    return [{ at: `policies.${field}.roles`, message: 'the scope document names no roles' }]
  }
  return [
    ...Object.entries(roles).flatMap(([role, scope]) => scopeFlaws(role, scope as JsonObject)),
    ...strayAccesses(turn, roles),
    ...strayArtifacts(turn, roles),
  ]
}

function scopeFlaws(role: string, scope: JsonObject): readonly Violation[] {
  if (!isJsonObject(scope)) {
    return [{ at: `policies.${field}.roles.${short(role)}`, message: 'must be an object' }]
  }
  const members = { read: textList(scope, 'read'), write: textList(scope, 'write') }
  return malformed(`${field}.roles.${short(role)}`, members)
}

function strayAccesses(turn: Turn, roles: JsonObject): readonly Violation[] {
  const own = turn.callSpec.orchestrationRole
  return (turn.extension.contextAccess ?? []).flatMap(({ role = '', ref = '', mode = 'read' }) => {
    const at = rowAt('evidence.contextAccess', ref)
    if (role !== own) {
      return [{ at, message: `${role} accessed it in a turn of ${own ?? 'no role'}` }]
    }
    return mayAccess(roles, role, mode, [ref])
      ? none
      : [{ at, message: `${role} may not ${mode} it` }]
  })
}

function strayArtifacts(turn: Turn, roles: JsonObject): readonly Violation[] {
  return (turn.extension.artifacts ?? []).flatMap(({ role, ref = '', path = '' }) => {
    // A ref with a scheme is not a file, and its ref alone can match. Otherwise the path decides.
    const refs = ref.includes('://') ? [ref, path] : [path]
    if (role !== undefined && mayAccess(roles, role, 'write', refs)) return none
    return [
      {
        at: rowAt('evidence.artifacts', ref),
        message: `${role ?? 'a writer without role'} may not write it`,
      },
    ]
  })
}

function mayAccess(
  roles: JsonObject,
  role: string,
  mode: string,
  refs: readonly string[],
): boolean {
  const scope = roles[role]
  const prefixes = isJsonObject(scope) ? textList(scope, mode).value : undefined
  return prefixes?.some(prefix => refs.some(ref => isUnderPrefix(ref, prefix))) ?? false
}

/** Compares whole segments: `src` covers `src/a` but not `srcs/a`. */
function isUnderPrefix(ref: string, prefix: string): boolean {
  if (!ref.startsWith(prefix) || ref.split('/').includes('..')) return false
  return ref === prefix || /[/:]$/.test(prefix) || ref[prefix.length] === '/'
}

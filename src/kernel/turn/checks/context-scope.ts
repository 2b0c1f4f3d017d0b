/** Checks each role's reads and writes against the scope document that the call spec binds. */
import { isJsonObject, type JsonObject } from '../../json.ts'
import { rowAt, short } from '../evidence/read-row.ts'
import { documentOf, malformed, textList } from '../policy-document.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'

const field = 'contextScopeDigest'

export function scopeViolations(turn: Turn): readonly Violation[] {
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

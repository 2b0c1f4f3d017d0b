/**
 * `scope.mutations`: the changes of issue memory an instruction allows. An entry allows one change,
 * unless it is standing.
 */
import { isJsonObject, type Json } from '../json.ts'
import { exactTextOf, shown } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'

export interface ScopeMutation {
  /** Its index in the list, which identifies its use. */
  readonly entry: number
  /** Such as `issue_update`. */
  readonly action: string
  /** The issue; absent if the change finds or creates it. */
  readonly issueId?: string
  /** The entry allows any number of changes. */
  readonly standing?: true
}

/** They decide nothing about the issue, so an entry for one may be used many times. */
const mayStand: readonly string[] = [
  'issue_claim',
  'issue_claim_next',
  'issue_comment',
  'issue_lease_release',
  'issue_lease_renew',
]
const members: readonly string[] = ['action', 'issueId', 'standing']

const entriesMax = 1_000
const actionShape = /^[a-z]+(?:_[a-z]+)*$/

const bad = (message: string) => refused('instruction_scope_invalid', message)

/** None where the scope lists none. */
export function scopeMutations(scope: Json): readonly ScopeMutation[] | InstructionRefusal {
  const listed = isJsonObject(scope) ? scope['mutations'] : undefined
  if (listed === undefined) return []
  if (!Array.isArray(listed)) return bad('scope.mutations is not a list')
  if (listed.length > entriesMax) return bad(`scope.mutations has more than ${entriesMax} entries`)
  const entries = (listed as readonly Json[]).map(mutationOf)
  return allRead(entries)
}

function mutationOf(value: Json, entry: number): ScopeMutation | InstructionRefusal {
  const at = `scope.mutations[${entry}]`
  if (!isJsonObject(value)) return bad(`${at} is not an object`)
  // A misspelled issueId would allow the action on any issue.
  const stray = Object.keys(value).find(name => !members.includes(name))
  if (stray !== undefined) return bad(`${at} knows no ${shown(stray)}`)
  const { action, issueId, standing } = value
  if (typeof action !== 'string' || !actionShape.test(action)) {
    return bad(`${at}.action is not the name of an action, such as issue_update`)
  }
  if (standing !== undefined && typeof standing !== 'boolean') {
    return bad(`${at}.standing is not true or false`)
  }
  if (standing && !mayStand.includes(action)) {
    return bad(
      `${at} cannot be standing: ${action} is good once. Standing are ${mayStand.join(', ')}`,
    )
  }
  const given = { entry, action, ...(standing && { standing }) }
  if (issueId === undefined) return given
  const id = exactTextOf(issueId, {
    at: `${at}.issueId`,
    failureClass: 'instruction_scope_invalid',
  })
  return isRefused(id) ? id : { ...given, issueId: id }
}

/** The changes a witness allows; none unless its verdict is accepted. */
export function mutationsAllowed(witness: {
  readonly verdictClass: string
  readonly scope: unknown
}): readonly ScopeMutation[] {
  if (witness.verdictClass !== 'accepted') return []
  const listed = scopeMutations(witness.scope as Json)
  return isRefused(listed) ? [] : listed
}

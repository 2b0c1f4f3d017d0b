/** Checks tools that are loaded only after a search finds them. */

import { digestOf } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import { cleanRefs } from '../../text/clean.ts'
import { rowAt, short } from '../evidence/read-row.ts'
import type { Kit, Violation } from '../rules/rule.ts'
import type { RequestRow, Turn } from '../turn.ts'
import { requestsUnderPolicy } from './tool-policy.ts'

type Search = NonNullable<Turn['extension']['searches']>[number]

const searchesByRef = (turn: Turn): ReadonlyMap<string | undefined, Search> =>
  new Map(turn.extension.searches?.map(search => [search.searchRef, search]))

/** Deferred tools that were called without a search in the turn. */
export function unresolvedDiscoveries(turn: Turn): readonly Violation[] {
  const deferred = requestsUnderPolicy(turn).filter(({ tool }) => tool.deferred === true)
  const searches = searchesByRef(turn)
  return deferred
    .filter(({ request: { searchRef } }) => searchRef === undefined || !searches.has(searchRef))
    .map(({ request }) => ({
      at: rowAt('evidence.toolRequests', request.toolCallId),
      message:
        request.searchRef === undefined
          ? `${request.toolName} is loaded on demand, and the request names no search that found it`
          : `no search row is called ${short(request.searchRef)}`,
    }))
}

/** Searches whose result differs from what the request claims. */
export function mismatchedDiscoveries(turn: Turn, kit: Kit): readonly Violation[] {
  if (!turn.extension.searches) return []
  const searches = searchesByRef(turn)
  return turn.requests.flatMap(request => {
    const search = request.searchRef === undefined ? undefined : searches.get(request.searchRef)
    if (!search) return []
    const at = rowAt('evidence.toolRequests', request.toolCallId)
    return complaints(turn, request, search, kit).map(message => ({ at, message }))
  })
}

function complaints(turn: Turn, request: RequestRow, search: Search, kit: Kit): string[] {
  const found = search.resultToolNames ?? []
  const computed = resultSetDigest(search, kit)
  const catalog = turn.callSpec.toolCatalogDigest
  const messages: string[] = []
  if (!found.includes(request.toolName ?? '')) {
    messages.push(`the search ${search.searchRef} did not find ${request.toolName}`)
  }
  if (search.resultSetDigest !== computed) {
    messages.push(
      `the search says its result set is ${search.resultSetDigest}; it comes to ${computed}`,
    )
  }
  if (request.searchRefDigest !== undefined && request.searchRefDigest !== computed) {
    messages.push(
      `searchRefDigest is ${short(request.searchRefDigest)}; the search comes to ${computed}`,
    )
  }
  if (catalog !== undefined && search.catalogDigest !== catalog) {
    messages.push('the search ran over another catalog than the one the call spec binds')
  }
  return messages
}

function resultSetDigest(search: Search, kit: Kit) {
  const resultToolNames = cleanRefs(search.resultToolNames ?? [])
  return digestOf({ query: search.query ?? '', resultToolNames } as unknown as Json, kit.sha256)
}

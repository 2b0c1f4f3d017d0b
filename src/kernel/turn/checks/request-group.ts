/** Groups requests that belong to one action. */
import type { RequestRow } from '../turn.ts'

export type RequestGroup = readonly RequestRow[]

/** Requests that share a `groupId`. */
export function namedGroups(requests: readonly RequestRow[]): readonly RequestGroup[] {
  const groups = new Map<string, RequestRow[]>()
  for (const request of requests) {
    if (request.groupId === undefined) continue
    const group = groups.get(request.groupId)
    if (group) group.push(request)
    else groups.set(request.groupId, [request])
  }
  return [...groups.values()]
}

/** A request without a group is an action of its own. */
export function requestGroups(requests: readonly RequestRow[]): readonly RequestGroup[] {
  return [...ungrouped(requests).map(request => [request]), ...namedGroups(requests)]
}

/** Requests without a group ran in parallel, so they form one branch group. */
export function branchGroups(requests: readonly RequestRow[]): readonly RequestGroup[] {
  const loose = ungrouped(requests)
  return loose.length > 0 ? [loose, ...namedGroups(requests)] : namedGroups(requests)
}

const ungrouped = (requests: readonly RequestRow[]) =>
  requests.filter(request => request.groupId === undefined)

/** Limits the number of parallel calls and checks the order of their results. */
import { rowAt } from '../evidence/read-row.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { RequestRow, Turn } from '../turn.ts'

export function parallelViolations(turn: Turn): readonly Violation[] {
  const { parallelPolicy, toolTransportPolicy, actionMode } = turn.callSpec
  if (!parallelPolicy && !toolTransportPolicy && actionMode !== 'json') return none
  const forbidden =
    parallelPolicy?.allowed === false || toolTransportPolicy?.parallelToolCalls === false
  const most = parallelPolicy?.maxBranches ?? Number.POSITIVE_INFINITY
  const violations: Violation[] = []
  for (const group of branchGroups(turn.requests)) {
    if (forbidden && group.length > 1) {
      violations.push(atGroup(group, `${group.length} calls ran side by side, and none may`))
    }
    if (group.length > most) {
      violations.push(atGroup(group, `${group.length} branches, and at most ${most} may run`))
    }
  }
  if (actionMode === 'json') {
    for (const group of namedGroups(turn.requests)) {
      if (group.length > 1)
        violations.push(atGroup(group, `${group.length} calls in one JSON action`))
    }
  }
  return violations
}

/** Under strict ordering, results of one action arrive in request order. */
export function orderViolations(turn: Turn): readonly Violation[] {
  if (turn.callSpec.toolTransportPolicy?.ordering !== 'strict') return none
  const seqs = new Map(turn.results.map(result => [result.toolCallId, result.seq]))
  return requestGroups(turn.requests)
    .filter(group => group.length > 1)
    .flatMap(group => {
      const message = orderComplaint(group, seqs)
      return message === undefined ? none : [atGroup(group, message)]
    })
}

function orderComplaint(
  group: RequestGroup,
  seqs: ReadonlyMap<string, number | undefined>,
): string | undefined {
  const asked = group.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const answers = asked.filter(({ toolCallId }) => seqs.has(toolCallId))
  const requestSeqs = asked.map(request => request.seq)
  const resultSeqs = answers.map(({ toolCallId }) => seqs.get(toolCallId))
  if ([...requestSeqs, ...resultSeqs].includes(undefined)) return 'a seq is missing'
  if (repeats(requestSeqs) || repeats(resultSeqs)) return 'a seq is given twice'
  const rises = resultSeqs.every((seq, at) => at === 0 || Number(resultSeqs[at - 1]) < Number(seq))
  return rises ? undefined : 'results arrived in another order than they were asked for'
}

const repeats = (seqs: readonly unknown[]) => new Set(seqs).size < seqs.length

function atGroup(group: RequestGroup, message: string): Violation {
  const [first] = group
  const name = first?.groupId === undefined ? 'without a group' : `of group ${first.groupId}`
  return {
    at: rowAt('evidence.toolRequests', first?.toolCallId ?? ''),
    message: `${message} (requests ${name})`,
  }
}

/** Groups requests that belong to one action. */
type RequestGroup = readonly RequestRow[]

/** Requests that share a `groupId`. */
function namedGroups(requests: readonly RequestRow[]): readonly RequestGroup[] {
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
function branchGroups(requests: readonly RequestRow[]): readonly RequestGroup[] {
  const loose = ungrouped(requests)
  return loose.length > 0 ? [loose, ...namedGroups(requests)] : namedGroups(requests)
}

const ungrouped = (requests: readonly RequestRow[]) =>
  requests.filter(request => request.groupId === undefined)

/**
 * Checks the caller of a tool: the model, a named caller, or code that another call of the turn
 * ran.
 */

import { listed, rowAt } from '../evidence/read-row.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { RequestRow, Turn } from '../turn.ts'
import { requestOf, toolEntry } from './call-index.ts'
import { requestsUnderPolicy } from './tool-policy.ts'

export function disallowedCallers(turn: Turn): readonly Violation[] {
  return requestsUnderPolicy(turn).flatMap(({ request, tool }) => {
    if (tool.allowedCallers === undefined) return none
    const caller = callerOf(turn, request)
    if (tool.allowedCallers.includes(caller)) return none
    const allowed = listed(tool.allowedCallers, 'nobody')
    const message = `${caller} called ${request.toolName}, which admits ${allowed}`
    return [{ at: rowAt('evidence.toolRequests', request.toolCallId), message }]
  })
}

function callerOf(turn: Turn, request: RequestRow): string {
  const parentTool = requestOf(turn, parentOf(request))?.toolName
  return parentTool ?? request.callerId ?? 'model'
}

const parentOf = (row: Pick<RequestRow, 'callerEdge'>) => row.callerEdge?.parentToolCallId

export function invalidEdges(turn: Turn): readonly Violation[] {
  const parents = new Map<string, string>()
  for (const request of turn.requests) {
    const parent = parentOf(request)
    if (parent !== undefined) parents.set(request.toolCallId, parent)
  }
  const edgesOfResults = turn.results.filter(result => parentOf(result) !== undefined)
  if (parents.size === 0 && edgesOfResults.length === 0) return none
  const cyclic = callsInCycles(parents)
  return [
    ...[...parents].flatMap(([child, parent]) =>
      edgeComplaints(turn, cyclic, child, parent).map(message => ({
        at: `${rowAt('evidence.toolRequests', child)}.callerEdge`,
        message,
      })),
    ),
    ...edgesOfResults
      .filter(result => parentOf(result) !== parents.get(result.toolCallId))
      .map(result => ({
        at: `${rowAt('evidence.toolResults', result.toolCallId)}.callerEdge`,
        message: 'the result names another caller than its request does',
      })),
  ]
}

function edgeComplaints(
  turn: Turn,
  cyclic: ReadonlySet<string>,
  child: string,
  parent: string,
): string[] {
  const messages: string[] = []
  const request = requestOf(turn, parent)
  if (!request) messages.push(`${parent} is no request of this turn`)
  else if (cyclic.has(child)) messages.push('the edges lead back to this call')
  if (request && turn.callSpec.toolPolicy && !toolEntry(turn, request.toolName)?.codeExecution) {
    messages.push(`${request.toolName} does not execute code, so it cannot call a tool`)
  }
  if (turn.callSpec.actionMode === 'json')
    messages.push('a JSON action has no code that could call')
  return messages
}

/** Calls on a cycle. Each edge is visited once, so long chains stay linear. */
function callsInCycles(parents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const inCycle = new Set<string>()
  const done = new Set<string>()
  for (const start of parents.keys()) {
    const path = new Map<string, number>()
    let at: string | undefined = start
    while (at !== undefined && !done.has(at) && !path.has(at)) {
      path.set(at, path.size)
      at = parents.get(at)
    }
    const entry = at === undefined ? undefined : path.get(at)
    for (const [call, depth] of path) {
      if (entry !== undefined && depth >= entry) inCycle.add(call)
      done.add(call)
    }
  }
  return inCycle
}

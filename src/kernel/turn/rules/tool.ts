import { requestOf, resultsOf } from '../checks/call-index.ts'
import { disallowedCallers, invalidEdges } from '../checks/caller.ts'
import { mismatchedDiscoveries, unresolvedDiscoveries } from '../checks/discovery.ts'
import { parallelViolations } from '../checks/parallel.ts'
import { schemaViolations } from '../checks/schema-invalid.ts'
import { disallowedTools } from '../checks/tool-choice.ts'
import { catalogMismatch, requestsUnderPolicy } from '../checks/tool-policy.ts'
import { truncationViolations } from '../checks/truncation.ts'
import { listed, rowAt, short } from '../evidence/read-row.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none } from './rule.ts'

const each = (ids: readonly string[], surface: string, message: (id: string) => string) =>
  ids.length === 0 ? none : ids.map(id => ({ at: rowAt(surface, id), message: message(id) }))

export const toolRules = defineRules({
  'tool.schema_invalid': {
    means: 'A row breaks its contract, or a call breaks the schema of its tool.',
    gate: 'join',
    remedy:
      'Correct the named field; `premath schema premath.harness.turn_evidence.v1` prints the contract of every row.',
    find: schemaViolations,
  },
  'tool.unknown_or_disallowed': {
    means: 'A tool was called that the call spec does not allow.',
    gate: 'join',
    remedy: 'Add the tool to toolPolicy for this turn, or keep the model from calling it.',
    find: disallowedTools,
  },
  'tool.discovery_unresolved': {
    means: 'A tool that is loaded on demand was called without the search that found it.',
    gate: 'join',
    remedy: 'Record the search under `searches` and name it in the request as searchRef.',
    find: unresolvedDiscoveries,
  },
  'tool.discovery_mismatch': {
    means: 'A search does not show that it found the tool in the bound catalog.',
    gate: 'join',
    remedy:
      'Record the search as it ran: its query, the tools it found, and the catalog it ran over.',
    find: (turn, kit) => [
      ...mismatchedDiscoveries(turn, kit),
      ...catalogMismatch(turn, 'toolCatalogDigest', kit),
      ...catalogMismatch(turn, 'deferPolicyDigest', kit),
    ],
  },
  'tool.example_digest_mismatch': {
    means: 'The usage examples a call was made under are not the ones the call spec binds.',
    gate: 'join',
    remedy: 'Make the call with the examples of the bound tool policy, or bind the ones in use.',
    find: (turn, kit) => [
      ...requestsUnderPolicy(turn)
        .filter(
          ({ request, tool }) =>
            request.exampleDigest !== undefined && request.exampleDigest !== tool.examplesDigest,
        )
        .map(({ request, tool }) => ({
          at: `${rowAt('evidence.toolRequests', request.toolCallId)}.exampleDigest`,
          message: `is ${request.exampleDigest}; the tool's is ${tool.examplesDigest ?? 'not given'}`,
        })),
      ...catalogMismatch(turn, 'toolExampleDigest', kit),
    ],
  },
  'tool.caller_not_allowed': {
    means: 'A tool was called by a caller that its policy does not allow.',
    gate: 'join',
    remedy: 'Call the tool from an allowed caller, or add this caller to allowedCallers.',
    find: (turn, kit) => [
      ...disallowedCallers(turn),
      ...catalogMismatch(turn, 'allowedCallersDigest', kit),
    ],
  },
  'tool.programmatic_caller_edge_invalid': {
    means: 'A call made from code does not trace back to a code-executing call of this turn.',
    gate: 'join',
    remedy: 'Set callerEdge.parentToolCallId to the code-executing call that made this one.',
    find: invalidEdges,
  },
  'tool.result_missing': {
    means: 'A requested call has no terminal result.',
    gate: 'join',
    remedy: 'Wait for the result, or record the call as an error with code, retryable and message.',
    find: turn =>
      each(turn.joinState.missingResultCallIds, 'evidence.toolRequests', id => {
        const toolName = requestOf(turn, id)?.toolName ?? 'unnamed tool'
        return `call ${short(id)} (${toolName}) has no terminal result`
      }),
  },
  'tool.result_orphan': {
    means: 'A result answers a call that was never requested.',
    gate: 'join',
    remedy: 'Record the request this result answers, or drop the result if it is of another turn.',
    find: turn =>
      each(
        turn.joinState.orphanResultCallIds,
        'evidence.toolResults',
        id => `the result of ${short(id)} answers no request of this turn`,
      ),
  },
  'tool.use_missing': {
    means: 'A terminal result has no use disposition.',
    gate: 'join',
    remedy: 'Record the use of the result: consumed, observed, discarded or retry_scheduled.',
    find: turn =>
      each(
        turn.joinState.missingUseCallIds,
        'evidence.toolResults',
        id => `the result of ${short(id)} has no use disposition`,
      ),
  },
  'tool.use_without_result': {
    means: 'A use disposition names a call that has no terminal result.',
    gate: 'join',
    remedy: 'Record the result of this use, or remove the use.',
    find: turn =>
      each(
        turn.joinState.unknownUseCallIds,
        'evidence.toolUse',
        id => `call ${short(id)} is said to be used, but has no terminal result`,
      ),
  },
  'tool.use_unknown_result': {
    means: 'A use names a result by digest, and the call has no result of that digest.',
    gate: 'join',
    remedy: 'Use the digest of the result that was really used.',
    find: unknownResults,
  },
  'tool.join_incomplete': {
    means: 'Requests, results and uses do not match one to one.',
    gate: 'join',
    remedy: 'Close each open call named beside this finding.',
    find: ({ joinState }) => {
      if (joinState.joinClosed) return none
      const open = [
        [joinState.missingResultCallIds, 'without result'],
        [joinState.orphanResultCallIds, 'answered but never requested'],
        [joinState.missingUseCallIds, 'answered but not used'],
        [joinState.unknownUseCallIds, 'used without result'],
      ] as const
      const counts = open
        .filter(([ids]) => ids.length > 0)
        .map(([ids, what]) => `${ids.length} ${what}`)
      return [{ at: 'evidence', message: `the turn is open: ${counts.join(', ')}` }]
    },
  },
  'tool.parallel_policy_violation': {
    means: 'More calls ran in parallel than the call spec or the action mode allows.',
    gate: 'join',
    remedy: 'Make the calls one after the other, or allow them in parallelPolicy.',
    find: parallelViolations,
  },
  'tool.response_truncation_policy_violation': {
    means: 'A result was not truncated as the truncation policy requires.',
    gate: 'join',
    remedy:
      'Truncate the response to maxBytes with the marker of the policy, and record the truncation.',
    find: truncationViolations,
  },
})

function unknownResults(turn: Turn) {
  return turn.uses.flatMap(use => {
    if (use.resultDigest === undefined) return none
    const results = resultsOf(turn, use.toolCallId)
    if (!results || results.digests.has(use.resultDigest)) return none
    const has = listed([...results.digests], 'no digest')
    return [
      {
        at: `${rowAt('evidence.toolUse', use.toolCallId)}.resultDigest`,
        message: `names the result ${short(use.resultDigest)}; the call's has ${has}`,
      },
    ]
  })
}

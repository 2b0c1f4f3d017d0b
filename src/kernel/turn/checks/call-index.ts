/** Indexes the rows of a turn by call and tools by name, once, on first use. */
import type { RequestRow, Turn } from '../turn.ts'

export type ToolEntry = NonNullable<NonNullable<Turn['callSpec']['toolPolicy']>['tools']>[number]

export interface CallResults {
  /** Digests of the results. Rows without a digest are left out. */
  readonly digests: ReadonlySet<string>
  /** True if one of them is an error worth a retry. */
  readonly retryable: boolean
}

interface CallIndex {
  readonly requests: ReadonlyMap<string, RequestRow>
  readonly results: ReadonlyMap<string, CallResults>
  readonly tools: ReadonlyMap<string | undefined, ToolEntry>
}

const indexes = new WeakMap<Turn, CallIndex>()

function indexOf(turn: Turn): CallIndex {
  let index = indexes.get(turn)
  if (index === undefined) {
    const results = new Map<string, { digests: Set<string>; retryable: boolean }>()
    for (const row of turn.results) {
      const known = results.get(row.toolCallId) ?? { digests: new Set(), retryable: false }
      if (row.resultDigest !== undefined) known.digests.add(row.resultDigest)
      known.retryable ||= row.error?.retryable === true
      results.set(row.toolCallId, known)
    }
    index = {
      requests: new Map(turn.requests.map(row => [row.toolCallId, row])),
      results,
      tools: new Map(turn.callSpec.toolPolicy?.tools?.map(tool => [tool.toolName, tool])),
    }
    indexes.set(turn, index)
  }
  return index
}

export const requestOf = (turn: Turn, toolCallId: string | undefined) =>
  toolCallId === undefined ? undefined : indexOf(turn).requests.get(toolCallId)

/** The terminal results of a call, combined. There is more than one row only if rows conflict. */
export const resultsOf = (turn: Turn, toolCallId: string): CallResults | undefined =>
  indexOf(turn).results.get(toolCallId)

/** The tool policy's entry for a tool. */
export const toolEntry = (turn: Turn, toolName: string | undefined): ToolEntry | undefined =>
  turn.callSpec.toolPolicy && indexOf(turn).tools.get(toolName)

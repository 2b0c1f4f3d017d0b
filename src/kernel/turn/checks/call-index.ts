/** Rows of one turn by call and tools by name, built once when the first rule asks. */
import type { RequestRow, Turn } from '../turn.ts'

export type ToolEntry = NonNullable<NonNullable<Turn['callSpec']['toolPolicy']>['tools']>[number]

export interface CallResults {
  /** Digests of the results; rows without one have none here. */
  readonly digests: ReadonlySet<string>
  /** Whether one of them is an error that may pass when tried again. */
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

/** What the terminal results of a call come to; more than one row only where rows conflict. */
export const resultsOf = (turn: Turn, toolCallId: string): CallResults | undefined =>
  indexOf(turn).results.get(toolCallId)

/** What the tool policy says of a tool. */
export const toolEntry = (turn: Turn, toolName: string | undefined): ToolEntry | undefined =>
  turn.callSpec.toolPolicy && indexOf(turn).tools.get(toolName)

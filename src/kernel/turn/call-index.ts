/** Rows of one turn by call and tools by name, built once when the first rule asks. */
import type { RequestRow, ResultRow, Turn } from './turn.ts'

export type ToolEntry = NonNullable<NonNullable<Turn['callSpec']['toolPolicy']>['tools']>[number]

interface CallIndex {
  readonly requests: ReadonlyMap<string, RequestRow>
  readonly results: ReadonlyMap<string, readonly ResultRow[]>
  readonly tools: ReadonlyMap<string | undefined, ToolEntry>
}

const indexes = new WeakMap<Turn, CallIndex>()

function indexOf(turn: Turn): CallIndex {
  let index = indexes.get(turn)
  if (index === undefined) {
    const results = new Map<string, ResultRow[]>()
    for (const row of turn.results) {
      const rows = results.get(row.toolCallId)
      if (rows) rows.push(row)
      else results.set(row.toolCallId, [row])
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

/** More than one only where rows conflict. */
export const resultsOf = (turn: Turn, toolCallId: string): readonly ResultRow[] =>
  indexOf(turn).results.get(toolCallId) ?? []

/** What the tool policy says of a tool. */
export const toolEntry = (turn: Turn, toolName: string | undefined): ToolEntry | undefined =>
  turn.callSpec.toolPolicy && indexOf(turn).tools.get(toolName)

/** Rows of one turn by call, built once when the first rule asks. */
import type { RequestRow, ResultRow, Turn } from './turn.ts'

interface CallIndex {
  readonly requests: ReadonlyMap<string, RequestRow>
  readonly results: ReadonlyMap<string, readonly ResultRow[]>
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
    index = { requests: new Map(turn.requests.map(row => [row.toolCallId, row])), results }
    indexes.set(turn, index)
  }
  return index
}

export const requestOf = (turn: Turn, toolCallId: string | undefined) =>
  toolCallId === undefined ? undefined : indexOf(turn).requests.get(toolCallId)

/** More than one only where rows conflict. */
export const resultsOf = (turn: Turn, toolCallId: string): readonly ResultRow[] =>
  indexOf(turn).results.get(toolCallId) ?? []

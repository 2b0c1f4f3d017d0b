/**
 * Rows of others that stand in the file before a row which was acknowledged here. A rebase by patches
 * puts them there: where a patch fits, git asks no merge driver. The later row was not made from them,
 * because this clone had never seen them when it was written.
 */
import { type Issue, printIssue } from '../issue.ts'
import { endsOf, type RowsById } from './apart.ts'
import type { Acknowledged } from './forward.ts'

interface Unknown {
  /** The last row before them that is known here. */
  readonly base: Issue | undefined
  readonly rows: Issue[]
  /** The number of those that a known row follows. */
  passed: number
}

export class PassedOver {
  readonly #acknowledged: Acknowledged
  readonly #known = new Map<string, Issue>()
  readonly #unknown = new Map<string, Unknown>()

  constructor(acknowledged: Acknowledged) {
    this.#acknowledged = acknowledged
  }

  /** Takes the rows of the file in their order. */
  take(row: Issue): void {
    const { id } = row
    const marked = this.#acknowledged.rows.get(id)
    if (!marked) return
    const unknown = this.#unknown.get(id)
    if (isKnown(row, this.#acknowledged)) {
      if (unknown) unknown.passed = unknown.rows.length
      else this.#known.set(id, row)
    } else if (unknown) unknown.rows.push(row)
    else this.#unknown.set(id, { base: this.#known.get(id), rows: [row], passed: 0 })
  }

  /** Those that count, by id: none was made from another one. */
  rows(): RowsById {
    return this.#each(({ rows, passed }) => {
      const ends = endsOf(rows.slice(0, passed))
      return [...(ends.apart().values().next().value ?? []), ...ends.last().values()]
    })
  }

  /** True if a row that is known here follows the row, so that it counts as passed over. */
  has(row: Issue): boolean {
    const unknown = this.#unknown.get(row.id)
    return unknown?.rows.slice(0, unknown.passed).includes(row) ?? false
  }

  /** The row that both sides were made from, by id, where the file has it. */
  bases(): RowsById {
    return this.#each(({ base }) => (base ? [base] : []))
  }

  #each(rowsOf: (unknown: Unknown) => readonly Issue[]): RowsById {
    const passed = [...this.#unknown].filter(([, unknown]) => unknown.passed > 0)
    return new Map(passed.map(([id, unknown]) => [id, rowsOf(unknown)]))
  }
}

/** The row was acknowledged here, also if another one of its id was after it. */
export function isKnown(row: Issue, { rows, wasReplaced }: Acknowledged): boolean {
  const text = printIssue(row)
  const marked = rows.get(row.id)
  return (marked !== undefined && printIssue(marked) === text) || wasReplaced(text)
}

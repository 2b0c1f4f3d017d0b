/**
 * Decides what issue memory must hold, from the changes that were acknowledged alone. It knows nothing of
 * merging: an issue is its description, which is never edited.
 */
import type { Dependency, Lease } from '../../src/wire/issue/issue.ts'

/** A row, as far as the oracle looks at it. */
export interface SeenRow {
  readonly id: string
  readonly description: string
  readonly status: string
  readonly lease?: Lease | undefined
  readonly dependencies: readonly Pick<Dependency, 'depends_on_id' | 'type'>[]
  readonly comments: readonly string[]
  readonly fence: number
}

/** One acknowledged change. */
export type Fact =
  | { readonly is: 'issue'; readonly name: string }
  | { readonly is: 'comment'; readonly name: string; readonly text: string }
  | { readonly is: 'fence'; readonly name: string; readonly fence: number }
  | { readonly is: 'edge'; readonly name: string; readonly to: string; readonly type: string }
  | { readonly is: 'close'; readonly name: string }

export class Oracle {
  /** Facts that need not hold any more, as text: a removed edge, a reopened close. */
  readonly #over = new Set<string>()
  /** A person committed a merge with one side, so commits may know less than their parents. */
  isByHand = false

  end(fact: Fact): void {
    this.#over.add(JSON.stringify(fact))
  }

  /** The facts, each as text, that these rows break, and the issues that are there twice. */
  broken(rows: readonly SeenRow[], facts: ReadonlySet<string>): readonly string[] {
    const byName = new Map(rows.map(row => [row.description, row]))
    const names = new Map(rows.map(row => [row.id, row.description]))
    const twice = rows.filter(row => byName.get(row.description) !== row)
    const lost = [...facts].filter(text => !this.#over.has(text) && !holds(JSON.parse(text)))
    return [...twice.map(({ description }) => `twice: ${description}`), ...lost]

    function holds(fact: Fact): boolean {
      const row = byName.get(fact.name)
      if (!row) return false
      switch (fact.is) {
        case 'issue':
          return true
        case 'comment':
          return row.comments.includes(fact.text)
        case 'fence':
          return row.fence >= fact.fence
        case 'edge':
          return row.dependencies.some(
            ({ depends_on_id, type }) => names.get(depends_on_id) === fact.to && type === fact.type,
          )
        case 'close':
          return row.status === 'closed' && row.lease === undefined
        default:
          return fact
      }
    }
  }
}

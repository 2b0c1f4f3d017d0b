import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Authority, Compacted, IssueStore } from './issue-store.ts'

/**
 * One store for several workers of one process. What they ask is done one after the other, in the
 * order they ask: memory that is half caught up must not be seen, and nobody waits for a lock that
 * the same process holds.
 */
export class SharedIssueStore implements IssueStore {
  readonly #store: IssueStore
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: IssueStore) {
    this.#store = store
  }

  get path(): string {
    return this.#store.path
  }

  get notices(): readonly string[] {
    return this.#store.notices
  }

  exists(): Promise<boolean> {
    return this.#store.exists()
  }

  read(): Promise<IssueMemory> {
    return this.#inTurn(() => this.#store.read())
  }

  mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    return this.#inTurn(() => this.#store.mutate(authority, change))
  }

  replaceRows(
    authority: Authority,
    decide: (memory: IssueMemory) => readonly Issue[] | IssueRefusal,
  ): Promise<Compacted | IssueRefusal> {
    return this.#inTurn(() => this.#store.replaceRows(authority, decide))
  }

  tidyProofs(issueId: string): Promise<void> {
    return this.#inTurn(() => this.#store.tidyProofs(issueId))
  }

  compact(): Promise<Compacted> {
    return this.#inTurn(() => this.#store.compact())
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act)
    // Whoever asked is told of a failure; the next one is not concerned by it.
    this.#last = mine.catch(() => {})
    return mine
  }
}

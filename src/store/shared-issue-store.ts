import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Authority, Changes, IssueStore, Revision } from './issue-store.ts'
import { SerialQueue } from './lock.ts'

/**
 * One store for several workers of one process. It runs their calls one at a time, in the order they
 * come: no caller sees memory that is half caught up, and none waits for a lock of its own process.
 */
export class SharedIssueStore implements IssueStore {
  readonly #store: IssueStore
  readonly #turns = new SerialQueue()

  constructor(store: IssueStore) {
    this.#store = store
  }

  get kind(): string {
    return this.#store.kind
  }

  get location(): string {
    return this.#store.location
  }

  get notices(): readonly string[] {
    return this.#store.notices
  }

  exists(): Promise<boolean> {
    return this.#store.exists()
  }

  read(): Promise<IssueMemory> {
    return this.#turns.run(() => this.#store.read())
  }

  mutate(authority: Authority, change: IssueChange): Promise<IssueChanged | IssueRefusal> {
    return this.#turns.run(() => this.#store.mutate(authority, change))
  }

  changes(since?: Revision): Promise<Changes> {
    return this.#turns.run(() => this.#store.changes(since))
  }

  tidyProofs(issueId: string): Promise<void> {
    return this.#turns.run(() => this.#store.tidyProofs(issueId))
  }
}

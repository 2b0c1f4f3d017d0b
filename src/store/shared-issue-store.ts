import type { Sha256 } from '../kernel/canonical.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import type {
  Authority,
  Changes,
  IssueStore,
  LogState,
  RereadClose,
  Revision,
} from './issue-store.ts'
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

  logRef(sha256: Sha256): Promise<string> {
    return this.#turns.run(() => this.#store.logRef(sha256))
  }

  logState(ref: string, sha256: Sha256): Promise<LogState> {
    return this.#turns.run(() => this.#store.logState(ref, sha256))
  }

  reread(closed: Issue): Promise<RereadClose> {
    return this.#turns.run(() => this.#store.reread(closed))
  }

  tidyProofs(issueId: string): Promise<void> {
    return this.#turns.run(() => this.#store.tidyProofs(issueId))
  }
}

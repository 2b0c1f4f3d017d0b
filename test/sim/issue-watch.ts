/**
 * Sees every row at the moment it comes to stand in issue memory, with the change that wrote it, and
 * holds it against rules that no reader of the file could check later.
 */
import { fenceOf, type Issue } from '../../src/kernel/issues/issue.ts'
import type { IssueChange } from '../../src/kernel/issues/issue-change.ts'
import type { LeaseProof } from '../../src/kernel/issues/lease.ts'
import { readRows, rowsStart } from '../../src/store/issue-rows.ts'
import type { IssueStore } from '../../src/store/issue-store.ts'

/** The pending request of a program to issue memory. It makes one request at a time. */
export interface Asking {
  change: IssueChange | undefined
}

export class IssueWatch {
  /** The violated rules, in words. */
  readonly broken: string[] = []
  /** How often each issue was closed. */
  readonly closings = new Map<string, number>()
  takeovers = 0
  readonly #path: string
  readonly #known = new Map<string, Issue>()
  /** The last fence that somebody began to work under. */
  readonly #worked = new Map<string, number>()

  constructor(path: string, rows: Uint8Array) {
    this.#path = path
    readRows(rows, rowsStart, path, ({ issue }) => this.#known.set(issue.id, issue))
  }

  get closed(): number {
    return this.closings.size
  }

  /** A store that says what is asked of it before it is. */
  static asking(store: IssueStore, asking: Asking): IssueStore {
    return {
      kind: store.kind,
      location: store.location,
      get notices() {
        return store.notices
      },
      exists: () => store.exists(),
      read: () => store.read(),
      changes: since => store.changes(since),
      logRef: sha256 => store.logRef(sha256),
      logState: (ref, sha256) => store.logState(ref, sha256),
      reread: closed => store.reread(closed),
      tidyProofs: id => store.tidyProofs(id),
      async mutate(authority, change) {
        asking.change = change
        return await store.mutate(authority, change)
      },
    }
  }

  worksOn(issueId: string, fence: number): void {
    this.#worked.set(issueId, Math.max(fence, this.#worked.get(issueId) ?? 0))
  }

  /** The unreadable rest of a torn write does not count. */
  appended(path: string, bytes: Uint8Array, { change }: Asking): void {
    if (path !== this.#path) return
    if (!change) this.broken.push('rows that nobody asked for')
    readRows(bytes, rowsStart, path, ({ issue }) => {
      if (change) this.#take(change, issue)
    })
  }

  #take(change: IssueChange, after: Issue): void {
    const before = this.#known.get(after.id)
    this.#known.set(after.id, after)
    if (!before) return
    const wrong = flawOf(change, before, after) ?? this.#zombie(change, after)
    if (wrong) this.broken.push(`${after.id}: ${wrong} by ${JSON.stringify(change)}`)
    if (before.lease && after.lease && fenceOf(after) > fenceOf(before)) this.takeovers++
    if (after.status === 'closed') {
      this.closings.set(after.id, (this.closings.get(after.id) ?? 0) + 1)
    }
  }

  #zombie(change: IssueChange, { id }: Issue): string | undefined {
    const fence = proofOf(change, id)?.fence
    const worked = this.#worked.get(id) ?? 0
    return fence !== undefined && fence < worked ? `work began under ${worked} already` : undefined
  }
}

function flawOf(change: IssueChange, before: Issue, after: Issue): string | undefined {
  const [last, fence] = [fenceOf(before), fenceOf(after)]
  if (before.status === 'closed') return 'closed, and changed once more'
  if (change.action === 'issue.claim' || change.action === 'issue.claim_next') {
    if (fence === last + 1) return undefined
    const isHolder = fence === last && before.lease?.owner === change.claim.assignee
    return isHolder ? undefined : `fence ${fence} after ${last}`
  }
  const proof = proofOf(change, after.id)
  if (fence !== last) return `fence ${fence} after ${last}, without a claim`
  if (!proof) return 'changed without a proof'
  if (proof.fence !== last) return `under fence ${proof.fence}, and the last was ${last}`
  if (proof.assignee !== before.lease?.owner) return `held by ${before.lease?.owner}`
  return undefined
}

function proofOf(change: IssueChange, id: string): LeaseProof | undefined {
  const named = change.action === 'issue.discover' ? change.parentId : 'id' in change && change.id
  return 'proof' in change && named === id ? change.proof : undefined
}

/** Recomputes `lease://handoff/…` refs from the event log: which lease stood when a step ended. */
import type { Sha256 } from '../../canonical.ts'
import { type HandoffState, leaseRef, recoveryOf } from '../../harness/lease-handoff.ts'
import type { IssueEvent } from '../../issues/events/issue-event.ts'
import type { Issue } from '../../issues/issue.ts'

interface Standing {
  readonly leaseId: string
  readonly leaseOwner: string
  readonly status: string
  readonly assignee: string
}

interface IssueHistory {
  /** Lease and status in each row that the issue had. */
  readonly standings: Map<string, Standing>
  /** The owner of each lease that was claimed. */
  readonly owners: Map<string, string>
}

const shape = /^lease:\/\/handoff\/(.+)\/([a-z_]+)\/[0-9a-f]{64}$/s

export const isLeaseRef = (ref: string): boolean => ref.startsWith('lease://handoff/')

export class LeaseHistory {
  readonly #issues = new Map<string, IssueHistory>()
  readonly #sha256: Sha256

  constructor(events: Iterable<IssueEvent>, sha256: Sha256) {
    this.#sha256 = sha256
    for (const event of events) this.#take(event)
  }

  /** `unknown` if the log has no claim of the issue, as after a new log was written. */
  verdictOn(ref: string, workerId: string | undefined): 'verified' | 'wrong' | 'unknown' {
    const [, issueId = '', state = ''] = shape.exec(ref) ?? []
    if (!isState(state)) return 'wrong'
    if (this.#refs(issueId, state, workerId).some(one => one === ref)) return 'verified'
    return (this.#issues.get(issueId)?.owners.size ?? 0) > 0 ? 'wrong' : 'unknown'
  }

  #take(event: IssueEvent): void {
    const known = this.#issues.get(event.issue_id)
    const history = known ?? { standings: new Map(), owners: new Map() }
    if (known === undefined) this.#issues.set(event.issue_id, history)
    if (event.action === 'upsert_issue') {
      const standing = standingOf(event.issue)
      history.standings.set(JSON.stringify(standing), standing)
      if (standing.leaseId !== '') history.owners.set(standing.leaseId, standing.leaseOwner)
    }
    if (event.action === 'claim_issue') history.owners.set(event.lease_id, event.owner)
  }

  /** The refs that a step of this worker, or of any worker of the issue, could have written. */
  #refs(issueId: string, leaseState: HandoffState, given: string | undefined): readonly string[] {
    const { standings = [], owners = new Map<string, string>() } = this.#issues.get(issueId) ?? {}
    const all = [...standings].map(([, standing]) => standing)
    const none: Standing = { leaseId: '', leaseOwner: '', status: '', assignee: '' }
    const workers = given === undefined ? [...new Set(owners.values())] : [given]
    return workers.flatMap(workerId => {
      // The step that closed an issue names the lease that it held before.
      const held = [...owners].flatMap(([leaseId, leaseOwner]) =>
        leaseState === 'released' && leaseOwner === workerId
          ? all.map(one => ({ ...one, leaseId, leaseOwner }))
          : [],
      )
      const { leaseAction } = recoveryOf(leaseState)
      const about = { issueId, workerId, leaseState }
      return [
        ...[...all, none].map(one => ({ ...about, ...one, leaseAction })),
        ...held.map(one => ({ ...about, ...one, leaseAction: 'release_closed' })),
      ].map(handoff => leaseRef(handoff, this.#sha256))
    })
  }
}

const standingOf = ({ lease, status, assignee }: Issue): Standing => ({
  leaseId: lease?.lease_id ?? '',
  leaseOwner: lease?.owner ?? '',
  status,
  assignee,
})

const states: ReadonlySet<string> = new Set<HandoffState>([
  'missing_issue',
  'closed_with_lease',
  'released',
  'unleased',
  'stale',
  'contended',
  'active',
])

const isState = (text: string): text is HandoffState => states.has(text)

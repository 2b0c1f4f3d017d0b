/**
 * Issue memory: the last row of every id, and indexes that keep the cost of a query or a change
 * independent of the number of issues. All indexes are derived from rows, on first use: a command
 * that reads one issue builds none.
 */

import type { Lease } from '../../wire/issue/issue.ts'
import { byCodePoint, type Sha256 } from '../canonical.ts'
import { instantOf } from '../timestamp.ts'
import { isReachable } from './graph/reachability.ts'
import { blockingTypes, byDependency, type Issue, printIssue } from './issue.ts'
import { isTaken, SharedPrefix } from './issue-id.ts'
import { type IssueTraits, traitsOf } from './issue-list.ts'
import { byNaturalId, firstOf, merged, rankedList } from './issue-order.ts'
import { isActive, isUnclaimed } from './issue-status.ts'
import { isLanding } from './landing/landing-state.ts'
import { type IndexedOffers, type Offer, ReadyList, SortedList } from './ready-list.ts'

/** Indexed rows that are looked up on demand. */
export interface IndexedIssues {
  readonly size: number
  /** The prefix that all ids share, or `null`. */
  readonly sharedPrefix: string | null
  readonly ready: IndexedOffers
  readonly leased: readonly Issue[]
  get(id: string): Issue | undefined
  /** Issues with an edge to the target; extra ones are harmless. */
  dependentsOf(target: string): readonly string[]
  /** Whether edges may lead from one issue to another, including the given rows. */
  mayLead(from: string, to: string, rows: Iterable<Issue>): boolean
  /** Below it, every `prefix-N` is taken, in whatever case. */
  countedFrom(prefix: string): number
  /** Issues that match, by id in natural order, without those in `except`. `undefined` if not known. */
  matching(
    isWanted: (traits: IssueTraits) => boolean,
    except: Iterable<string>,
  ): IndexedMatches | undefined
  all(): Iterable<Issue>
}

/** Their rows are read one by one, as far as somebody asks. */
export interface IndexedMatches {
  readonly count: number
  rows(): Iterable<Issue>
}

interface LeaseEnd {
  readonly end: bigint
  readonly issue: Issue
}

const byEnd = (a: LeaseEnd, b: LeaseEnd): number => {
  if (a.end !== b.end) return a.end < b.end ? -1 : 1
  return byCodePoint(a.issue.id, b.issue.id)
}

export class IssueMemory {
  readonly #issues = new Map<string, Issue>()
  #indexed: IndexedIssues | undefined
  #size: number
  readonly #leased = new Map<string, Issue>()
  readonly #counted = new Map<string, number>()
  #prefix: SharedPrefix | undefined
  /** Sources of edges of any type, by target, existing or not. */
  #dependents: Map<string, Set<string>> | undefined
  /** Open and unblocked issues, in the order of offer. */
  #ready: ReadyList | undefined
  #leaseEnds: SortedList<LeaseEnd> | undefined
  #edgesGrown = 0

  constructor(index?: IndexedIssues) {
    this.#indexed = index
    this.#size = index?.size ?? 0
    if (!index) return
    for (const issue of index.leased) {
      this.#issues.set(issue.id, issue)
      this.#leased.set(issue.id, issue)
    }
    this.#ready = new ReadyList([], index.ready)
  }

  get size(): number {
    return this.#size
  }

  get(id: string): Issue | undefined {
    const loaded = this.#issues.get(id)
    if (loaded || !this.#indexed) return loaded
    const found = this.#indexed.get(id)
    if (found) this.#issues.set(id, found)
    return found
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** Every issue, by id in code-point order. */
  all(): readonly Issue[] {
    this.#clearShelf()
    return [...this.#issues.values()].sort((a, b) => byCodePoint(a.id, b.id))
  }

  /** Issues that match, by id in natural order: the first ones, and the number of all. */
  matching(
    isWanted: (traits: IssueTraits) => boolean,
    limit?: number,
  ): { readonly first: readonly Issue[]; readonly total: number } {
    const indexed = this.#indexed?.matching(isWanted, this.#issues.keys())
    if (!indexed) this.#clearShelf()
    const loaded = [...this.#issues.values()].filter(one => isWanted(traitsOf(one))).sort(byIdOf)
    const found = indexed ? merged(indexed.rows(), loaded, byIdOf) : loaded
    return { first: firstOf(found, limit), total: loaded.length + (indexed?.count ?? 0) }
  }

  /** Issues with an edge of any type to this one, by id in code-point order. */
  dependentsOf(target: string): readonly Issue[] {
    const sources = [...this.#sourcesOf(target)].sort(byCodePoint).map(id => this.get(id))
    const leads = (issue: Issue | undefined): issue is Issue =>
      issue?.dependencies.some(({ depends_on_id }) => depends_on_id === target) ?? false
    return sources.filter(leads)
  }

  /** The prefix of new ids. A project that came from another tool keeps the one it has. */
  get idPrefix(): string {
    this.#prefix ??= this.#sharedPrefix()
    return this.#prefix.prefix
  }

  #sharedPrefix(): SharedPrefix {
    const prefix = new SharedPrefix(this.#indexed?.sharedPrefix)
    for (const id of this.#issues.keys()) prefix.take(id)
    return prefix
  }

  /** The lowest free `bd-N`. Ids are never reused, so the search resumes where it ended. */
  nextCountedId(prefix: string): string {
    let number = this.#counted.get(prefix) ?? this.#indexed?.countedFrom(prefix) ?? 1
    while (isTaken(`${prefix}-${number}`, id => this.has(id))) number++
    this.#counted.set(prefix, number)
    return `${prefix}-${number}`
  }

  /** Increases whenever a new edge between active issues may exist. */
  get edgesGrown(): number {
    return this.#edgesGrown
  }

  /** Replaces the row of its id. */
  put(issue: Issue): void {
    const before = this.get(issue.id)
    if (mayAddEdges(before, issue)) this.#edgesGrown++
    if (before) this.#forget(before)
    else {
      this.#size++
      this.#prefix?.take(issue.id)
    }
    this.#issues.set(issue.id, issue)
    if (issue.lease) {
      this.#leased.set(issue.id, issue)
      this.#leaseEnds?.insert(endOf(issue))
    }
    if (this.#dependents) addDependent(this.#dependents, issue)
    if (!this.#ready) return
    if (this.isReady(issue)) this.#ready.insert(issue)
    if (isClosed(before) !== isClosed(issue)) this.#reconsider(issue.id, this.#ready)
  }

  /** Ready issues, best first: open, and every blocker exists and is closed. */
  ready(): Iterable<Offer> {
    return this.#readyList().offers()
  }

  get readyCount(): number {
    return this.#readyList().count
  }

  #readyList(): ReadyList {
    this.#ready ??= new ReadyList(rankedList(this.#findReady()))
    return this.#ready
  }

  #findReady(): Issue[] {
    const found: Issue[] = []
    for (const issue of this.#issues.values()) if (this.isReady(issue)) found.push(issue)
    return found
  }

  isReady(issue: Issue): boolean {
    return isUnclaimed(issue) && !this.isBlocked(issue)
  }

  isBlocked(issue: Issue): boolean {
    for (const { type, depends_on_id } of issue.dependencies) {
      if (blockingTypes.has(type) && !isClosed(this.get(depends_on_id))) return true
    }
    return false
  }

  /**
   * Unblocked issues in progress whose lease has expired. Another worker may claim them, unless they
   * are landing.
   */
  reclaimable(now: bigint): readonly Issue[] {
    this.#leaseEnds ??= new SortedList([...this.#leased.values()].map(endOf).sort(byEnd), byEnd)
    const found: Issue[] = []
    for (const { end, issue } of this.#leaseEnds.items) {
      if (end > now) break
      if (issue.status !== 'in_progress' || isLanding(issue)) continue
      if (!this.isBlocked(issue)) found.push(issue)
    }
    return rankedList(found)
  }

  leased(): readonly Issue[] {
    return [...this.#leased.values()]
  }

  leaseOf(id: string): Lease | undefined {
    return this.#leased.get(id)?.lease
  }

  /**
   * Whether edges may lead from one issue to another. False is certain; true must be verified while
   * rows are in an index.
   */
  mayLead(from: string, to: string): boolean {
    if (this.#indexed) return this.#indexed.mayLead(from, to, this.#issues.values())
    const targets = (id: string) => this.get(id)?.dependencies.map(row => row.depends_on_id) ?? []
    return isReachable(from, to, targets, id => this.#sourcesOf(id))
  }

  /** Names the whole memory: `iss1_` and a digest over its canonical rows. */
  snapshotRef(sha256: Sha256): string {
    return `iss1_${sha256(this.all().map(snapshotRow).join(''))}`
  }

  #forget(issue: Issue): void {
    for (const { depends_on_id } of this.#dependents ? issue.dependencies : []) {
      this.#dependents?.get(depends_on_id)?.delete(issue.id)
    }
    if (issue.lease) {
      this.#leased.delete(issue.id)
      this.#leaseEnds?.remove(endOf(issue))
    }
    this.#ready?.remove(issue)
  }

  /** Dependents of this issue may have become ready or stopped being so. */
  #reconsider(target: string, ready: ReadyList): void {
    for (const id of this.#sourcesOf(target)) {
      const issue = this.get(id)
      if (!issue) continue
      if (this.isReady(issue)) ready.insert(issue)
      else ready.remove(issue)
    }
  }

  /** Ids of issues with an edge to the target; extra ones are harmless. */
  #sourcesOf(target: string): Iterable<string> {
    this.#dependents ??= dependentsAmong(this.#issues.values())
    const here = this.#dependents.get(target) ?? []
    const found = this.#indexed?.dependentsOf(target)
    return found ? new Set([...here, ...found]) : here
  }

  /** Loads every row and drops the index. */
  #clearShelf(): void {
    if (!this.#indexed) return
    for (const issue of this.#indexed.all()) {
      if (!this.#issues.has(issue.id)) this.#issues.set(issue.id, issue)
    }
    this.#indexed = undefined
    this.#dependents = undefined
    this.#ready = undefined
  }
}

const mayAddEdges = (before: Issue | undefined, after: Issue): boolean =>
  after.dependencies.length > 0 &&
  isActive(after) &&
  !(before && isActive(before) && before.dependencies === after.dependencies)

const byIdOf = (a: Issue, b: Issue): number => byNaturalId(a.id, b.id)

const isClosed = (issue: Issue | undefined): boolean => issue?.status === 'closed'

const endOf = (issue: Issue): LeaseEnd => ({
  end: instantOf(issue.lease?.expires_at ?? '') ?? 0n,
  issue,
})

function dependentsAmong(issues: Iterable<Issue>): Map<string, Set<string>> {
  const dependents = new Map<string, Set<string>>()
  for (const issue of issues) addDependent(dependents, issue)
  return dependents
}

function addDependent(dependents: Map<string, Set<string>>, issue: Issue): void {
  for (const { depends_on_id } of issue.dependencies) {
    const known = dependents.get(depends_on_id)
    if (known) known.add(issue.id)
    else dependents.set(depends_on_id, new Set([issue.id]))
  }
}

export function blockersOf(issue: Issue): readonly string[] {
  if (issue.dependencies.length === 0) return noBlockers
  return issue.dependencies
    .filter(({ type }) => blockingTypes.has(type))
    .map(row => row.depends_on_id)
}

const noBlockers: readonly string[] = []

/** Sorts the dependencies, so that their order in the row does not change the ref. */
export function snapshotRow(issue: Issue): string {
  const sorted = { ...issue, dependencies: issue.dependencies.toSorted(byDependency) }
  return `${printIssue(sorted)}\n`
}

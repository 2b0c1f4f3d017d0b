/** A clone that changes issue memory, and whose high-water mark brings it forward. */
import { byIdOf, endsOf } from '../../src/kernel/issues/forward/apart.ts'
import { ContradictingFences } from '../../src/kernel/issues/forward/fences.ts'
import { fileDifference, rowsForward } from '../../src/kernel/issues/forward/forward.ts'
import { mendedRows } from '../../src/kernel/issues/forward/mend.ts'
import { PassedOver } from '../../src/kernel/issues/forward/passed-over.ts'
import { fenceOf, type Issue, printIssue } from '../../src/kernel/issues/issue.ts'
import { decideChange, type IssueChange } from '../../src/kernel/issues/issue-change.ts'
import { commentsOf } from '../../src/kernel/issues/issue-comment.ts'
import { withStatus } from '../../src/kernel/issues/issue-edit.ts'
import { IssueMemory } from '../../src/kernel/issues/issue-memory.ts'
import { withMetadata } from '../../src/kernel/issues/issue-metadata.ts'
import { isRefusal } from '../../src/kernel/issues/issue-refusal.ts'
import { timestampOf } from '../../src/kernel/timestamp.ts'
import { ancestors, type Commit, type Lines, lastRows, sha256, textsOf } from './commit-graph.ts'
import type { Fact, Oracle, SeenRow } from './merge-oracle.ts'

export const seenRows = (lines: Lines): readonly SeenRow[] =>
  [...lastRows(lines).values()].map(row => ({
    ...row,
    comments: commentsOf(row).map(({ text }) => text),
    fence: fenceOf(row),
  }))

export class Clone {
  readonly name: string
  head: Commit
  lines: Lines
  /** The facts that were acknowledged here or came with commits. */
  facts: Set<string>
  readonly #oracle: Oracle
  readonly #acknowledged = new Map<string, Issue>()
  readonly #replaced = new Set<string>()
  #made = 0

  constructor(name: string, head: Commit, oracle: Oracle) {
    this.name = name
    this.head = head
    this.lines = head.lines
    this.facts = new Set(head.facts)
    this.#oracle = oracle
    this.#acknowledge(this.lines)
  }

  broken(): readonly string[] {
    return this.#oracle.broken(seenRows(this.lines), this.facts)
  }

  /** The file and HEAD after an operation of git. */
  take(head: Commit, lines: Lines = head.lines): void {
    this.head = head
    this.lines = lines
    this.#goForward()
    const broken = this.#oracle.isByHand
      ? new Set(this.#oracle.broken(seenRows(this.lines), head.facts))
      : new Set<string>()
    for (const fact of head.facts) if (!broken.has(fact)) this.facts.add(fact)
    // git merges nothing into a changed file.
    if (this.lines !== head.lines) this.commit()
  }

  commit(): void {
    this.head = { parents: [this.head], lines: this.lines, facts: new Set(this.facts) }
  }

  /** The next command finds the acknowledged rows that the file lacks. */
  #goForward(): void {
    const last = lastRows(this.lines)
    const isIn = (id: string) =>
      this.lines.some(row => row.id === id && isSameRow(row, this.#acknowledged.get(id)))
    const apart = endsOf(this.lines).apart()
    const acknowledged = {
      rows: this.#acknowledged,
      wasReplaced: (row: string) => this.#replaced.has(row),
    }
    const passed = new PassedOver(acknowledged)
    for (const row of this.lines) passed.take(row)
    const file = { rows: last, apart, byId: byIdOf(this.lines), passed, holds: isIn }
    const difference = fileDifference(file, acknowledged)
    const asked = [...difference.changed.values()].map(({ acknowledged }) => acknowledged)
    const before =
      asked.length > 0 ? [...ancestors(this.head)].map(({ lines }) => textsOf(lines)) : []
    const committed = textsOf(this.head.lines)
    const past = new Set(asked.filter(row => before.some(texts => texts.has(row))))
    const place = { file: 'file', mark: 'mark' }
    const history = { committed, past }
    try {
      const rows = rowsForward(file, acknowledged, difference, history, place, sha256)
      if (rows.length > 0) this.lines = [...this.lines, ...rows]
    } catch (error) {
      if (!(error instanceof ContradictingFences)) throw error
      // premath doctor --fix
      const logged = new Map<string, number>()
      const known = { inFile: this.lines, acknowledged: this.#acknowledged, logged }
      this.lines = mendedRows(known, 'merge', sha256)
      this.#goForward()
    }
    this.#acknowledge(this.lines)
  }

  #acknowledge(lines: Lines): void {
    const last = lastRows(lines)
    for (const row of lines) {
      const text = printIssue(row)
      if (last.get(row.id) !== row && text !== this.#textOf(row.id)) this.#replaced.add(text)
    }
    for (const row of last.values()) {
      const before = this.#acknowledged.get(row.id)
      if (isSameRow(row, before)) continue
      if (before) this.#replaced.add(printIssue(before))
      this.#acknowledged.set(row.id, row)
    }
  }

  #textOf(id: string): string | undefined {
    const row = this.#acknowledged.get(id)
    return row && printIssue(row)
  }

  #append(rows: Lines): void {
    this.lines = [...this.lines, ...rows]
    this.#acknowledge(rows)
  }

  #know(fact: Fact): void {
    this.facts.add(JSON.stringify(fact))
  }

  /** One edit. A refusal is fine, since chance asks for what makes no sense. */
  edit(chance: () => number, now: bigint): string {
    const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
    const row = among([...lastRows(this.lines).values()])
    const other = among([...lastRows(this.lines).values()])
    const word = `${this.name}-${now % 1_000_000_007n}`
    const proof = { assignee: row?.assignee, leaseId: row?.lease?.lease_id, fence: undefined }
    const held = row?.lease ? { ...proof, fence: fenceOf(row) } : {}
    const update = (fields: object) =>
      this.#change({ action: 'issue.update', id: row.id, fields, proof: held }, now)
    const edge = (type: 'blocks' | 'related') => ({
      issueId: row.id,
      dependsOnId: other.id,
      type,
    })
    if (!row || !other) return this.#add(now)
    const edits: readonly (() => string)[] = [
      () => this.#add(now),
      () => this.#add(now),
      () => this.#comment(row, word, now),
      () => this.#comment(row, word, now),
      () => update({ title: word }),
      () => update({ notes: word, priority: Math.floor(chance() * 5) }),
      () => update({ labels: [among(['a', 'b', 'c'])] }),
      () => this.#claim(row, now),
      () => this.#claim(row, now),
      () => this.#change({ action: 'issue.lease_release', id: row.id, proof: held }, now),
      () => this.#close(row, word, now),
      () => (row.status === 'closed' && chance() < 0.3 ? this.#reopen(row, now) : 'no reopen'),
      () => this.#link(row, other, edge('blocks'), now),
      () => this.#link(row, other, edge('related'), now),
      () => this.#unlink(row, now),
    ]
    return among(edits)()
  }

  #change(change: IssueChange, now: bigint): string {
    const memory = new IssueMemory()
    for (const row of lastRows(this.lines).values()) memory.put(row)
    const stamp = { now, newId: (known: IssueMemory) => known.nextCountedId('bd') }
    const decided = decideChange(memory, change, stamp)
    if (isRefusal(decided)) return `${change.action} refused: ${decided.failureClass}`
    this.#append(decided.rows)
    return `${change.action} ${decided.rows.map(({ id }) => id).join(' ')}`
  }

  #add(now: bigint): string {
    const name = `${this.name} ${++this.#made}`
    this.#know({ is: 'issue', name })
    const issue = { title: `Made by ${name}`, description: name }
    return this.#change({ action: 'issue.add', issue }, now)
  }

  #comment({ id, description: name }: Issue, text: string, now: bigint): string {
    const comment = { id: Number(now % 1_000_000_007n), author: this.name, text }
    this.#know({ is: 'comment', name, text })
    return this.#change({ action: 'issue.comment', id, comment }, now)
  }

  #claim({ id, description: name }: Issue, now: bigint): string {
    const claim = { assignee: this.name, ttlSeconds: 30 }
    const said = this.#change({ action: 'issue.claim', id, claim }, now)
    const row = lastRows(this.lines).get(id)
    // A refused claim would be a fact of a commit that has no row of the issue.
    if (row?.lease) this.#know({ is: 'fence', name, fence: fenceOf(row) })
    return said
  }

  /** The row of a close with proof, which only a verification makes. */
  #close(row: Issue, treeDigest: string, now: bigint): string {
    if (row.status === 'closed') return 'no close'
    const closed = withStatus({ ...row, updated_at: timestampOf(now) }, 'closed', now)
    const premathClose = { by: 'verify', treeDigest }
    this.#append([{ ...closed, metadata: withMetadata(closed, { premathClose }) }])
    this.#know({ is: 'close', name: row.description })
    return `close ${row.id}`
  }

  #reopen({ id, description: name }: Issue, now: bigint): string {
    this.#oracle.end({ is: 'close', name })
    return this.#change({ action: 'issue.update', id, fields: { status: 'open' }, proof: {} }, now)
  }

  #link(
    row: Issue,
    other: Issue,
    edge: { issueId: string; dependsOnId: string; type: 'blocks' | 'related' },
    now: bigint,
  ): string {
    const held = row.lease ? { proof: proofOf(row) } : { proof: {} }
    const said = this.#change(
      { action: 'dep.add', edge: { ...edge, createdBy: this.name }, ...held },
      now,
    )
    const has = lastRows(this.lines)
      .get(row.id)
      ?.dependencies.some(
        ({ depends_on_id, type }) => depends_on_id === other.id && type === edge.type,
      )
    const { type } = edge
    if (has) this.#know({ is: 'edge', name: row.description, to: other.description, type })
    return `${said} -> ${other.id}`
  }

  #unlink(row: Issue, now: bigint): string {
    const [edge] = row.dependencies
    if (!edge) return 'no unlink'
    const { depends_on_id, type } = edge
    const to = lastRows(this.lines).get(depends_on_id)?.description ?? ''
    this.#oracle.end({ is: 'edge', name: row.description, to, type })
    const named = { issueId: row.id, dependsOnId: depends_on_id, type }
    return this.#change({ action: 'dep.remove', edge: named, proof: proofOf(row) }, now)
  }
}

const proofOf = (row: Issue) =>
  row.lease ? { assignee: row.lease.owner, leaseId: row.lease.lease_id, fence: fenceOf(row) } : {}

const isSameRow = (row: Issue, other: Issue | undefined) =>
  row === other || (other !== undefined && printIssue(row) === printIssue(other))

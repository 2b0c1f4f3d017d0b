/** An issue as a row with members in fixed order. */
import { Fault } from '../../fault.ts'
import {
  type Dependency,
  type DependencyType,
  dependencyTypes,
  IssueRow,
  issueTypes,
  type Lease,
} from '../../wire/issue/issue.ts'
import type { Members } from '../../wire/shape.ts'
import { byCodePoint, canonicalJson } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../json.ts'
import { lowerAscii, trim } from '../text/clean.ts'
import { canonicalTimestamp, isCanonicalTimestamp } from '../timestamp.ts'

/** Targets of these types must be closed before the issue can start. */
export const blockingTypes: ReadonlySet<DependencyType> = new Set([
  'blocks',
  'parent-child',
  'conditional-blocks',
  'waits-for',
])

/** Rows of some tools have no times; they are set at the first change, never on load. */
export interface Issue extends Complete<Omit<IssueRow, 'metadata' | 'comments'>> {
  readonly metadata: Json | undefined
  /** Unknown members and comments (`issue-comment.ts`), unchanged. */
  readonly others: JsonObject | undefined
}

/** Absent members are `undefined`, so that all issues share one object layout, which is faster. */
type Complete<T> = { readonly [Name in keyof Required<T>]: T[Name] }

const members: Members = IssueRow.members
const knownMembers: ReadonlySet<string> = new Set(
  Object.keys(members).filter(name => name !== 'comments'),
)
const statusDefault = IssueRow.members.status.whenAbsent
const typeDefault = IssueRow.members.issue_type.whenAbsent
const { least, most, whenAbsent: priorityDefault } = IssueRow.members.priority

/** An invalid row, with the reason. */
export class BadRow {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** Numbers that `JSON.parse` would change: fractions, exponents, `-0`, more than 15 digits. */
export const mayHoldExoticNumber = /(?:"\s*:|[,[])\s*(?:-?\d+[.eE]|-0\s*[,}\]]|-?\d{16})/

/** Reads one line of issue memory. */
export function readIssueLine(line: string): Issue | BadRow {
  let raw: Json
  try {
    raw = JSON.parse(line)
  } catch {
    return readExactly(line)
  }
  if (!isJsonObject(raw)) return new BadRow('must be an object')
  const issue = readIssue(raw)
  // Only these members may hold numbers that are printed back as written.
  if (issue instanceof BadRow || (issue.metadata === undefined && issue.others === undefined)) {
    return issue
  }
  return mayHoldExoticNumber.test(line) ? readExactly(line) : issue
}

/** Much slower, but keeps the spelling of numbers and reports where invalid text starts. */
function readExactly(line: string): Issue | BadRow {
  try {
    const raw = parseJson(line, { isLine: true })
    return isJsonObject(raw) ? readIssue(raw) : new BadRow('must be an object')
  } catch (error) {
    if (error instanceof Fault) return new BadRow(error.message)
    throw error
  }
}

/**
 * A command may read fifty thousand rows: checks all texts at once, and one by one only on failure.
 */
export function readIssue(raw: JsonObject): Issue | BadRow {
  const flaws = new Flaws()
  const { id, title, description = '', design = '', acceptance_criteria = '' } = raw
  const { notes = '', status = statusDefault, assignee = '', owner = '' } = raw
  const { mol_type = '', metadata } = raw
  if (
    typeof id !== 'string' ||
    typeof title !== 'string' ||
    typeof description !== 'string' ||
    typeof design !== 'string' ||
    typeof acceptance_criteria !== 'string' ||
    typeof notes !== 'string' ||
    typeof status !== 'string' ||
    typeof assignee !== 'string' ||
    typeof owner !== 'string' ||
    typeof mol_type !== 'string' ||
    trim(id) === ''
  ) {
    return new BadRow(`${badTextIn(raw)} must be text`)
  }
  const issue: Issue = {
    id,
    title,
    description,
    design,
    acceptance_criteria,
    notes,
    status,
    priority: flaws.priority(raw['priority']),
    issue_type: flaws.issueType(raw['issue_type']),
    assignee,
    owner,
    lease: leaseIn(raw['lease'], flaws),
    created_at: flaws.time(raw['created_at'], 'created_at'),
    updated_at: flaws.time(raw['updated_at'], 'updated_at'),
    closed_at: flaws.time(raw['closed_at'], 'closed_at'),
    ephemeral: flaws.flag(raw['ephemeral'], 'ephemeral'),
    mol_type,
    labels: labelsIn(raw['labels'], flaws),
    dependencies: dependenciesIn(raw['dependencies'], flaws),
    metadata: metadata === null ? undefined : metadata,
    others: othersIn(raw),
  }
  return flaws.first === undefined ? issue : new BadRow(flaws.first)
}

const textMembers = Object.keys(members).filter(
  name => name !== 'id' && members[name]?.is === 'text' && !('format' in members[name]),
)

function badTextIn(raw: JsonObject): string {
  const { id } = raw
  if (typeof id !== 'string' || trim(id) === '') return 'id'
  const isBad = (name: string) =>
    raw[name] === undefined ? name === 'title' : typeof raw[name] !== 'string'
  return textMembers.find(isBad) ?? 'id'
}

/**
 * Records the first flaw and continues with a harmless value, so that reading needs no exceptions.
 */
class Flaws {
  first: string | undefined

  add(why: string): void {
    this.first ??= why
  }

  text(value: Json | undefined, name: string): string {
    if (typeof value === 'string') return value
    this.add(`${name} must be text`)
    return ''
  }

  flag(value: Json | undefined, name: string): boolean {
    if (typeof value === 'boolean') return value
    if (value !== undefined) this.add(`${name} must be true or false`)
    return false
  }

  priority(value: Json | undefined): number {
    if (value === undefined) return priorityDefault
    if (isPriority(value)) return value
    this.add('priority must be a whole number')
    return priorityDefault
  }

  /** Other tools have types of their own, which stay as they are. */
  issueType(value: Json | undefined): string {
    if (value === undefined || value === typeDefault) return typeDefault
    if (typeof value === 'string' && trim(value) !== '') return issueTypeOf(value) ?? value
    this.add('issue_type must be a word')
    return typeDefault
  }

  time(value: Json | undefined, name: string): string | undefined {
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') {
      if (isCanonicalTimestamp(value)) return value
      const written = canonicalTimestamp(value)
      if (written !== undefined) return written
    }
    this.add(`${name} must be an RFC 3339 time`)
    return undefined
  }
}

function leaseIn(value: Json | undefined, flaws: Flaws): Lease | undefined {
  if (value === undefined || value === null) return undefined
  if (!isJsonObject(value)) {
    flaws.add('lease must be an object')
    return undefined
  }
  const time = (name: string) => {
    const found = flaws.time(value[name], `lease.${name}`)
    if (found === undefined) flaws.add(`lease.${name} must be an RFC 3339 time`)
    return found ?? ''
  }
  return {
    lease_id: flaws.text(value['lease_id'], 'lease.lease_id'),
    owner: flaws.text(value['owner'], 'lease.owner'),
    acquired_at: time('acquired_at'),
    expires_at: time('expires_at'),
    renewed_at: flaws.time(value['renewed_at'], 'lease.renewed_at'),
  }
}

const none: readonly never[] = []

function labelsIn(value: Json | undefined, flaws: Flaws): readonly string[] {
  if (value === undefined) return none
  if (Array.isArray(value) && value.every(label => typeof label === 'string')) return value
  flaws.add('labels must be a list of text')
  return none
}

function dependenciesIn(value: Json | undefined, flaws: Flaws): readonly Dependency[] {
  if (value === undefined) return none
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map(item => dependencyIn(item, flaws))
  }
  flaws.add('dependencies must be a list')
  return none
}

function dependencyIn(value: Json, flaws: Flaws): Dependency {
  const row = isJsonObject(value) ? value : {}
  const type = row['type'] ?? row['dep_type']
  if (!isDependencyType(type)) {
    flaws.add(`dependencies: unknown type ${canonicalJson(type ?? null)}`)
  }
  return {
    issue_id: flaws.text(row['issue_id'], 'dependencies: issue_id'),
    depends_on_id: flaws.text(row['depends_on_id'], 'dependencies: depends_on_id'),
    type: type as DependencyType,
    created_by: flaws.text(row['created_by'] ?? '', 'dependencies: created_by'),
  }
}

function othersIn(raw: JsonObject): JsonObject | undefined {
  let others: Record<string, Json> | undefined
  for (const name of Object.keys(raw)) {
    if (knownMembers.has(name)) continue
    others ??= {}
    // Assigning to `__proto__` would not create a member.
    Object.defineProperty(others, name, {
      value: raw[name],
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return others
}

const knownTypes: ReadonlySet<unknown> = new Set(dependencyTypes)

export const isDependencyType = (value: unknown): value is DependencyType => knownTypes.has(value)

const isPriority = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

/** The scale of beads, for new values. Rows with other numbers load and stay as they are. */
export const isPriorityToWrite = (value: number): boolean =>
  Number.isInteger(value) && value >= priorityRange.mostUrgent && value <= priorityRange.leastUrgent

const priorityRange = { mostUrgent: 0, leastUrgent: 4 }

/** Ignores case, because people and other tools do not agree on one. */
export const issueTypeOf = (word: string): string | undefined =>
  issueTypes.find(type => type === lowerAscii(trim(word)))

/** An issue with an id and a title, and defaults for the rest. */
export function blankIssue(id: string, title: string): Issue {
  const issue = readIssue({ id, title })
  if (issue instanceof BadRow) throw new TypeError(`a blank row cannot be read: ${issue.why}`)
  return issue
}

/** Orders the dependencies of a row by target, type, author and source. */
export function byDependency(a: Dependency, b: Dependency): number {
  return (
    byCodePoint(a.depends_on_id, b.depends_on_id) ||
    byCodePoint(a.type, b.type) ||
    byCodePoint(a.created_by, b.created_by) ||
    byCodePoint(a.issue_id, b.issue_id)
  )
}

/** The row as stored, without its newline. */
export function printIssue(issue: Issue): string {
  return (
    `{"id":${JSON.stringify(issue.id)},"title":${JSON.stringify(issue.title)}` +
    filled('description', issue.description) +
    filled('design', issue.design) +
    filled('acceptance_criteria', issue.acceptance_criteria) +
    filled('notes', issue.notes) +
    `,"status":${JSON.stringify(issue.status)},"priority":${issue.priority}` +
    `,"issue_type":${JSON.stringify(issue.issue_type)}` +
    filled('assignee', issue.assignee) +
    filled('owner', issue.owner) +
    (issue.lease === undefined ? '' : `,"lease":${printLease(issue.lease)}`) +
    filled('created_at', issue.created_at) +
    filled('updated_at', issue.updated_at) +
    filled('closed_at', issue.closed_at) +
    `,"ephemeral":${issue.ephemeral}` +
    filled('mol_type', issue.mol_type) +
    (issue.labels.length === 0 ? '' : `,"labels":${JSON.stringify(issue.labels)}`) +
    (issue.dependencies.length === 0
      ? ''
      : `,"dependencies":[${issue.dependencies.map(printDependency).join(',')}]`) +
    (issue.metadata === undefined ? '' : `,"metadata":${canonicalJson(issue.metadata)}`) +
    `${printOthers(issue.others)}}`
  )
}

const filled = (name: string, value: string | undefined) =>
  value === undefined || value === '' ? '' : `,"${name}":${JSON.stringify(value)}`

function printLease(lease: Lease): string {
  return (
    `{"lease_id":${JSON.stringify(lease.lease_id)},"owner":${JSON.stringify(lease.owner)}` +
    `,"acquired_at":"${lease.acquired_at}","expires_at":"${lease.expires_at}"` +
    `${filled('renewed_at', lease.renewed_at)}}`
  )
}

function printDependency(dependency: Dependency): string {
  return (
    `{"issue_id":${JSON.stringify(dependency.issue_id)}` +
    `,"depends_on_id":${JSON.stringify(dependency.depends_on_id)}` +
    `,"type":"${dependency.type}"${filled('created_by', dependency.created_by)}}`
  )
}

function printOthers(others: JsonObject | undefined): string {
  if (others === undefined) return ''
  return Object.entries(others)
    .map(([name, value]) => `,${JSON.stringify(name)}:${canonicalJson(value)}`)
    .join('')
}

/** The fence of the last claim; it survives release. */
export function fenceOf({ metadata }: Issue): number {
  const fence = isJsonObject(metadata) ? metadata['premathFence'] : undefined
  if (fence === undefined) return 0
  // An unreadable fence must not count as zero, or an old holder could write.
  return typeof fence === 'number' ? fence : -1
}

/** Events of issue memory as lines: members in the order earlier tools write them. */
import { issueEventKind, IssueEvent as Line } from '../../../wire/issue/issue-event.ts'
import type { RecordShape } from '../../../wire/shape.ts'
import { documentOf } from '../../artifact/print.ts'
import { canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf, parseJson } from '../../json.ts'
import { canonicalTimestamp } from '../../timestamp.ts'
import {
  BadRow,
  type Issue,
  isDependencyType,
  mayHoldExoticNumber,
  printIssue,
  readIssue,
} from '../issue.ts'
import { type EventBody, type IssueEvent, withoutEdges } from './issue-event.ts'

const shapes = new Map<string, RecordShape>(
  Line.of.map(shape => [shape.members.action.value, shape]),
)

/** The log line of an event, without its newline. A log may start with fifty thousand upserts. */
export function printEvent(event: IssueEvent): string {
  if (event.action === 'upsert_issue') return printUpsert(event)
  const shape = shapes.get(event.action)
  if (shape === undefined) throw new TypeError(`unknown action ${event.action}`)
  return JSON.stringify(documentOf(shape, { schema: issueEventKind, ...event }))
}

function printUpsert(event: Extract<IssueEvent, { readonly action: 'upsert_issue' }>): string {
  const { actor, reason, issue } = event
  return (
    `{"schema":"${issueEventKind}","event_id":${JSON.stringify(event.event_id)}` +
    `,"issue_id":${JSON.stringify(event.issue_id)},"occurred_at":"${event.occurred_at}"` +
    (actor === '' ? '' : `,"actor":${JSON.stringify(actor)}`) +
    (reason === '' ? '' : `,"reason":${JSON.stringify(reason)}`) +
    `,"action":"upsert_issue","issue":${event.whole ? printWhole(issue) : printIssue(withoutEdges(issue))}}`
  )
}

/** Prints an empty list of dependencies, which a row leaves out. */
const printWhole = (issue: Issue) =>
  issue.dependencies.length === 0
    ? `${printIssue(issue).slice(0, -1)},"dependencies":[]}`
    : printIssue(issue)

/** Reads one line of the log. Text that is not JSON faults with its position. */
export function readEventLine(text: string, line = 1): IssueEvent | BadRow {
  const raw = parseLine(text, line)
  return isJsonObject(raw) ? readEvent(raw) : new BadRow('must be an object')
}

/** Uses the fast parser where it gives the same result, as for rows. */
function parseLine(text: string, line: number): Json {
  if (mayHoldExoticNumber.test(text)) return parseJson(text, { line, isLine: true })
  try {
    return JSON.parse(text)
  } catch {
    // Our parser reports the position of the error.
    return parseJson(text, { line, isLine: true })
  }
}

function readEvent(raw: JsonObject): IssueEvent | BadRow {
  const schema = raw['schema'] ?? issueEventKind
  if (schema !== issueEventKind) {
    return new BadRow(`the schema is ${canonicalJson(schema)}, not ${issueEventKind}`)
  }
  const [event_id, issue_id, time] = [raw['event_id'], raw['issue_id'], raw['occurred_at']]
  const [actor, reason] = [raw['actor'] ?? '', raw['reason'] ?? '']
  const occurred_at = typeof time === 'string' ? canonicalTimestamp(time) : undefined
  if (typeof event_id !== 'string') return new BadRow('event_id must be text')
  if (typeof issue_id !== 'string') return new BadRow('issue_id must be text')
  if (occurred_at === undefined) return new BadRow('occurred_at must be an RFC 3339 time')
  if (typeof actor !== 'string') return new BadRow('actor must be text')
  if (typeof reason !== 'string') return new BadRow('reason must be text')
  const body = readBody(raw, issue_id)
  const head = { event_id, issue_id, occurred_at, actor, reason }
  return body instanceof BadRow ? body : { ...head, ...body }
}

function readBody(raw: JsonObject, issueId: string): EventBody | BadRow {
  const { action } = raw as { readonly action?: Json }
  switch (action) {
    case 'upsert_issue':
      return readUpsert(raw['issue'], issueId)
    case 'add_dependency':
    case 'remove_dependency':
      return readEdge(raw, action)
    case 'remove_issue':
      return { action }
    case 'set_status':
      return read(raw, ['status', 'previous_status'], texts => ({ action, ...texts }))
    case 'claim_issue':
    case 'renew_lease':
    case 'release_lease': {
      const fence = numberOf(raw['fence'])
      if (fence === undefined) return new BadRow('fence must be a number')
      return read(raw, ['lease_id', 'owner', 'expires_at'], texts => ({ action, fence, ...texts }))
    }
    default:
      return new BadRow(`unknown action ${canonicalJson(action ?? null)}`)
  }
}

function readUpsert(raw: Json | undefined, issueId: string): EventBody | BadRow {
  const issue = isJsonObject(raw) ? readIssue(raw) : new BadRow('must be an object')
  if (issue instanceof BadRow) return new BadRow(`issue: ${issue.why}`)
  if (issue.id !== issueId) {
    return new BadRow(
      `the event is about ${JSON.stringify(issueId)}, its issue is ${JSON.stringify(issue.id)}`,
    )
  }
  return { action: 'upsert_issue', issue, whole: isJsonObject(raw) && 'dependencies' in raw }
}

function readEdge(
  raw: JsonObject,
  action: 'add_dependency' | 'remove_dependency',
): EventBody | BadRow {
  const type = raw['type'] ?? raw['dep_type']
  if (!isDependencyType(type)) {
    return new BadRow(`unknown dependency type ${canonicalJson(type ?? null)}`)
  }
  return read({ created_by: '', ...raw }, ['depends_on_id', 'created_by'], edge =>
    action === 'add_dependency'
      ? { action, depends_on_id: edge.depends_on_id, type, created_by: edge.created_by }
      : { action, depends_on_id: edge.depends_on_id, type },
  )
}

function read<const Names extends readonly string[]>(
  raw: JsonObject,
  names: Names,
  made: (texts: { readonly [Name in Names[number]]: string }) => EventBody,
): EventBody | BadRow {
  const flaw = names.find(name => typeof raw[name] !== 'string')
  if (flaw !== undefined) return new BadRow(`${flaw} must be text`)
  const texts = Object.fromEntries(names.map(name => [name, raw[name]]))
  return made(texts as { readonly [Name in Names[number]]: string })
}

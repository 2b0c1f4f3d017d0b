/** Finds flaws in issues that load. Uses memory alone. */

import { Fault } from '../../fault.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { graphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import {
  BadRow,
  blockingTypes,
  fenceOf,
  type Issue,
  readIssueLine,
} from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { landingOf, writtenLanding } from '../../kernel/issues/landing/landing-state.ts'
import { isContended, leaseStateAt } from '../../kernel/issues/lease-state.ts'
import { leaseTtlSecondsMax } from '../../kernel/issues/lease-term.ts'
import { acknowledgeCommand, gaveWayIn, gaveWayPhrase } from '../../kernel/issues/merge/gave-way.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { clip } from '../../kernel/text/clean.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import { mergeMark, type RowsEnd, readRows, rowsStart } from '../../store/issue-rows.ts'
import type { Dependency, Lease } from '../../wire/issue/issue.ts'
import { decodedUtf8 } from '../../world/utf8.ts'
import { type DoctorFinding, type Examined, finding } from './finding.ts'

export function examineMemory(memory: IssueMemory, now: bigint): Examined {
  const issues = memory.all()
  return {
    checks: ['cycles', 'dangling', 'fences', 'leases', 'merges'],
    findings: [
      ...cycles(memory),
      ...issues.flatMap(issue => danglingEdges(issue, memory)),
      ...issues.flatMap(fence),
      ...issues.flatMap(issue => lease(issue, now)),
      ...issues.flatMap(gaveWay),
    ],
  }
}

/** Both sides of a merge changed them. */
function gaveWay(issue: Issue): DoctorFinding[] {
  const values = gaveWayIn(issue)
  if (values.length === 0) return []
  const few = values.slice(0, gaveWayShown).map(value => gaveWayPhrase(value, valueCharsMax))
  const more = values.length > few.length ? `, and ${values.length - few.length} more` : ''
  const isRenamed = values.every(({ field }) => field === 'id')
  return [
    finding(
      'merges',
      isRenamed
        ? `a merge gave ${issue.id} a new id, because another issue has ${values.map(({ value }) => clip(value, valueCharsMax)).join(', ')}`
        : `in a merge of ${issue.id} ${values.length === 1 ? 'this value' : 'these values'} gave way: ${few.join(', ')}${more}`,
      isRenamed
        ? 'Nothing is lost. People and branches may know the issue by its old id.'
        : 'Both sides had changed the same fields, so the work of one side is not in effect.',
      `Look at premath issue show ${issue.id}, and then ${acknowledgeCommand(issue.id, issue.lease?.lease_id, fenceOf(issue))}.`,
    ),
  ]
}

const gaveWayShown = 5
const valueCharsMax = 80

function cycles(memory: IssueMemory): DoctorFinding[] {
  const { cyclePath } = graphIntegrity(memory, 'full')
  if (!cyclePath) return []
  const [first = '', second = ''] = cyclePath
  return [
    finding(
      'cycles',
      `issues depend on each other: ${cyclePath.join(' -> ')}`,
      'None of them can start first, so they may never start.',
      `Remove one edge of the path: premath dep remove ${first} ${second}.`,
    ),
  ]
}

function danglingEdges({ id, status, dependencies }: Issue, memory: IssueMemory): DoctorFinding[] {
  const why = (edge: Dependency) =>
    blockingTypes.has(edge.type) && status !== 'closed'
      ? `A missing issue can never be closed, so ${id} can never start.`
      : 'The edge has no effect.'
  return dependencies
    .filter(edge => !memory.has(edge.depends_on_id))
    .map(edge =>
      finding(
        'dangling',
        `${id} depends on ${edge.depends_on_id} (${edge.type}), which does not exist`,
        why(edge),
        `premath dep remove ${id} ${edge.depends_on_id} --type ${edge.type}, or add the issue with --id ${edge.depends_on_id}.`,
      ),
    )
}

function fence(issue: Issue): DoctorFinding[] {
  const last = fenceOf(issue)
  if (last >= 0 && Number.isSafeInteger(last + 1)) return []
  return [
    finding(
      'fences',
      `the fence of ${issue.id} is ${writtenFence(issue)}`,
      'It cannot increase, so the issue cannot be claimed safely.',
      `Restore the last fence of ${issue.id} in metadata.premathFence, from version control.`,
    ),
  ]
}

const writtenFence = ({ metadata }: Issue) =>
  canonicalJson((isJsonObject(metadata) ? metadata['premathFence'] : undefined) ?? null)

function lease(issue: Issue, now: bigint): DoctorFinding[] {
  const { id, lease, status, assignee } = issue
  if (writtenLanding(issue) !== undefined && status !== 'closed') return landing(issue, now)
  if (!lease) return stranded(issue)
  if (status === 'closed') {
    return [
      finding(
        'leases',
        `${id} is closed, and ${lease.owner} still has a lease on it`,
        'A close ends the lease, so something else wrote the row.',
        givesBack(issue, lease),
      ),
    ]
  }
  if ((instantOf(lease.expires_at) ?? 0n) > now + seconds(leaseTtlSecondsMax)) {
    return [
      finding(
        'leases',
        `the lease of ${lease.owner} on ${id} lasts until ${lease.expires_at}`,
        'That is longer than the longest lease: if its holder crashes, the issue waits that long.',
        givesBack(issue, lease),
      ),
    ]
  }
  if (leaseStateAt(lease, now) === 'stale') {
    return [
      finding(
        'leases',
        `the lease of ${lease.owner} on ${id} expired at ${lease.expires_at}`,
        'Its holder has stopped, or works without the right to write.',
        `premath issue claim-next takes it over; premath issue lease-release ${id} gives it back.`,
      ),
    ]
  }
  if (!isContended(issue, now)) return []
  return [
    finding(
      'leases',
      `${id} is leased by ${lease.owner}, but is ${status} and assigned to ${assignee || 'nobody'}`,
      'The lease and the issue disagree about who works on it.',
      `Ask ${lease.owner} to renew or release it; the lease ends at ${lease.expires_at}.`,
    ),
  ]
}

const givesBack = (issue: Issue, lease: Lease) =>
  `premath issue lease-release ${issue.id} --assignee ${shellWord(lease.owner)} --lease-id ${shellWord(lease.lease_id)} --fence ${fenceOf(issue)} gives it back.`

/** The lease of a landing is renewed until its commit is on the target. */
function landing(issue: Issue, now: bigint): DoctorFinding[] {
  const { id } = issue
  const landing = landingOf(issue)
  if (!landing) {
    return [
      finding(
        'leases',
        `the landing of ${id} cannot be read`,
        'Nothing keeps others from claiming the issue while its commit lands.',
        `Restore metadata.premathLanding of ${id} from version control, or remove it.`,
      ),
    ]
  }
  if (leaseStateAt(issue.lease, now) === 'active') return []
  return [
    finding(
      'leases',
      `the ${landing.revert ? 'revert' : 'landing'} of ${id} was cut off: commit ${landing.commit} on ${landing.target}`,
      'Nobody may claim or change the issue until the landing ends.',
      `premath land ${landing.revert ? 'revert ' : ''}${id} finishes it or takes it back.`,
    ),
  ]
}

/** Such an issue is never offered again. */
function stranded({ id, status, assignee }: Issue): DoctorFinding[] {
  if (status !== 'in_progress' || assignee === '') return []
  return [
    finding(
      'leases',
      `${id} is in progress by ${assignee}, who holds no lease on it`,
      'Without a lease it never expires, so no other worker gets the issue.',
      `premath issue claim ${id} --assignee ${shellWord(assignee)} leases it; premath issue update ${id} --status open --assignee '' gives it back.`,
    ),
  ]
}

interface ExaminedRows {
  readonly bad: readonly DoctorFinding[]
  readonly torn: readonly DoctorFinding[]
  /** `undefined` when the rows cannot be trusted. */
  readonly memory: IssueMemory | undefined
  /** The end of the acknowledged rows, in bytes. */
  readonly end: number
}

const badLinesMax = 50

/** Reads issue memory line by line and reports every bad row, not only the first. */
export function examineRows(bytes: Uint8Array, path: string): ExaminedRows {
  const memory = new IssueMemory()
  try {
    const end = readRows(bytes, rowsStart, path, ({ issue }) => memory.put(issue))
    return { bad: [], torn: tornTail(bytes, end), memory, end: end.bytes }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const found = badLines(bytes)
    const bad = found.length > 0 ? found : [badRow(error.message)]
    return { bad, torn: [], memory: undefined, end: 0 }
  }
}

function tornTail(bytes: Uint8Array, end: RowsEnd): DoctorFinding[] {
  const over = bytes.length - end.bytes
  if (over === 0) return []
  return [
    finding(
      'torn',
      `the last ${over} bytes are a row that was cut off while it was written`,
      'It was never acknowledged. Readers skip it, and the next change moves it aside.',
      'premath doctor --fix moves it aside now.',
    ),
  ]
}

const badRow = (what: string, next = 'Restore the line from version control, or fix it by hand.') =>
  finding('rows', what, 'One bad row makes the whole memory unusable.', next, 5)

const marksHint =
  'Merge it again, as the finding about git says. If there is none, the marks were committed: remove the lines of the marks, and keep the rows.'

const lineFeed = 0x0a

function badLines(bytes: Uint8Array): DoctorFinding[] {
  const found: DoctorFinding[] = []
  let number = 0
  for (let from = 0; from < bytes.length && found.length < badLinesMax; ) {
    const next = bytes.indexOf(lineFeed, from)
    const to = next === -1 ? bytes.length : next
    number++
    const line = bytes.subarray(from, to)
    const flaw = flawOf(line)
    const isMark = flaw !== undefined && mergeMark.test(new TextDecoder().decode(line))
    if (isMark) return [badRow(`line ${number} is a mark of a merge that git left open`, marksHint)]
    if (flaw !== undefined) found.push(badRow(`line ${number}: ${flaw}`))
    from = to + 1
  }
  return found
}

function flawOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return 'holds a NUL byte'
  const line = decodedUtf8(bytes)
  if (line === undefined) return 'is not UTF-8'
  if (line.startsWith('#') || line.trim() === '') return undefined
  const issue = readIssueLine(line)
  return issue instanceof BadRow ? issue.why : undefined
}

/** The handoff packet: earlier attempts on an issue, for the next worker. */
import type { Feedback } from '../../wire/harness/feedback.ts'
import type { HandoffPacket } from '../../wire/harness/handoff-packet.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import type { ShownComment } from '../issues/issue-comment.ts'
import { clip } from '../text/clean.ts'
import { failureClassesIn, stopAction } from './step/step-row.ts'

/** Enough to see a pattern. The trajectory has all attempts. */
export const triedMax = 10

const commentsMax = 5
const commentCharsMax = 2_000
const attentionMax = 5

export interface PacketFacts {
  readonly issueId: string
  readonly stepId: string
  /** Newest first. */
  readonly tried: readonly TriedStep[]
  /** The owner of the expired lease, if it was taken over. */
  readonly takenOverFrom: string | undefined
  /** A step that its worker has not ended. */
  readonly unfinished: UnfinishedStep | undefined
  /** The last attempt, if it failed. */
  readonly feedback: Feedback | undefined
  /** Oldest first. */
  readonly comments: readonly ShownComment[]
  /** What a run reported about the issue, newest first. */
  readonly attention: readonly string[]
}

interface TriedStep {
  readonly row: StepRow
  /** Output files, relative to the project root. */
  readonly output: readonly string[]
}

export type UnfinishedStep = NonNullable<HandoffPacket['unfinished']>

export function handoffPacket(facts: PacketFacts): HandoffPacket {
  const { issueId, stepId, tried, takenOverFrom, unfinished, feedback, comments, attention } = facts
  return {
    schema: 1,
    packetKind: 'premath.harness.handoff_packet.v1',
    issueId,
    stepId,
    takenOverFrom: takenOverFrom ?? null,
    unfinished: unfinished ?? null,
    tried: tried.map(triedDocument),
    ...(comments.length > 0 && { comments: comments.slice(-commentsMax).map(said) }),
    ...(attention.length > 0 && { attention: attention.slice(0, attentionMax) }),
    ...(feedback && { feedback }),
    next: nextOf(facts),
  }
}

const said = ({ author, createdAt, text }: ShownComment) => ({
  author: clip(author, 100),
  createdAt: createdAt ?? null,
  text: clip(text, commentCharsMax),
})

const triedDocument = ({ row, output }: TriedStep): HandoffPacket['tried'][number] => ({
  stepId: row.stepId,
  workerId: row.workerId ?? null,
  attempt: row.attempt ?? null,
  startedAt: row.startedAt ?? null,
  finishedAt: row.finishedAt,
  resultClass: row.resultClass,
  failureClasses: failureClassesIn(row),
  summary: typeof row.summary === 'string' ? row.summary : null,
  output,
})

function nextOf({ tried, takenOverFrom, unfinished, issueId }: PacketFacts): string {
  const last = tried.find(({ row }) => row.action !== stopAction)
  const who = unfinished?.workerId ?? takenOverFrom
  const left =
    who === undefined
      ? ''
      : `The lease of ${clip(who, 100)} expired, and its work may be half done: check the tree before you continue. `
  const start = `Start with premath issue show ${issueId}.`
  if (!last) return `${left}${start}`
  const output = last.output.length > 0 ? `, and its output is in ${last.output.join(' and ')}` : ''
  return `${left}The last attempt ended as ${last.row.resultClass}${output}. Find the cause before you try the same again.`
}

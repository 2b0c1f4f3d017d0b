/** Writes the handoff packet and the feedback for a worker that takes an issue with earlier attempts. */
import { documentOf } from '../../kernel/artifact/print.ts'
import { feedbackText, lastFailure } from '../../kernel/harness/feedback.ts'
import {
  handoffPacket,
  triedMax,
  type UnfinishedStep,
} from '../../kernel/harness/handoff-packet.ts'
import type { GivenLines } from '../../kernel/harness/step/reminder-queue.ts'
import { isStepJournal } from '../../kernel/harness/step/step-journal.ts'
import { commentsOf } from '../../kernel/issues/issue-comment.ts'
import type { Feedback } from '../../wire/harness/feedback.ts'
import { HandoffPacket } from '../../wire/harness/handoff-packet.ts'
import { fromRoot, type Harness } from '../harness.ts'
import type { ClaimedWork } from './claim-work.ts'
import { feedbackFor } from './failure-file.ts'
import { JournalFile } from './journal-file.ts'
import { StepFolder } from './step-folder.ts'

/** The paths of the files, each if there is something to say. */
export interface Handoff {
  readonly packet?: string
  readonly feedback?: string
  /** The content of both, for the reminder queue. */
  readonly given: GivenLines
}

export async function writeHandoff(
  harness: Harness,
  { issue, fence, takenOverFrom }: ClaimedWork,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
  folder: StepFolder,
): Promise<Handoff> {
  // A lease from a tool without fences is taken over with fence 1.
  if (fence <= 1 && attempt === 1 && takenOverFrom === undefined) return { given: {} }
  const rows = await harness.trajectory.lastOf(issue.id, triedMax)
  const unfinished = await unfinishedStep(harness, issue.id, takenOverFrom)
  if (rows.length === 0 && !unfinished && takenOverFrom === undefined) return { given: {} }
  const tried = await Promise.all(
    rows.map(async row => ({ row, output: await outputOf(harness, row.stepId) })),
  )
  const failed = lastFailure(rows)
  const feedback = failed && (await feedbackFor(harness, failed))
  const comments = commentsOf(issue)
  const attention = (await harness.attentionOn?.(issue.id)) ?? []
  const facts = { issueId: issue.id, stepId, tried, takenOverFrom, unfinished, feedback, comments }
  const packet = handoffPacket({ ...facts, attention })
  await folder.write(packetName, documentOf(HandoffPacket, packet))
  const path = folder.file(packetName)
  if (!feedback) return { packet: path, given: { packet } }
  const written = await writeFeedback(harness, folder, feedback)
  return { packet: path, feedback: written.path, given: { packet, feedback: written.text } }
}

export const packetName = 'handoff.json'
export const feedbackName = 'feedback.txt'

/** The same as text, for agents that read no JSON. */
async function writeFeedback(
  { root, disk }: Harness,
  folder: StepFolder,
  feedback: Feedback,
): Promise<{ readonly path: string; readonly text: string }> {
  const where = feedback.output.map(path => `${root === '/' ? '' : root}/${path}`)
  const path = folder.file(feedbackName)
  const text = feedbackText(feedback, where)
  await disk.replaceLoosely(path, new TextEncoder().encode(text))
  return { path, text }
}

/** The step of a worker that still runs and has not noticed that its lease expired. */
async function unfinishedStep(
  harness: Harness,
  issueId: string,
  workerId: string | undefined,
): Promise<UnfinishedStep | undefined> {
  if (workerId === undefined) return undefined
  const journal = await new JournalFile(harness, workerId).read()
  if (!journal || !isStepJournal(journal) || journal.issueId !== issueId) return undefined
  const { stepId, startedAt } = journal
  return { stepId, workerId, startedAt, output: await outputOf(harness, stepId) }
}

export const outputNames = ['work', 'verify', 'verify-again', 'transport'].flatMap(name => [
  `${name}.stdout`,
  `${name}.stderr`,
])

/** Paths of the output files that are not empty. */
async function outputOf(harness: Harness, stepId: string): Promise<readonly string[]> {
  const folder = new StepFolder(harness, stepId)
  const found = await Promise.all(
    outputNames.map(async name => {
      const path = folder.file(name)
      const stamp = await harness.disk.stamp(path)
      return stamp && stamp.size > 0 ? [fromRoot(harness, path)] : []
    }),
  )
  return found.flat()
}

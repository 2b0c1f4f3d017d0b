/** The packet for whoever takes up an issue that others had before. */
import {
  handoffPacket,
  triedMax,
  type UnfinishedStep,
} from '../../kernel/harness/handoff-packet.ts'
import { isStepJournal } from '../../kernel/harness/step/step-journal.ts'
import { fromRoot, type Harness } from '../harness.ts'
import type { ClaimedWork } from './claim-work.ts'
import { JournalFile } from './journal-file.ts'
import { StepFolder } from './step-folder.ts'

/** Where it was written; `undefined` where nobody had the issue before. */
export async function writePacket(
  harness: Harness,
  { issue, fence, takenOverFrom }: ClaimedWork,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
  folder: StepFolder,
): Promise<string | undefined> {
  // A lease of a tool that knew no fences is taken over with the first one.
  if (fence <= 1 && attempt === 1 && takenOverFrom === undefined) return undefined
  const rows = await harness.trajectory.lastOf(issue.id, triedMax)
  const unfinished = await unfinishedStep(harness, issue.id, takenOverFrom)
  if (rows.length === 0 && !unfinished && takenOverFrom === undefined) return undefined
  const tried = await Promise.all(
    rows.map(async row => ({ row, output: await outputOf(harness, row.stepId) })),
  )
  await folder.write(
    packetName,
    handoffPacket({ issueId: issue.id, stepId, tried, takenOverFrom, unfinished }),
  )
  return folder.file(packetName)
}

const packetName = 'handoff.json'

/** One whose worker is still there, and has not noticed that its lease is gone. */
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

const outputs = ['work', 'verify', 'verify-again', 'transport'].flatMap(name => [
  `${name}.stdout`,
  `${name}.stderr`,
])

/** What it printed, as far as it printed anything. */
async function outputOf(harness: Harness, stepId: string): Promise<readonly string[]> {
  const folder = new StepFolder(harness, stepId)
  const found = await Promise.all(
    outputs.map(async name => {
      const path = folder.file(name)
      const stamp = await harness.disk.stamp(path)
      return stamp && stamp.size > 0 ? [fromRoot(harness, path)] : []
    }),
  )
  return found.flat()
}

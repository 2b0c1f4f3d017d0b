/** Writes the handoff packet for a worker that takes an issue with earlier attempts. */
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

/** Returns the path, or `undefined` if the issue has no earlier attempts. */
export async function writePacket(
  harness: Harness,
  { issue, fence, takenOverFrom }: ClaimedWork,
  { stepId, attempt }: { readonly stepId: string; readonly attempt: number },
  folder: StepFolder,
): Promise<string | undefined> {
  // A lease from a tool without fences is taken over with fence 1.
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

const outputs = ['work', 'verify', 'verify-again', 'transport'].flatMap(name => [
  `${name}.stdout`,
  `${name}.stderr`,
])

/** Paths of the output files that are not empty. */
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

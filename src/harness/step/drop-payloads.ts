/** Takes the payloads out of the folder of a step whose attempt has ended. */
import { mailboxName, requestsMax } from '../../kernel/harness/step/mailbox.ts'
import { stepContext } from '../../kernel/harness/step/step-turn.ts'
import type { ObservabilityMode } from '../../wire/harness/payload.ts'
import type { StepJournal, StepOutcome } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import { handOverFile, payloadPlace, stricter } from '../payloads.ts'
import { feedbackName, packetName } from './handoff.ts'
import { answersName } from './relocation.ts'
import { evidenceName, StepFolder } from './step-folder.ts'
import { issueName, mailboxPath } from './work-environment.ts'

/** Inputs of the work, and answers to it. The turn of the step has the digests that are needed. */
const payloadNames = [issueName, packetName, feedbackName, stepContext.queue.file, answersName]

/** Work in the sandbox leaves its turns in the mailbox. */
const evidenceNames = [evidenceName, `${mailboxName}/${evidenceName}`]

/**
 * Called while the journal is there, so that a recovery removes what a killed step left. Nothing reads
 * these files after the attempt.
 */
export async function dropPayloads(
  harness: Harness,
  { stepId }: StepJournal,
  outcome: StepOutcome,
): Promise<void> {
  const { disk, policy } = harness
  const folder = new StepFolder(harness, stepId)
  const drop = async (names: readonly string[], mode: ObservabilityMode) => {
    const place = { ...payloadPlace(harness, mode), disk }
    for (const name of names) await handOverFile(place, stepId, name, folder.file(name))
  }
  const ofTurns = await modeOfTurns(harness, folder, outcome)
  const { observabilityMode: mode } = policy
  const evidenceMode = stricter(mode, ofTurns)
  if (evidenceMode !== 'dashboard') await drop(evidenceNames, evidenceMode)
  if (mode === 'dashboard') return
  const mailbox = mailboxPath(folder)
  const left = (await disk.entry(mailbox))?.kind === 'folder' ? await harness.namesIn(mailbox) : []
  const requests = left.slice(0, requestsMax).map(name => `${mailboxName}/${name}`)
  await drop([...payloadNames, ...requests], mode)
  await disk.removeFolder(mailbox)
}

/** The gate has not judged the turns of a step that was killed. */
async function modeOfTurns(
  { gate, policy }: Harness,
  folder: StepFolder,
  { turn, evidence }: StepOutcome,
): Promise<ObservabilityMode> {
  if (turn) return evidence?.observabilityMode ?? 'dashboard'
  let mode: ObservabilityMode = 'dashboard'
  for (const name of evidenceNames) {
    const judged = await gate.judgeFile(folder.file(name), policy)
    mode = stricter(mode, judged.observabilityMode)
  }
  return mode
}

/** Reads `failure.json` of a failed step. A person who asks about an issue needs no other part of the harness. */
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { feedbackOf } from '../../kernel/harness/feedback.ts'
import { jsonIn } from '../../kernel/json.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { WitnessPlace } from '../../store/witness-store.ts'
import { type Feedback, StepFailure } from '../../wire/harness/feedback.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { StepFolder } from './step-folder.ts'

export const failureName = 'failure.json'

/** The row of a failed step, and its failure file if it is readable. */
export async function readFeedback(place: WitnessPlace, row: StepRow): Promise<Feedback> {
  const path = new StepFolder(place, row.stepId).file(failureName)
  const read = await readPlain(path, place, failureBytesMax)
  const failure = 'text' in read ? shaped(StepFailure, jsonIn(read.text)) : undefined
  return feedbackOf(row, failure instanceof Flaw ? undefined : failure)
}

/** A work command can write there. */
const failureBytesMax = 2 * 1024 * 1024

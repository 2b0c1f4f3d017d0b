/** Compares the turns that the work of a step left with those that the gate judged. */
import { evidenceName, StepFolder } from '../harness/step/step-folder.ts'
import type { WitnessPlace } from '../store/witness-store.ts'
import type { StepRow } from '../wire/harness/step-row.ts'

interface JudgedTurns {
  readonly path: string
  readonly isChanged: boolean
}

/** `undefined` if the step left no turns, or its folder was removed, which says nothing wrong. */
export async function judgedTurnsOf(
  { stepId, evidence, sandbox }: StepRow,
  place: WitnessPlace,
): Promise<JudgedTurns | undefined> {
  if (evidence === undefined) return undefined
  // The work leaves it in the mailbox if it runs in the sandbox.
  const name = sandbox === 'bubblewrap' ? `mailbox/${evidenceName}` : evidenceName
  const path = new StepFolder(place, stepId).file(name)
  if ((await place.disk.entry(path)) === undefined) return undefined
  return { path, isChanged: `sha256:${await place.disk.sha256(path)}` !== evidence.sha256 }
}

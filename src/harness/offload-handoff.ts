/** Keeps a handoff small: what does not fit goes to a file, and the handoff names it. */
import { documentOf } from '../kernel/artifact/print.ts'
import { printSession, type SessionWrite, writeSession } from '../kernel/harness/session.ts'
import { stepFolderName } from '../kernel/harness/step/step-id.ts'
import { clip } from '../kernel/text/clean.ts'
import type { Session } from '../wire/harness/session.ts'
import { WholeHandoff } from '../wire/harness/whole-handoff.ts'
import type { Harness } from './harness.ts'
import { StepFolder } from './step/step-folder.ts'

/** A fresh context reads it at its start. */
export const handoffBytesMax = 8 * 1024

/** With these, even text of control characters leaves room for the refs. */
const summaryCharsMax = 600
const nextStepCharsMax = 200

type Handoff = SessionWrite & { readonly summary: string; readonly nextStep: string }

export interface Offloaded {
  readonly write: Handoff
  /** The file with the whole text; absent if everything fits. */
  readonly ref?: string | undefined
}

export async function offloadHandoff(
  harness: Harness,
  stepId: string,
  before: Session | undefined,
  write: Handoff,
  /** Refs that stay in the handoff, whatever its size. */
  ownRefs: readonly string[],
): Promise<Offloaded> {
  const draft = printSession(writeSession(before, write, harness.clock.now()))
  if (new TextEncoder().encode(draft).length <= handoffBytesMax) return { write }
  const folder = new StepFolder(harness, stepId)
  await folder.make()
  const { summary, nextStep, witnessRefs = [] } = write
  const whole: WholeHandoff = {
    summary: summary.toWellFormed(),
    nextStep: nextStep.toWellFormed(),
    witnessRefs,
  }
  const ref = await folder.write('whole-handoff.json', documentOf(WholeHandoff, whole))
  const path = `artifacts/steps/${stepFolderName(stepId, harness.sha256)}/whole-handoff.json`
  const said = `The whole handoff has ${draft.length} characters and is in ${path}.`
  return {
    write: {
      ...write,
      summary: `${clip(summary, summaryCharsMax)}\n${said}`,
      nextStep: clip(nextStep, nextStepCharsMax),
      witnessRefs: [...ownRefs, ref],
    },
    ref,
  }
}

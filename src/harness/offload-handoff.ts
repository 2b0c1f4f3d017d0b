/** Keeps a handoff small: what does not fit is in a file, which the handoff names by its digest. */
import { documentOf } from '../kernel/artifact/print.ts'
import { triedMax } from '../kernel/harness/handoff-packet.ts'
import { printSession, type SessionWrite, writeSession } from '../kernel/harness/session.ts'
import { stopAction } from '../kernel/harness/step/step-row.ts'
import { fileOfRef } from '../kernel/harness/step/witness-ref.ts'
import { clip } from '../kernel/text/clean.ts'
import type { Session } from '../wire/harness/session.ts'
import { WholeHandoff } from '../wire/harness/whole-handoff.ts'
import type { Harness } from './harness.ts'
import { outputNames } from './step/handoff.ts'
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
  const ref = await folder.writeByDigest(documentOf(WholeHandoff, whole))
  const path = fileOfRef(ref)?.path
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

/** The last command of an attempt may have two outputs, and the work before it too. */
const outputRefsMax = 4

/**
 * Refs to the outputs of the last attempt on an issue that are too long for a handoff. They stay where
 * they are. Shorter ones are in the feedback that the next attempt gets.
 */
export async function longOutputRefs(
  harness: Harness,
  issueId: string,
): Promise<readonly string[]> {
  const rows = await harness.trajectory.lastOf(issueId, triedMax)
  const last = rows.find(({ action }) => action !== stopAction)
  if (!last) return []
  const folder = new StepFolder(harness, last.stepId)
  const refs: string[] = []
  for (const name of outputNames) {
    // Without a sandbox, work can put a link in its place.
    const isFile = (await harness.disk.entry(folder.file(name)))?.kind === 'file'
    const stamp = isFile ? await harness.disk.stamp(folder.file(name)) : undefined
    if (stamp && stamp.size > handoffBytesMax) refs.push(await folder.refOf(name))
  }
  return refs.slice(-outputRefsMax)
}

/** Leaves the witness of a judged turn, and has that of its instruction name it. */

import { Fault } from '../../fault.ts'
import { printArtifact } from '../../kernel/harness/artifact.ts'
import { isInstructionId } from '../../kernel/instruction/instruction-id.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { instructionWitnessDigest, withJoin } from '../../kernel/instruction/instruction-witness.ts'
import { readWitness } from '../../kernel/instruction/witness-check.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { joinWitness } from '../../kernel/turn/join-witness.ts'
import type { Judgement } from '../../kernel/turn/judge.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { OperationContext } from '../context.ts'
import { mustStayInside } from '../paths.ts'
import { findProjectRoot } from '../root.ts'
import { smallDocument, Unreadable } from '../small-document.ts'
import { witnessBytesMax } from './witness-file.ts'

export interface JudgedTurn {
  readonly input: Json
  readonly judged: Judgement
  readonly instructionId: string | undefined
}

/** Answers where it lies, from the project's folder. */
export async function leaveTurnWitness(
  { input, judged, instructionId }: JudgedTurn,
  context: OperationContext,
): Promise<string> {
  const root = await findProjectRoot(context)
  if (root === undefined) {
    throw new Fault('usage', 'a witness is left in a project, and here is none', {
      hint: 'Run premath init, or leave out --write-witness.',
    })
  }
  const { sha256, clock } = context
  const linkage = { instructionId: instructionId ?? null, judgedAt: timestampOf(clock.now()) }
  const witness = joinWitness(input, judged, linkage, sha256)
  const link =
    instructionId === undefined ? undefined : await linkable(instructionId, root, context)
  const ref = await writeWitness('join', witness, { root, disk: await context.disk(), sha256 })
  await link?.(judged, ref)
  return ref
}

/** Looked at before anything is written. */
async function linkable(instructionId: string, root: string, context: OperationContext) {
  const bad = (why: string) =>
    new Fault('invalid_input', `${instructionId} has no witness to link: ${why}`, {
      hint: 'premath instruction-run makes one.',
    })
  if (!isInstructionId(instructionId)) throw bad('that is no id of an instruction')
  const path = `${root}/${witnessFolder}/${instructionId}.json`
  const disk = await context.disk()
  await mustStayInside(path, root, disk)
  const document = await smallDocument(path, context, witnessBytesMax)
  if (document instanceof Unreadable) throw bad(document.why)
  const witness = readWitness(document)
  if (isRefused(witness)) throw bad(witness.message)
  // Linking seals it anew: what somebody edited must not become right by that.
  if (witness.witnessDigest !== instructionWitnessDigest(document as JsonObject, context.sha256)) {
    throw bad('it is not what its digest says')
  }
  return async ({ join }: Judgement, joinWitnessRef: string) => {
    const { joinClosed, failureClasses: joinFailureClasses } = join
    const linked = withJoin(
      witness,
      { joinClosed, joinFailureClasses, joinWitnessRef },
      context.sha256,
    )
    await disk.replace(path, new TextEncoder().encode(printArtifact(linked)))
  }
}

/** Writes the witness of a judged turn, and links the witness of its instruction to it. */

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
import type { Project } from '../open.ts'
import { mustStayInside } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'
import { witnessBytesMax } from './witness-file.ts'

interface JudgedTurn {
  readonly input: Json
  readonly judged: Judgement
  readonly instructionId: string | undefined
}

/** Returns its path, from the root. */
export async function storeTurnWitness(
  { input, judged, instructionId }: JudgedTurn,
  project: Project,
): Promise<string> {
  if (!project.isFound) {
    throw new Fault('usage', 'a witness is written into a project, and there is none here', {
      hint: 'Run premath init, or leave out --write-witness.',
    })
  }
  const { root, sha256, clock } = project
  const linkage = { instructionId: instructionId ?? null, judgedAt: timestampOf(clock.now()) }
  const witness = joinWitness(input, judged, linkage, sha256)
  const link = instructionId === undefined ? undefined : await linkable(instructionId, project)
  const ref = await writeWitness('join', witness, { root, disk: await project.disk(), sha256 })
  await link?.(judged, ref)
  return ref
}

/** Checks the instruction's witness before anything is written. */
async function linkable(instructionId: string, project: Project) {
  const { root, sha256 } = project
  const again = `premath instruction-run --instruction instructions/${instructionId}.json makes one.`
  const bad = (why: string, hint = again) =>
    new Fault('invalid_input', `${instructionId} has no witness to link: ${why}`, {
      hint,
    })
  if (!isInstructionId(instructionId)) {
    const hint = 'It is the name of its file without .json: --instruction 20260221T000000Z-fix.'
    throw bad('that is no id of an instruction', hint)
  }
  const path = `${root}/${witnessFolder}/${instructionId}.json`
  const disk = await project.disk()
  await mustStayInside(path, root, disk)
  const document = await smallDocument(path, project, witnessBytesMax)
  if (document instanceof Unreadable) throw bad(document.why)
  const witness = readWitness(document)
  if (isRefused(witness)) throw bad(witness.message)
  // The link changes the digest: an edited witness must not get a valid one that way.
  if (witness.witnessDigest !== instructionWitnessDigest(document as JsonObject, sha256)) {
    throw bad('it is not what its digest says')
  }
  return async ({ join }: Judgement, joinWitnessRef: string) => {
    const { joinClosed, failureClasses: joinFailureClasses } = join
    const linked = withJoin(witness, { joinClosed, joinFailureClasses, joinWitnessRef }, sha256)
    await disk.replace(path, new TextEncoder().encode(printArtifact(linked)))
  }
}

/** Finds a safe path for an instruction witness. */

import { Fault } from '../../fault.ts'
import { printArtifact } from '../../kernel/harness/artifact.ts'
import { instructionWitnessKind } from '../../kernel/instruction/instruction-witness.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { isWithin, mustStayInside, resolvePath } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

/** Size limit of a witness. */
export const witnessBytesMax = 8 * 1024 * 1024

export interface WitnessPlace {
  /** The path for messages. */
  readonly shown: string
  readonly path: string
  /** The folder for the output of checks. */
  readonly outputFolder: string
}

/** Folders whose files decide things: nothing that an instruction names is written there. */
const keptFolders = ['.git', '.premath', 'policies']

export async function witnessPlace(
  instructionId: string,
  { root, outDir = witnessFolder }: { readonly root: string; readonly outDir: string | undefined },
  context: OperationContext,
): Promise<WitnessPlace> {
  const disk = await context.disk()
  const folder = resolvePath(root, outDir)
  const path = `${folder}/${instructionId}.json`
  const outputFolder = `${folder}/instructions/${instructionId}`
  if (!isWithin(folder, root)) throw outside(outDir)
  for (const one of [path, outputFolder]) {
    await mustStayInside(one, root, disk)
    await mustBeNoLink(one, disk)
  }
  const realRoot = await disk.realPath(root)
  const real = await disk.realPath(folder)
  if (keptFolders.some(name => isWithin(real, resolvePath(realRoot, name)))) throw outside(outDir)
  await mustBeWitness(path, context)
  return { shown: `${outDir.replace(/\/+$/, '')}/${instructionId}.json`, path, outputFolder }
}

const outside = (outDir: string) =>
  new Fault('usage', `--out-dir ${outDir} is no place for witnesses`, {
    hint: `Name a folder in the project, such as ${witnessFolder}, and none that holds its rules.`,
    detail: { outDir },
  })

/** A link inside the project could still lead to what must not be overwritten. */
async function mustBeNoLink(path: string, disk: Disk): Promise<void> {
  const cut = path.lastIndexOf('/')
  const direct = `${await disk.realPath(path.slice(0, cut))}${path.slice(cut)}`
  if ((await disk.realPath(path)) === direct) return
  throw new Fault('unavailable', `${path} is a symbolic link`, {
    hint: 'Remove the link: a witness is written where it says, and nowhere else.',
    detail: { path },
  })
}

/** Only a witness may be replaced: an instruction can have the name of any file. */
async function mustBeWitness(path: string, context: OperationContext): Promise<void> {
  if ((await context.files.kindOf(path)) === undefined) return
  const there = await smallDocument(path, context, witnessBytesMax)
  const isWitness = !(there instanceof Unreadable) && isJsonObject(there)
  if (isWitness && there['witnessKind'] === instructionWitnessKind) return
  throw new Fault('usage', `${path} is there, and is no witness of an instruction`, {
    hint: 'Move it away, or name another folder with --out-dir.',
    detail: { path },
  })
}

export async function writeWitness(
  witness: InstructionWitness,
  { path }: WitnessPlace,
  disk: Disk,
): Promise<void> {
  const bytes = new TextEncoder().encode(printArtifact(witness))
  if (bytes.length > witnessBytesMax) {
    throw new Fault('invalid_input', `the witness would be larger than ${witnessBytesMax} bytes`, {
      hint: 'Say less in the scope of the instruction.',
    })
  }
  await disk.makeFolder(path.slice(0, path.lastIndexOf('/')))
  await disk.replace(path, bytes)
}

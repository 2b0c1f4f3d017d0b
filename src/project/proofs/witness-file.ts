/** Checks the path for the witness of an instruction, and writes it. */

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

/** The largest witness that premath reads or writes. */
export const witnessBytesMax = 8 * 1024 * 1024

export interface WitnessPlace {
  /** The path of the witness as the flags give it. */
  readonly shown: string
  readonly path: string
  /** For the output of the checks. */
  readonly outputFolder: string
}

/** Folders with rules of the project. An instruction must not write there. */
export const keptFolders = ['.git', '.premath', 'policies']

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
  new Fault('usage', `--out-dir ${outDir} cannot hold witnesses`, {
    hint: `Name a folder in the project, such as ${witnessFolder}, and not .git, .premath or policies.`,
    detail: { outDir },
  })

/** A link inside the project could lead to a file that must not be overwritten. */
async function mustBeNoLink(path: string, disk: Disk): Promise<void> {
  const cut = path.lastIndexOf('/')
  const direct = `${await disk.realPath(path.slice(0, cut))}${path.slice(cut)}`
  if ((await disk.realPath(path)) === direct) return
  throw new Fault('unavailable', `${path} is a symbolic link`, {
    hint: 'Remove the link: premath writes witnesses into real folders only.',
    detail: { path },
  })
}

/** Replaces nothing but a witness: an instruction may have the name of any other file. */
async function mustBeWitness(path: string, context: OperationContext): Promise<void> {
  if ((await context.files.kindOf(path)) === undefined) return
  const there = await smallDocument(path, context, witnessBytesMax)
  const isWitness = !(there instanceof Unreadable) && isJsonObject(there)
  if (isWitness && there['witnessKind'] === instructionWitnessKind) return
  throw new Fault('usage', `${path} exists and is not the witness of an instruction`, {
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

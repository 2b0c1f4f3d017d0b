/** An instruction and its witness are named after the instruction's file. */

import { shown } from './instruction-field.ts'
import { type InstructionRefusal, refused } from './instruction-refusal.ts'

const idCharsMax = 120

/**
 * The id becomes part of paths, so it is a single safe word. It cannot clash with the name of
 * another witness.
 */
const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const takenNames = /^(?:governance-promotion$|latest-|run-[0-9a-f]{64}$)/

/** The stem of the file name. */
export function instructionIdOf(path: string): string | InstructionRefusal {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!name.endsWith('.json')) return badName(name, 'does not end in .json')
  const id = name.slice(0, -'.json'.length)
  const why = whyNoId(id)
  return why === undefined ? id : badName(name, why)
}

/** Whether the text is a valid id. */
export const isInstructionId = (text: string): boolean => whyNoId(text) === undefined

/** The id of an instruction that the harness wrote for a run. No caller can act under it. */
export const isRunInstructionId = (text: string): boolean => /^run-[0-9a-f]{64}$/.test(text)

function whyNoId(id: string): string | undefined {
  if (!id.includes('-')) return 'has no - between a time and a name'
  if (id.length > idCharsMax) return `has more than ${idCharsMax} characters`
  if (!idShape.test(id)) return 'has characters that an id cannot have, or begins with one'
  return takenNames.test(id) ? 'is the name of another witness' : undefined
}

const badName = (name: string, why: string) =>
  refused('instruction_filename_invalid', `the file name ${shown(name)} ${why}`)

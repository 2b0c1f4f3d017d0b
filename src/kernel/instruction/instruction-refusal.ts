/** Why a document is not an instruction. A value, never thrown. */
import type { InstructionClass } from './instruction-classes.ts'

/** A class, to tell it apart from JSON values. */
export class InstructionRefusal {
  readonly failureClass: InstructionClass
  readonly message: string
  /** Files to fix, if the instruction itself is not at fault. */
  readonly files: readonly string[]

  constructor(failureClass: InstructionClass, message: string, files: readonly string[]) {
    this.failureClass = failureClass
    this.message = message
    this.files = files
  }
}

export const refused = (
  failureClass: InstructionClass,
  message: string,
  files: readonly string[] = [],
) => new InstructionRefusal(failureClass, message, files)

export const isRefused = (value: unknown): value is InstructionRefusal =>
  value instanceof InstructionRefusal

type Read<Parts> = { readonly [Name in keyof Parts]: Exclude<Parts[Name], InstructionRefusal> }

/** All parts, or the first refusal among them. */
export function allRead<Parts extends object>(parts: Parts): Read<Parts> | InstructionRefusal {
  return Object.values(parts).find(isRefused) ?? (parts as Read<Parts>)
}

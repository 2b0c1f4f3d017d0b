/** What could not be read as an instruction, and why. A value, never thrown. */
import type { InstructionClass } from './instruction-classes.ts'

/** A class of its own, so that it is told from any JSON. */
export class InstructionRefusal {
  readonly failureClass: InstructionClass
  readonly message: string

  constructor(failureClass: InstructionClass, message: string) {
    this.failureClass = failureClass
    this.message = message
  }
}

export const refused = (failureClass: InstructionClass, message: string) =>
  new InstructionRefusal(failureClass, message)

export const isRefused = (value: unknown): value is InstructionRefusal =>
  value instanceof InstructionRefusal

type Read<Parts> = { readonly [Name in keyof Parts]: Exclude<Parts[Name], InstructionRefusal> }

/** All parts, or the refusal that stands first among them. */
export function allRead<Parts extends object>(parts: Parts): Read<Parts> | InstructionRefusal {
  return Object.values(parts).find(isRefused) ?? (parts as Read<Parts>)
}

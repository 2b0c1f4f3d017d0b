/** Compiled code: instructions as numbers, each operation followed by its operands. */
import type { Value } from './value.ts'

export const op = {
  /** Pushes a constant: its index. */
  constant: 0,
  /** Pushes a variable of the innermost scope: its slot. */
  local: 1,
  /** Pushes a variable of the next scope: its slot. */
  outer: 2,
  /** Pushes a variable: how many scopes out, and its slot. */
  far: 3,
  /** Pushes a global: its index. */
  global: 4,
  /** Sets a variable to the top of the stack: how many scopes out, and its slot. */
  setLocal: 5,
  setGlobal: 6,
  defineGlobal: 7,
  drop: 8,
  jump: 9,
  jumpIfFalse: 10,
  /** Jumps and keeps the value, or drops it and goes on. */
  jumpIfFalseKeep: 11,
  jumpIfTrueKeep: 12,
  /** Makes a procedure of the code with this index. */
  closure: 13,
  /** Calls the procedure on top of the stack: the number of arguments. */
  call: 14,
  tailCall: 15,
  /** Calls a global: its index, and the number of arguments. */
  callGlobal: 16,
  tailCallGlobal: 17,
  return: 18,
  /** Opens a scope with this many values from the stack. */
  openScope: 19,
  /** Opens a scope with this many variables that have no value yet. */
  openEmpty: 20,
  closeScope: 21,
  duplicate: 22,
} as const

/** A global variable; `undefined` until it is defined. */
export interface Global {
  readonly name: string
  value: Value | undefined
}

export interface Code {
  readonly name: string
  readonly ops: readonly number[]
  readonly constants: readonly Value[]
  readonly globals: readonly Global[]
  readonly codes: readonly Code[]
  /** The names of the variables, for messages, by `<scopes out>:<slot>` of each instruction. */
  readonly names: ReadonlyMap<number, string>
  /** Where an instruction stands in the program, as an offset into its text. */
  readonly places: ReadonlyMap<number, number>
  readonly parameters: number
  readonly hasRest: boolean
  /** Part of the language: an error in it is told at the place that called it. */
  readonly isPrelude: boolean
}

/** The language as a whole: reads, compiles and starts programs. */
import { generalBuiltins } from './builtins/general.ts'
import { hashBuiltins } from './builtins/hashes.ts'
import { listBuiltins } from './builtins/lists.ts'
import { numberBuiltins } from './builtins/numbers.ts'
import { textBuiltins } from './builtins/texts.ts'
import type { Code } from './code.ts'
import { compile } from './compile.ts'
import { Globals } from './globals.ts'
import { Machine } from './machine.ts'
import { Meter } from './meter.ts'
import { prelude } from './prelude.ts'
import { ErrorAt, type ProgramError, placeOf } from './program-error.ts'
import { read } from './read.ts'
import { Control, type ControlName, type Value } from './value.ts'

const controls: readonly ControlName[] = ['apply', 'call/ec', 'raise', 'host']

/** Everything that a program can call, by name. */
export function schemeLanguage(): ReadonlyMap<string, Value> {
  const builtins = [
    ...generalBuiltins,
    ...numberBuiltins,
    ...listBuiltins,
    ...textBuiltins,
    ...hashBuiltins,
  ]
  const values = new Map<string, Value>()
  for (const builtin of builtins) values.set(builtin.name, builtin)
  for (const name of controls) values.set(name, new Control(name))
  const globals = new Globals(values)
  const source = read(prelude)
  const code = source instanceof ErrorAt ? source : compile(source, globals, { isPrelude: true })
  if (code instanceof ErrorAt) throw new Error(`the prelude cannot be compiled: ${code.message}`)
  const unlimited = Number.POSITIVE_INFINITY
  const budget = { steps: unlimited, bytes: unlimited, calls: unlimited, depth: unlimited }
  new Machine(code, new Meter(budget)).run()
  return globals.values()
}

/** A compiled program, and its text for places. */
export interface Program {
  readonly code: Code
  readonly text: string
}

interface ProgramOptions {
  /** A variable may be defined by a later entry, as at a prompt. */
  readonly mayDefineLater?: boolean
}

export function isProgramError(found: Program | ProgramError): found is ProgramError {
  return 'message' in found
}

/** Reads and compiles a program. Nothing of it runs before all of it is known to be well formed. */
export function schemeProgram(
  text: string,
  globals: Globals,
  options: ProgramOptions = {},
): Program | ProgramError {
  const source = read(text)
  const code = source instanceof ErrorAt ? source : compile(source, globals, options)
  if (!(code instanceof ErrorAt)) return { code, text }
  const { message, hint, at } = code
  return { message, hint, ...placeOf(text, at) }
}

/** The text ends within a form, so more of it may follow. */
export function isIncomplete(text: string): boolean {
  const source = read(text)
  return source instanceof ErrorAt && source.isIncomplete
}

/** The free names of an expression. */
import type { Builtin } from './builtin.ts'
import { builtinCalled, builtinNamed } from './builtins.ts'
import type { Cell } from './instruction.ts'

export interface Scope {
  /** Builtins under names chosen by the author. */
  readonly aliases: ReadonlyMap<string, Builtin>
  /** Symbols of libraries. */
  readonly symbols: ReadonlyMap<string, Cell>
  /** True if `{var: subject}` is the subject; in libraries it is an ordinary name. */
  readonly hasSubject: boolean
  /** Values that the case offers beside the subject; none in libraries. */
  readonly values: readonly string[]
}

/** Offered by every case: the exports of its chain, and the variables of the run. */
export const commonValues: readonly string[] = ['chain', 'vars']

/** The scope of an assertion without libraries and imports. */
export const plainScope: Scope = {
  aliases: new Map(),
  symbols: new Map(),
  hasSubject: true,
  values: commonValues,
}

/** The builtin of an operator name. Library functions are never operators. */
export function operatorNamed(name: string, scope: Scope): Builtin | undefined {
  if (name.startsWith('std.')) return builtinNamed(name)
  return scope.aliases.get(name) ?? builtinCalled(name)
}

export const specialForms: readonly string[] = ['if', 'let', 'fn', 'call', 'var', 'lit']

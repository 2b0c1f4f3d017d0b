/** The names an expression can use that it does not bind itself. */
import type { Builtin } from './builtin.ts'
import { builtinCalled, builtinNamed } from './builtins.ts'
import type { Cell } from './instruction.ts'

export interface Scope {
  /** Builtins under names of the author's choice. */
  readonly aliases: ReadonlyMap<string, Builtin>
  /** Symbols of libraries. */
  readonly symbols: ReadonlyMap<string, Cell>
  /** Whether `{var: subject}` is the subject; in libraries it is a name like any other. */
  readonly hasSubject: boolean
}

/** An assertion without libraries or imports. */
export const plainScope: Scope = { aliases: new Map(), symbols: new Map(), hasSubject: true }

/** What an operator's name stands for. Functions of libraries are never operators. */
export function operatorNamed(name: string, scope: Scope): Builtin | undefined {
  if (name.startsWith('std.')) return builtinNamed(name)
  return scope.aliases.get(name) ?? builtinCalled(name)
}

export const specialForms: readonly string[] = ['if', 'let', 'fn', 'call', 'var', 'lit']

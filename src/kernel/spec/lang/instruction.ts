/** What an expression is compiled to: a flat list for a machine with a stack of its own. */
import type { Builtin } from './builtin.ts'
import type { Item } from './item.ts'
import type { Failure } from './spec-error.ts'

export type Code = readonly Instruction[]

/** A symbol of a library: its code, and its value once that was computed. */
export interface Cell {
  readonly name: string
  /** The file and place of the definition, for errors. */
  readonly path: string
  code: Code
  state: 'pending' | 'running' | 'ready'
  value: Item
}

export type Instruction =
  | Jump
  | ({ readonly path: string } & (
      | { readonly op: 'value'; readonly value: Item }
      | { readonly op: 'subject' }
      /** A variable so many scopes out, in this slot. */
      | { readonly op: 'local'; readonly out: number; readonly slot: number; readonly name: string }
      | { readonly op: 'symbol'; readonly cell: Cell }
      | { readonly op: 'closure'; readonly code: Code; readonly count: number }
      | { readonly op: 'builtin'; readonly builtin: Builtin; readonly count: number }
      | { readonly op: 'call'; readonly count: number; readonly tail: boolean }
      | { readonly op: 'truth' }
      /** Opens a scope for the bindings of a `let`, fills one of them, closes the scope. */
      | { readonly op: 'enter'; readonly count: number }
      | { readonly op: 'store'; readonly slot: number }
      | { readonly op: 'leave' }
      | { readonly op: 'return' }
      | { readonly op: 'fail'; readonly failure: Failure }
    ))

/** `to` is known when what is jumped over was compiled. */
export type Jump = { readonly path: string } & (
  | { readonly op: 'jump'; to: number }
  /** Takes the condition off the stack. */
  | { readonly op: 'unless'; to: number }
  /** `and` and `or`: jumps with `when` on the stack if the operand's truth is `when`. */
  | { readonly op: 'decide'; readonly when: boolean; to: number }
  /** `coalesce`: jumps with the operand if it is something. */
  | { readonly op: 'something'; to: number }
)

/** The target of compilation: flat code for a stack machine. */
import type { Builtin } from './builtin.ts'
import type { Item } from './item.ts'
import type { Failure } from './spec-error.ts'

export type Code = readonly Instruction[]

/** A library symbol: its code, and its value once computed. */
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
      /** A value that the case offers under this name. */
      | { readonly op: 'offered'; readonly name: string }
      /** A variable: number of scopes outward, and its slot. */
      | { readonly op: 'local'; readonly out: number; readonly slot: number; readonly name: string }
      | { readonly op: 'symbol'; readonly cell: Cell }
      | { readonly op: 'closure'; readonly code: Code; readonly count: number }
      | { readonly op: 'builtin'; readonly builtin: Builtin; readonly count: number }
      | { readonly op: 'call'; readonly count: number; readonly tail: boolean }
      | { readonly op: 'truth' }
      /** Opens a scope for a `let`, fills one binding, closes the scope. */
      | { readonly op: 'enter'; readonly count: number }
      | { readonly op: 'store'; readonly slot: number }
      | { readonly op: 'leave' }
      | { readonly op: 'return' }
      | { readonly op: 'fail'; readonly failure: Failure }
    ))

/** `to` is set once the skipped code is compiled. */
export type Jump = { readonly path: string } & (
  | { readonly op: 'jump'; to: number }
  /** Pops the condition. */
  | { readonly op: 'unless'; to: number }
  /** `and` and `or`: jumps with `when` on the stack if the operand's truth equals `when`. */
  | { readonly op: 'decide'; readonly when: boolean; to: number }
  /** `coalesce`: jumps with the operand unless it is null. */
  | { readonly op: 'something'; to: number }
)

/** Where compiled code goes, and what it may see. */
import type { CodeBuilder } from './code-builder.ts'
import { Pair, Sym } from './value.ts'

/** The variables of one scope. */
export interface Names {
  readonly names: readonly string[]
  readonly outer: Names | undefined
}

/** Where code goes, and what it may see. */
export interface Target {
  readonly builder: CodeBuilder
  readonly scope: Names | undefined
  /** Nothing follows in this procedure: a call replaces it, and any other value returns. */
  readonly isTail: boolean
}

/** The name of `(define name …)` or `(define (name …) …)`. */
export function definedName(form: Pair): Sym | undefined {
  const target = form.cdr instanceof Pair ? form.cdr.car : undefined
  const name = target instanceof Pair ? target.car : target
  return name instanceof Sym ? name : undefined
}

/** What waits on the stack of the machine. */
import { wrongCount } from './call-errors.ts'
import { type Code, op } from './code.ts'
import type { Meter } from './meter.ts'
import type { Builtin, Escape, Failure, Scope, Value } from './value.ts'

/** Catches a failure below it. */
export class Handler {
  readonly procedure: Value

  constructor(procedure: Value) {
    this.procedure = procedure
  }
}

/** A call that waits for the result of another. */
export class Frame {
  readonly code: Code
  readonly pc: number
  readonly scope: Scope | undefined
  readonly height: number
  readonly mark: Escape | Handler | undefined

  constructor(
    code: Code,
    pc: number,
    scope: Scope | undefined,
    height: number,
    mark?: Frame['mark'],
  ) {
    this.code = code
    this.pc = pc
    this.scope = scope
    this.height = height
    this.mark = mark
  }
}

/** Returns to the frame on top. */
export const returning: Code = {
  name: 'return',
  ops: [op.return],
  constants: [],
  globals: [],
  codes: [],
  names: new Map(),
  places: new Map(),
  parameters: 0,
  hasRest: false,
  isPrelude: true,
}

export function scopeAt(scope: Scope | undefined, distance: number): Scope {
  let far = scope as Scope
  for (let left = distance; left > 0; left--) far = far[0] as Scope
  return far
}

export function scopeOf(
  outer: Scope | undefined,
  stack: readonly Value[],
  from: number,
  count: number,
): Scope {
  if (count === 1) return [outer, stack[from]]
  if (count === 2) return [outer, stack[from], stack[from + 1]]
  const scope: Scope = [outer]
  for (let at = from; at < from + count; at++) scope.push(stack[at])
  return scope
}

export function callBuiltin(
  builtin: Builtin,
  stack: readonly Value[],
  sp: number,
  count: number,
  meter: Meter,
): Value | Failure {
  if (count === 2 && builtin.two !== undefined) {
    return builtin.two(stack[sp - 2] as Value, stack[sp - 1] as Value, meter)
  }
  if (count === 1 && builtin.one !== undefined) return builtin.one(stack[sp - 1] as Value, meter)
  if (count < builtin.least || count > builtin.most) return wrongCount(builtin, count)
  return builtin.many(stack.slice(sp - count, sp), meter)
}

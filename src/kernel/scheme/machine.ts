/**
 * Runs compiled code on a stack of its own: a program cannot overflow the stack of JavaScript, and
 * stops wherever it calls a host function, until the host resumes it.
 */

import {
  actionOf,
  deadEscape,
  noAction,
  notList,
  notProcedure,
  undefinedVariable,
  unsetVariable,
  wrongCount,
} from './call-errors.ts'
import { type Code, type Global, op } from './code.ts'
import { conditionOf } from './condition.ts'
import { callBuiltin, Frame, Handler, returning, scopeAt, scopeOf } from './frame.ts'
import type { BudgetName, Meter } from './meter.ts'
import { shown } from './print.ts'
import {
  Builtin,
  Closure,
  Control,
  Escape,
  Failure,
  Hash,
  HostFunction,
  itemsOf,
  listOf,
  type Scope,
  type Value,
} from './value.ts'

/** Steps between two looks of the host at its clock. */
const slice = 50_000

export type Stop =
  | { readonly state: 'done'; readonly value: Value }
  /** The host carries out the call, then calls `resume`. */
  | { readonly state: 'call'; readonly action: string; readonly args: readonly Value[] }
  /** Nothing happened: the host may look at its clock. */
  | { readonly state: 'paused' }
  | { readonly state: 'failed'; readonly failure: Failure; readonly at: number }
  | { readonly state: 'exceeded'; readonly budget: BudgetName; readonly at: number }

export class Machine {
  readonly meter: Meter
  readonly #stack: Value[] = []
  readonly #frames: Frame[] = []
  /** The failures that conditions came from: raising one again raises the same failure. */
  readonly #failures = new WeakMap<object, Failure>()
  /** Where each failure happened first. */
  readonly #failedAt = new WeakMap<Failure, number>()
  #height = 0
  #code: Code
  #pc = 0
  #scope: Scope | undefined
  /** The place that called into the prelude last. */
  #callerAt = 0
  /** How the host ended its call. */
  #failure: Failure | undefined

  constructor(code: Code, meter: Meter) {
    this.#code = code
    this.meter = meter
  }

  /** Goes on after a call of the host. */
  resume(result: Value | Failure): void {
    if (result instanceof Failure) this.#failure = result
    else this.#stack[this.#height++] = result
  }

  run(): Stop {
    const { meter } = this
    const { budget } = meter
    const stack = this.#stack
    const frames = this.#frames
    const limit = Math.min(meter.steps + slice, budget.steps)
    let code = this.#code
    let { ops, constants, globals } = code
    let pc = this.#pc
    let scope = this.#scope
    let sp = this.#height
    let failure = this.#failure
    this.#failure = undefined

    for (;;) {
      let called: Value | undefined
      let count = 0
      let isTail = false
      if (failure === undefined) {
        switch (ops[pc++]) {
          case op.constant:
            stack[sp++] = constants[ops[pc++] as number] as Value
            continue
          case op.local: {
            const value = (scope as Scope)[ops[pc++] as number] as Value | undefined
            if (value === undefined) failure = unsetVariable(code, pc)
            else stack[sp++] = value
            break
          }
          case op.outer: {
            const outer = (scope as Scope)[0] as Scope
            const value = outer[ops[pc++] as number] as Value | undefined
            if (value === undefined) failure = unsetVariable(code, pc)
            else stack[sp++] = value
            break
          }
          case op.far: {
            const far = scopeAt(scope, ops[pc++] as number)
            const value = far[ops[pc++] as number] as Value | undefined
            if (value === undefined) failure = unsetVariable(code, pc)
            else stack[sp++] = value
            break
          }
          case op.global: {
            const global = globals[ops[pc++] as number] as Global
            if (global.value === undefined) failure = undefinedVariable(global.name)
            else stack[sp++] = global.value
            break
          }
          case op.setLocal: {
            const far = scopeAt(scope, ops[pc++] as number)
            far[ops[pc++] as number] = stack[--sp] as Value
            continue
          }
          case op.setGlobal: {
            const global = globals[ops[pc++] as number] as Global
            if (global.value === undefined) failure = undefinedVariable(global.name)
            else global.value = stack[--sp] as Value
            break
          }
          case op.defineGlobal:
            ;(globals[ops[pc++] as number] as Global).value = stack[--sp] as Value
            continue
          case op.drop:
            sp--
            continue
          case op.jump:
            pc = ops[pc] as number
            continue
          case op.jumpIfFalse:
            pc = stack[--sp] === false ? (ops[pc] as number) : pc + 1
            continue
          case op.jumpIfFalseKeep:
          case op.jumpIfTrueKeep: {
            const isFalse = stack[sp - 1] === false
            const jumps = isFalse === (ops[pc - 1] === op.jumpIfFalseKeep)
            pc = jumps ? (ops[pc] as number) : pc + 1
            if (!jumps) sp--
            continue
          }
          case op.closure: {
            const made = code.codes[ops[pc++] as number] as Code
            if (!meter.allotCells(1)) {
              this.#save(code, pc, scope, sp)
              return this.#exceeded('memory')
            }
            stack[sp++] = new Closure(made, scope)
            continue
          }
          case op.return: {
            const frame = frames.pop()
            if (frame === undefined) return { state: 'done', value: stack[sp - 1] as Value }
            const value = stack[sp - 1] as Value
            sp = frame.height
            stack[sp++] = value
            code = frame.code
            ;({ ops, constants, globals } = code)
            pc = frame.pc
            scope = frame.scope
            continue
          }
          case op.openScope: {
            const size = ops[pc++] as number
            sp -= size
            scope = scopeOf(scope, stack, sp, size)
            continue
          }
          case op.openEmpty: {
            const opened: Scope = [scope]
            for (let left = ops[pc++] as number; left > 0; left--) opened.push(undefined)
            scope = opened
            continue
          }
          case op.closeScope:
            scope = (scope as Scope)[0]
            continue
          case op.duplicate:
            stack[sp] = stack[sp - 1] as Value
            sp++
            continue
          case op.call:
          case op.tailCall:
            isTail = ops[pc - 1] === op.tailCall
            count = ops[pc++] as number
            called = stack[--sp] as Value
            break
          case op.callGlobal:
          case op.tailCallGlobal: {
            isTail = ops[pc - 1] === op.tailCallGlobal
            const global = globals[ops[pc++] as number] as Global
            count = ops[pc++] as number
            called = global.value
            if (called === undefined) failure = undefinedVariable(global.name)
          }
        }
      }

      if (called === undefined && failure === undefined) continue
      // A call, or a failure on its way to a handler. A control procedure leads to another call.
      for (;;) {
        if (failure !== undefined) {
          this.#save(code, pc, scope, sp)
          const failedAt = this.#placeOfFailure(failure)
          const height = frames.findLastIndex(({ mark }) => mark instanceof Handler)
          const frame = frames[height]
          if (frame === undefined) return { state: 'failed', failure, at: failedAt }
          frames.length = height
          code = frame.code
          ;({ ops, constants, globals } = code)
          pc = frame.pc
          scope = frame.scope
          sp = frame.height
          const condition = conditionOf(failure)
          if (condition instanceof Hash) this.#failures.set(condition, failure)
          stack[sp++] = condition
          called = (frame.mark as Handler).procedure
          count = 1
          isTail = false
          failure = undefined
        }
        meter.steps++
        if (called instanceof Builtin) {
          const result = callBuiltin(called, stack, sp, count, meter)
          if (meter.over !== undefined) {
            this.#save(code, pc, scope, sp)
            return this.#exceeded(meter.over)
          }
          if (result instanceof Failure) {
            failure = result
            continue
          }
          sp -= count
          stack[sp++] = result
          break
        }
        if (called instanceof Closure) {
          const entered = called.code
          if (count !== entered.parameters || entered.hasRest) {
            if (count < entered.parameters || !entered.hasRest) {
              failure = wrongCount(called, count)
              continue
            }
            const from = sp - (count - entered.parameters)
            if (!meter.allotCells(sp - from)) {
              this.#save(code, pc, scope, sp)
              return this.#exceeded('memory')
            }
            const rest = listOf(stack.slice(from, sp))
            sp = from
            stack[sp++] = rest
            count = entered.parameters + 1
          }
          sp -= count
          if (entered.isPrelude && !code.isPrelude) this.#callerAt = this.#placeOf(code, pc)
          if (!isTail) {
            if (frames.length >= budget.depth) {
              this.#save(code, pc, scope, sp)
              return this.#exceeded('depth')
            }
            frames.push(new Frame(code, pc, scope, sp))
          }
          scope = scopeOf(called.scope, stack, sp, count)
          code = entered
          ;({ ops, constants, globals } = code)
          pc = 0
          break
        }
        if (called instanceof Escape) {
          const frame = frames[called.depth]
          if (frame?.mark !== called || count !== 1) {
            failure = frame?.mark === called ? wrongCount(called, count) : deadEscape()
            continue
          }
          const value = stack[sp - 1] as Value
          frames.length = called.depth
          code = frame.code
          ;({ ops, constants, globals } = code)
          pc = frame.pc
          scope = frame.scope
          sp = frame.height
          stack[sp++] = value
          break
        }
        if (called instanceof HostFunction) {
          const args = stack.slice(sp - count, sp)
          sp -= count
          this.#save(code, pc, scope, sp)
          return { state: 'call', action: called.action, args }
        }
        if (!(called instanceof Control)) {
          failure = notProcedure(called as Value)
          continue
        }
        const args = stack.slice(sp - count, sp)
        sp -= count
        const { name } = called
        if (name === 'raise') {
          failure = count === 1 ? this.#raised(args[0] as Value) : wrongCount(called, count)
        } else if (name === 'host') {
          const action = actionOf(args[0])
          if (action === undefined) {
            failure = noAction()
            continue
          }
          this.#save(code, pc, scope, sp)
          return { state: 'call', action, args: args.slice(1) }
        } else if (name === 'apply') {
          const spread = count < 2 ? undefined : itemsOf(args[count - 1] as Value)
          if (spread === undefined) {
            failure = count < 2 ? wrongCount(called, count) : notList(args[count - 1] as Value)
            continue
          }
          if (!meter.visit(spread.length)) {
            this.#save(code, pc, scope, sp)
            return this.#exceeded('step')
          }
          called = args[0] as Value
          for (let at = 1; at < count - 1; at++) stack[sp++] = args[at] as Value
          for (const item of spread) stack[sp++] = item
          count = count - 2 + spread.length
        } else {
          const wanted = name === 'call/ec' ? 1 : 2
          if (count !== wanted) {
            failure = wrongCount(called, count)
            continue
          }
          if (frames.length >= budget.depth) {
            this.#save(code, pc, scope, sp)
            return this.#exceeded('depth')
          }
          const isEscape = name === 'call/ec'
          const mark = isEscape ? new Escape(frames.length) : new Handler(args[0] as Value)
          if (!code.isPrelude) this.#callerAt = this.#placeOf(code, pc)
          frames.push(new Frame(code, pc, scope, sp, mark))
          called = args[isEscape ? 0 : 1] as Value
          count = 0
          if (mark instanceof Escape) stack[sp + count++] = mark
          sp += count
          // The frame is there already, and a builtin's result goes back to it.
          code = returning
          ;({ ops, constants, globals } = code)
          pc = 0
          isTail = true
        }
      }
      if (meter.steps > limit) {
        this.#save(code, pc, scope, sp)
        return meter.steps > budget.steps ? this.#exceeded('step') : { state: 'paused' }
      }
    }
  }

  /** A closure over the registers would keep them out of the processor's. */
  #save(code: Code, pc: number, scope: Scope | undefined, height: number): void {
    this.#code = code
    this.#pc = pc
    this.#scope = scope
    this.#height = height
  }

  #exceeded(budget: BudgetName): Stop {
    return { state: 'exceeded', budget, at: this.#placeOf(this.#code, this.#pc) }
  }

  /** A condition that was caught is raised again as what it was. */
  #raised(value: Value): Failure {
    const known = value instanceof Hash ? this.#failures.get(value) : undefined
    return known ?? new Failure(`uncaught condition: ${shown(value)}`, undefined, value)
  }

  #placeOfFailure(failure: Failure): number {
    const at = this.#failedAt.get(failure) ?? this.#placeOf(this.#code, this.#pc)
    this.#failedAt.set(failure, at)
    return at
  }

  /** An error in the prelude is an error of the place that called it. */
  #placeOf(code: Code, pc: number): number {
    if (!code.isPrelude) return code.places.get(pc) ?? 0
    const caller = this.#frames.findLast(frame => !frame.code.isPrelude)
    return caller?.code.places.get(caller.pc) ?? this.#callerAt
  }
}

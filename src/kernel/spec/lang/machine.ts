/**
 * Runs compiled code on its own stack, so that expressions cannot overflow the JavaScript stack.
 */
import {
  applyBuiltin,
  type Builtin,
  beginBuiltin,
  notCallable,
  type Run,
  type Steps,
} from './builtin.ts'
import type { Cell, Code } from './instruction.ts'
import {
  BuiltinFunction,
  type Callable,
  Closure,
  type Environment,
  type Item,
  isCallable,
  isTruthy,
} from './item.ts'
import { budgetExceeded, Failure, schemaFailure } from './spec-error.ts'
import { isNothing } from './std/null.ts'

/** A frame that waits for a result. */
type Frame =
  | {
      readonly waits: 'code'
      readonly code: Code
      readonly at: number
      readonly environment: Environment | undefined
    }
  | { readonly waits: 'builtin'; readonly steps: Steps; readonly path: string }
  /** Surplus arguments, which are applied to the result. */
  | { readonly waits: 'rest'; readonly given: readonly Item[]; readonly name: string }
  | { readonly waits: 'cell'; readonly cell: Cell }

/** Marks that the machine entered a function instead of returning a result. */
const entered = Symbol('entered')

type Result = Item | Failure | typeof entered

export class Machine {
  readonly #run: Run
  readonly #stack: Item[] = []
  readonly #frames: Frame[] = []
  #code: Code
  #at = 0
  #environment: Environment | undefined
  /** The path of the failing form. */
  path: string

  constructor(code: Code, path: string, run: Run) {
    this.#code = code
    this.path = path
    this.#run = run
  }

  run(): Item | Failure {
    const { meter, subject, offered } = this.#run
    const stack = this.#stack
    for (;;) {
      const next = this.#code[this.#at++]
      if (next === undefined) return schemaFailure('spec_lang code ended without a result')
      this.path = next.path
      if (!meter.spend(1)) return meter.over ?? budgetExceeded('steps')
      switch (next.op) {
        case 'value':
          stack.push(next.value)
          break
        case 'subject':
          stack.push(subject)
          break
        case 'offered': {
          // The expression does not pay for the time in which the case makes the value.
          const item = meter.uncounted(() => offered?.get(next.name))
          if (item === undefined) return schemaFailure(`undefined variable: ${next.name}`)
          stack.push(item)
          break
        }
        case 'local': {
          const item = this.#local(next.out, next.slot)
          if (item === undefined) {
            return schemaFailure(
              `spec_lang let binding is read before it has a value: ${next.name}`,
            )
          }
          stack.push(item)
          break
        }
        case 'closure':
          stack.push(new Closure(next.code, next.count, this.#environment))
          break
        case 'builtin': {
          const given = this.#take(next.count)
          const { apply } = next.builtin
          if (apply !== undefined) {
            const result = applyBuiltin(apply, next.builtin, given, this.#run)
            // A result computed over budget is discarded.
            if (meter.over !== undefined) return meter.over
            if (result instanceof Failure) return result
            stack.push(result)
            break
          }
          const ended = this.#wait() ?? this.#settle(this.#apply(next.builtin, given))
          if (ended !== undefined) return ended
          break
        }
        case 'call': {
          const given = this.#take(next.count)
          const callee = stack.pop() as Item
          const ended =
            (next.tail ? undefined : this.#wait()) ?? this.#settle(this.#call(callee, given))
          if (ended !== undefined) return ended
          break
        }
        case 'symbol': {
          const ended = this.#symbol(next.cell)
          if (ended !== undefined) return ended
          break
        }
        case 'jump':
          this.#at = next.to
          break
        case 'unless':
          if (!isTruthy(stack.pop() as Item)) this.#at = next.to
          break
        case 'decide':
          if (isTruthy(stack.pop() as Item) !== next.when) break
          stack.push(next.when)
          this.#at = next.to
          break
        case 'truth':
          stack.push(isTruthy(stack.pop() as Item))
          break
        case 'something':
          if (isNothing(stack.at(-1) as Item)) stack.pop()
          else this.#at = next.to
          break
        case 'enter':
          this.#environment = {
            slots: new Array<Item | undefined>(next.count).fill(undefined),
            outer: this.#environment,
          }
          break
        case 'store':
          ;(this.#environment as Environment).slots[next.slot] = stack.pop() as Item
          break
        case 'leave':
          this.#environment = (this.#environment as Environment).outer
          break
        case 'return': {
          const ended = this.#settle(stack.pop() as Item)
          if (ended !== undefined) return ended
          break
        }
        case 'fail':
          return next.failure
      }
    }
  }

  #take(count: number): Item[] {
    const taken = new Array<Item>(count)
    for (let at = count - 1; at >= 0; at--) taken[at] = this.#stack.pop() as Item
    return taken
  }

  #local(out: number, slot: number): Item | undefined {
    let environment = this.#environment as Environment
    for (let hop = 0; hop < out; hop++) environment = environment.outer as Environment
    return environment.slots[slot]
  }

  /** The value of a symbol, computed on first use. */
  #symbol(cell: Cell): Item | Failure | undefined {
    if (cell.state === 'ready') {
      this.#stack.push(cell.value)
      return undefined
    }
    if (cell.state === 'running') {
      return schemaFailure(`spec_lang library symbol needs its own value: ${cell.name}`)
    }
    const ended = this.#wait()
    if (ended !== undefined) return ended
    cell.state = 'running'
    this.#frames.push({ waits: 'cell', cell })
    this.#enter(cell.code, undefined)
    return undefined
  }

  /** Pushes a return frame; a tail call does not. */
  #wait(): Failure | undefined {
    if (this.#frames.length >= this.#run.meter.maxDepth) return budgetExceeded('depth')
    const environment = this.#environment
    this.#frames.push({ waits: 'code', code: this.#code, at: this.#at, environment })
    return undefined
  }

  #enter(code: Code, environment: Environment | undefined): typeof entered {
    this.#code = code
    this.#at = 0
    this.#environment = environment
    return entered
  }

  #call(callee: Item, given: readonly Item[]): Result {
    if (callee instanceof Closure) {
      if (given.length !== callee.count) return wrongCount
      return this.#enter(callee.code, { slots: given as Item[], outer: callee.environment })
    }
    return callee instanceof BuiltinFunction ? this.#curry(callee, given) : notCallable
  }

  /** Too few arguments return a partial application; surplus ones are applied to the result. */
  #curry({ builtin, given: before }: BuiltinFunction, more: readonly Item[]): Result {
    if (builtin.operatorOnly) return operatorOnly(builtin.name)
    const given = before.length === 0 ? more : [...before, ...more]
    if (given.length < builtin.arity) return new BuiltinFunction(builtin, given)
    if (given.length === builtin.arity) return this.#apply(builtin, given)
    const rest = given.slice(builtin.arity)
    this.#frames.push({ waits: 'rest', given: rest, name: builtin.short })
    return this.#apply(builtin, given.slice(0, builtin.arity))
  }

  #apply(builtin: Builtin, given: readonly Item[]): Result {
    const { apply, steps: begin } = builtin
    if (apply !== undefined) {
      const result = applyBuiltin(apply, builtin, given, this.#run)
      return this.#run.meter.over ?? result
    }
    if (begin === undefined) return null
    const steps = beginBuiltin(begin, builtin, given, this.#run)
    if (steps instanceof Failure) return steps
    if (this.#frames.length >= this.#run.meter.maxDepth) return budgetExceeded('depth')
    this.#frames.push({ waits: 'builtin', steps, path: this.path })
    // The first value sent to a generator is ignored.
    return null
  }

  /** Passes a result to waiting frames until code runs again or none waits. */
  #settle(first: Result): Item | Failure | undefined {
    let result = first
    const { meter } = this.#run
    while (result !== entered) {
      if (result instanceof Failure) return result
      if (!meter.spend(1 / 4)) return meter.over
      const frame = this.#frames.pop()
      if (frame === undefined) return meter.isInTime() ? result : meter.over
      if (frame.waits === 'code') {
        this.#code = frame.code
        this.#at = frame.at
        this.#environment = frame.environment
        this.#stack.push(result)
        return undefined
      }
      if (frame.waits === 'builtin') result = this.#resume(frame, result)
      else if (frame.waits === 'rest') result = this.#applyRest(result, frame.given, frame.name)
      else {
        frame.cell.value = result
        frame.cell.state = 'ready'
      }
    }
    return undefined
  }

  #resume(frame: Frame & { readonly waits: 'builtin' }, answer: Item): Result {
    this.path = frame.path
    const { done, value } = frame.steps.next(answer)
    if (this.#run.meter.over !== undefined) return this.#run.meter.over
    if (done) return value
    this.#frames.push(frame)
    return this.#call(value.callee as Callable, value.given)
  }

  #applyRest(result: Item, given: readonly Item[], name: string): Result {
    if (isCallable(result)) return this.#call(result, given)
    return schemaFailure(
      `spec_lang over-application error for ${name}: its result is not a function`,
    )
  }
}

const operatorOnly = (name: string) =>
  schemaFailure(
    `${name} is an operator only: write {${name}: […]}, inside {fn: …} where a function is needed`,
  )

const wrongCount = schemaFailure('spec_lang call argument count mismatch')

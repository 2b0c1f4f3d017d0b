/** Runs programs: drives the machine, and makes its host calls. */
import type { Json, JsonObject } from '../kernel/json.ts'
import { conditionOf, runtimeErrorClass } from '../kernel/scheme/condition.ts'
import { Globals } from '../kernel/scheme/globals.ts'
import type { CallList } from '../kernel/scheme/host/call-list.ts'
import { invalid } from '../kernel/scheme/host/call-list.ts'
import { hostArguments } from '../kernel/scheme/host/host-arguments.ts'
import { type HostRefusal, refusal } from '../kernel/scheme/host/host-refusal.ts'
import { jsonOfValue, valueOfJson } from '../kernel/scheme/json-value.ts'
import { isProgramError, schemeLanguage, schemeProgram } from '../kernel/scheme/language.ts'
import { Machine, type Stop } from '../kernel/scheme/machine.ts'
import { type Budget, type BudgetName, Meter } from '../kernel/scheme/meter.ts'
import { printed } from '../kernel/scheme/print.ts'
import { placeOf } from '../kernel/scheme/program-error.ts'
import { Failure, Hash, listOf, type Value } from '../kernel/scheme/value.ts'
import type { HostEffect } from '../wire/scheme/host-effect.ts'
import type { Clock } from '../world/world.ts'
import { Difference, type Host } from './scheme-host.ts'

export interface Limits {
  readonly budget: Budget
  readonly timeoutMs: number
  /** No flag raises the budgets. */
  readonly isFixed?: boolean
  /** Ends the program. */
  readonly stop?: AbortSignal
}

/** What a program came to. */
export interface Evaluated {
  readonly refusal?: HostRefusal
  /** The action that was refused. */
  readonly failedAction?: string | undefined
  readonly value?: Json
  readonly valueText?: string
  readonly steps: number
  readonly bytes: number
}

/** Characters of a value that is shown. */
const valueCharsMax = 100_000
/** Slices, or calls of a list, between two breaks in which the process does other work. */
const slicesPerBreak = 8
/** A clock that is asked to sleep for no time does not let go of the process. */
const breakMs = 1

export class SchemeSession {
  readonly #globals = new Globals(schemeLanguage())
  readonly #clock: Clock
  readonly #host: Host
  readonly #limits: Limits
  readonly #given: Readonly<Record<string, Json>>

  /** `given`: variables that programs find. */
  constructor(
    host: Host,
    clock: Clock,
    limits: Limits,
    given: Readonly<Record<string, Json>> = {},
  ) {
    this.#given = given
    this.#host = host
    this.#clock = clock
    this.#limits = limits
  }

  /** Runs a program. Definitions stay for the next. */
  async evaluate(text: string, mayDefineLater = false): Promise<Evaluated> {
    const { budget, timeoutMs, isFixed, stop: ending } = this.#limits
    const meter = new Meter(budget)
    for (const [name, json] of Object.entries(this.#given)) {
      const value = valueOfJson(json, meter)
      if (value instanceof Failure)
        return { refusal: exceeded('memory', '', isFixed), steps: 0, bytes: 0 }
      this.#globals.own(name).value = value
    }
    const program = schemeProgram(text, this.#globals, { mayDefineLater })
    if (isProgramError(program)) {
      const { line, column, message, hint } = program
      const at = `line ${line}, column ${column}: ${message}`
      return { refusal: invalid(at, hint), steps: 0, bytes: 0 }
    }
    const machine = new Machine(program.code, meter)
    const failures = new Map<Failure, HostEffect>()
    const until = this.#clock.steady() + BigInt(Math.round(timeoutMs * 1e6))
    for (let slices = 1; ; slices++) {
      const stop = machine.run()
      const used = () => ({ steps: meter.steps, bytes: meter.bytes })
      const isLate = this.#clock.steady() > until || ending?.aborted
      if (stop.state === 'done') return { ...this.#valued(stop.value, meter), ...used() }
      if (stop.state === 'failed' || stop.state === 'exceeded') {
        return { ...stopped(stop, text, failures, isFixed), ...used() }
      }
      if (isLate) return { refusal: exceeded('time', '', isFixed), ...used() }
      if (stop.state === 'call') {
        if (++meter.calls > meter.budget.calls) {
          const refusal = exceeded('call', '', isFixed)
          return { refusal, failedAction: stop.action, ...used() }
        }
        const result = await this.#called(stop.action, stop.args, meter, failures)
        if (result instanceof Difference) {
          return { refusal: different(result.message), failedAction: stop.action, ...used() }
        }
        machine.resume(result)
      }
      if (slices % slicesPerBreak === 0) await this.#clock.sleep(breakMs)
    }
  }

  async #called(
    action: string,
    args: readonly Value[],
    meter: Meter,
    failures: Map<Failure, HostEffect>,
  ): Promise<Value | Failure | Difference> {
    const given = hostArguments(action, args, meter)
    if (given instanceof Failure) return given
    const effect = await this.#host.call(action, given)
    if (effect instanceof Difference) return effect
    const payload = valueOfJson(effect.payload as Json, meter)
    if (payload instanceof Failure || effect.failureClasses.length === 0) return payload
    const failure = failureOf(effect, payload)
    failures.set(failure, effect)
    return failure
  }

  #valued(value: Value, meter: Meter): Omit<Evaluated, 'steps' | 'bytes'> {
    const json = jsonOfValue(value, meter)
    const text = printed(value, valueCharsMax)
    return {
      ...(!(json instanceof Failure) && { value: json }),
      ...(text !== undefined && { valueText: text }),
    }
  }
}

/** Makes the calls of a list in order, up to the first that is refused. */
export async function runCalls(
  { calls }: CallList,
  host: Host,
  clock: Clock,
  { timeoutMs, isFixed, stop }: Limits,
): Promise<Evaluated> {
  const counted = { steps: calls.length, bytes: 0 }
  const until = clock.steady() + BigInt(Math.round(timeoutMs * 1e6))
  for (const [at, { action, args, callId, id, ...given }] of calls.entries()) {
    if (at % slicesPerBreak === slicesPerBreak - 1) await clock.sleep(breakMs)
    if (clock.steady() > until || stop?.aborted) {
      return { refusal: exceeded('time', '', isFixed), failedAction: action, ...counted }
    }
    const named = { ...given, callId: callId ?? id }
    const effect = await host.call(action, (args ?? {}) as JsonObject, named)
    if (effect instanceof Difference) {
      return { refusal: different(effect.message), failedAction: action, ...counted }
    }
    if (effect.failureClasses.length > 0) {
      return { refusal: refusalOf(effect), failedAction: action, ...counted }
    }
  }
  return counted
}

export const different = (message: string) =>
  refusal('scheme_eval.replay_difference', message, 'Record the program again if it changed.')

/** The condition that a refused call raises. */
function failureOf(effect: HostEffect, payload: Value): Failure {
  const { message, hint } = refusalOf(effect)
  const condition = new Map<string, Value>([
    ['class', effect.resultClass],
    ['classes', listOf(effect.failureClasses)],
    ['action', effect.action],
    ['message', message],
    ['hint', hint],
    ['payload', payload],
  ])
  return new Failure(message, hint, new Hash(condition))
}

/** The words of the operation, or of its diagnostic. */
function refusalOf({ action, failureClasses, payload }: HostEffect): HostRefusal {
  const answer = payload as Readonly<Record<string, unknown>>
  const error = Object(answer['error']) as Readonly<Record<string, unknown>>
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const message = text(error['message']) ?? text(answer['diagnostic'])
  const hint = text(error['hint']) ?? text(answer['remedy'])
  return {
    failureClasses,
    message: message ?? `${action} was answered with ${failureClasses.join(', ')}`,
    hint: hint ?? 'Look at the payload of the effect.',
  }
}

function stopped(
  stop: Extract<Stop, { state: 'failed' | 'exceeded' }>,
  text: string,
  failures: ReadonlyMap<Failure, HostEffect>,
  isFixed: boolean | undefined,
): Pick<Evaluated, 'refusal' | 'failedAction'> {
  const { line, column } = placeOf(text, stop.at)
  const at = `line ${line}, column ${column}`
  if (stop.state === 'exceeded') return { refusal: exceeded(stop.budget, `${at}: `, isFixed) }
  const { failure } = stop
  const effect = failures.get(failure)
  const message = `${at}: ${failure.message}`
  if (effect !== undefined) {
    return { refusal: { ...refusalOf(effect), message }, failedAction: effect.action }
  }
  const isRaised = failure.raised !== undefined && conditionOf(failure) === failure.raised
  const failureClass = isRaised ? 'scheme_eval.uncaught_condition' : runtimeErrorClass
  const hint = failure.hint ?? 'Catch it: (guard (e (#t …)) …).'
  return { refusal: refusal(failureClass, message, hint) }
}

interface BudgetWords {
  readonly what: string
  readonly hint: string
  /** Raises it. */
  readonly flag?: string
}

const endless = 'Check that its loops end'

const budgetWords: Readonly<Record<BudgetName, BudgetWords>> = {
  step: { what: 'takes more steps than it may', hint: endless, flag: '--max-steps' },
  memory: { what: 'makes more data than it may', hint: endless, flag: '--max-memory' },
  call: {
    what: 'makes more host calls than it may',
    hint: 'Make fewer calls',
    flag: '--max-calls',
  },
  depth: {
    what: 'has more nested calls than it may',
    hint: 'Use a loop: a call in tail position nests nothing',
  },
  time: { what: 'takes longer than it may', hint: endless, flag: '--timeout-seconds' },
}

function exceeded(name: BudgetName, at: string, isFixed = false): HostRefusal {
  const { what, hint, flag } = budgetWords[name]
  const raised = flag === undefined || isFixed ? '' : `, or raise ${flag}`
  return refusal(
    `scheme_eval.${name}_budget_exceeded`,
    `${at}the program ${what}`,
    `${hint}${raised}.`,
  )
}

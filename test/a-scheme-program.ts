/** Runs programs that call no host, or a host that is a function. */
import { Globals } from '../src/kernel/scheme/globals.ts'
import { isProgramError, schemeLanguage, schemeProgram } from '../src/kernel/scheme/language.ts'
import { Machine } from '../src/kernel/scheme/machine.ts'
import { type Budget, Meter } from '../src/kernel/scheme/meter.ts'
import { printed } from '../src/kernel/scheme/print.ts'
import { placeOf } from '../src/kernel/scheme/program-error.ts'
import { Failure, type Value } from '../src/kernel/scheme/value.ts'

const language = schemeLanguage()

const roomy: Budget = { steps: 20_000_000, bytes: 2 ** 28, calls: 32, depth: 100_000 }

export const meterWith = (budget: Partial<Budget> = {}) => new Meter({ ...roomy, ...budget })

type Host = (action: string, args: readonly Value[]) => Value | Failure

interface Ran {
  /** The printed value, or `line:column message`. */
  readonly text: string
  readonly steps: number
  readonly bytes: number
  readonly value?: Value
  readonly hint?: string | undefined
}

export function ran(program: string, budget: Partial<Budget> = {}, host?: Host): Ran {
  const compiled = schemeProgram(program, new Globals(language))
  if (isProgramError(compiled)) {
    const { line, column, message, hint } = compiled
    return { text: `${line}:${column} ${message}`, hint, steps: 0, bytes: 0 }
  }
  const meter = meterWith(budget)
  const machine = new Machine(compiled.code, meter)
  const used = () => ({ steps: meter.steps, bytes: meter.bytes })
  for (;;) {
    const stop = machine.run()
    switch (stop.state) {
      case 'paused':
        continue
      case 'call':
        machine.resume(host?.(stop.action, stop.args) ?? new Failure('there is no host'))
        continue
      case 'done':
        return { text: printed(stop.value, 100_000) ?? 'large', value: stop.value, ...used() }
      default: {
        const { line, column } = placeOf(program, stop.at)
        const what = stop.state === 'failed' ? stop.failure.message : `${stop.budget} budget`
        const hint = stop.state === 'failed' ? stop.failure.hint : undefined
        return { text: `${line}:${column} ${what}`, hint, ...used() }
      }
    }
  }
}

/** The printed value of a program. */
export const valueIn = (program: string): string => ran(program).text

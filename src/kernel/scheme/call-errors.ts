/** Errors of calls and variables. */
import type { Code } from './code.ts'
import { procedureName, shown } from './print.ts'
import {
  Builtin,
  Closure,
  Control,
  Failure,
  type Procedure,
  Sym,
  typeOf,
  type Value,
} from './value.ts'

/** `'issue.ready` or `"issue.ready"`. */
export function actionOf(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value
  return value instanceof Sym ? value.name : undefined
}

export const noAction = () =>
  new Failure(
    'host needs the name of an action as its first argument',
    "Write (host 'issue.ready :limit 3).",
  )

export const deadEscape = () =>
  new Failure(
    'the procedure of call/ec has returned already',
    'Call the way out only inside of call/ec.',
  )

export const undefinedVariable = (name: string) =>
  new Failure(`the variable ${name} is not defined`, `Define it before: (define ${name} …).`)

export const unsetVariable = (code: Code, pc: number) =>
  new Failure(
    `the variable ${code.names.get(pc) ?? 'here'} is used before it has a value`,
    'Move the definition up.',
  )

export const notList = (value: Value) =>
  new Failure(`apply needs a list at the end and got ${typeOf(value)}`, 'Pass a list.')

export const notProcedure = (value: Value) =>
  new Failure(
    `${shown(value)} is no procedure: ${typeOf(value)} cannot be called`,
    'Check the parentheses: the first item of a form is called.',
  )

export function wrongCount(procedure: Procedure, count: number): Failure {
  return new Failure(
    `${procedureName(procedure)} takes ${arityText(procedure)} and got ${count}`,
    'Pass as many arguments as it takes.',
  )
}

function arityText(procedure: Procedure): string {
  const plural = (count: number) => `${count} ${count === 1 ? 'argument' : 'arguments'}`
  if (procedure instanceof Closure) {
    const { parameters, hasRest } = procedure.code
    return hasRest ? `at least ${plural(parameters)}` : plural(parameters)
  }
  if (procedure instanceof Builtin) {
    const { least, most } = procedure
    if (least === most) return plural(least)
    return most === Number.POSITIVE_INFINITY
      ? `at least ${plural(least)}`
      : `${least} to ${plural(most)}`
  }
  if (!(procedure instanceof Control)) return plural(1)
  if (procedure.name === 'apply' || procedure.name === 'host') return 'at least 1 argument'
  return plural(procedure.name === 'with-handler' ? 2 : 1)
}

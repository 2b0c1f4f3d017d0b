/** Failures as values that a program catches with `guard`. */
import { Failure, Hash, type Value } from './value.ts'

/** The class of errors in the program itself, such as `(car 5)`. */
export const runtimeErrorClass = 'scheme_eval.runtime_error'

/** What `guard` binds: the raised value, or a hash map with `class`, `message` and `hint`. */
export function conditionOf(failure: Failure): Value {
  const { message, hint, raised } = failure
  if (raised !== undefined) return raised
  const entries = new Map<string, Value>([
    ['class', runtimeErrorClass],
    ['message', message],
  ])
  if (hint !== undefined) entries.set('hint', hint)
  return new Hash(entries)
}

/** A condition of the program's own `(error "message" value …)`. */
export function raisedError(message: string, values: Value): Failure {
  const entries = new Map<string, Value>([
    ['class', 'error'],
    ['message', message],
    ['values', values],
  ])
  return new Failure(message, undefined, new Hash(entries))
}

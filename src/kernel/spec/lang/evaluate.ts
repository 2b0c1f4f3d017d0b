/** Evaluates a compiled expression within its budget. Errors are returned, not thrown. */
import type { Budget } from './budget.ts'
import type { Offered } from './builtin.ts'
import type { Compiled } from './compile.ts'
import { type Item, isCallable, isScalarItem } from './item.ts'
import { Machine } from './machine.ts'
import { Meter, type StartTimer } from './meter.ts'
import type { Regex } from './regex.ts'
import { budgetExceeded, Failure, type SpecError, schemaFailure } from './spec-error.ts'
import type { SpecValue } from './value.ts'

export interface Evaluation {
  readonly subject: SpecValue
  readonly offered?: Offered | undefined
  readonly budget: Budget
  readonly startTimer: StartTimer
  readonly regex: Regex
}

export function evaluate(
  compiled: Compiled,
  { subject, offered, budget, startTimer, regex }: Evaluation,
): { readonly value: SpecValue } | SpecError {
  const large = sizeExceeded(compiled, budget)
  if (large !== undefined) return large
  const meter = new Meter(budget, startTimer)
  const machine = new Machine(compiled.code, compiled.path, { subject, offered, meter, regex })
  const computed = machine.run()
  if (computed instanceof Failure) return computed.at(machine.path)
  const value = computed === subject ? subject : resultOf(computed, budget.maxSize, meter)
  if (!(value instanceof Failure)) return { value }
  return value.at(compiled.path)
}

export function isSpecError(
  outcome: { readonly value: SpecValue } | SpecError,
): outcome is SpecError {
  return 'category' in outcome
}

/** Checks the size of an expression before it runs. */
export function sizeExceeded(compiled: Compiled, budget: Budget): SpecError | undefined {
  const { nodes, literalBytes, path } = compiled
  if (nodes > budget.maxNodes) return budgetExceeded('nodes').at(path)
  if (literalBytes > budget.maxLiteralBytes) return budgetExceeded('literal_size').at(path)
  return undefined
}

/** A container whose items are being counted. */
interface Open {
  readonly container: object
  readonly items: Iterator<Item>
  size: number
}

/**
 * Counts each container as often as it occurs but visits it once: shared lists can expand
 * exponentially.
 */
function resultOf(item: Item, sizeMax: number, meter: Meter): SpecValue | Failure {
  if (isScalarItem(item)) return item
  const sizes = new Map<object, number>()
  const pending: Open[] = []
  let failure = enter(item, sizes, pending)
  for (let open = pending.at(-1); open !== undefined && !failure; open = pending.at(-1)) {
    const { done, value } = open.items.next()
    failure = done ? leave(open, sizes, pending) : enter(value, sizes, pending)
    if (open.size > sizeMax) failure ??= budgetExceeded('size')
    if (!meter.hasTime()) failure ??= meter.over
  }
  return failure ?? (item as SpecValue)
}

const isFunction = schemaFailure(
  'spec_lang result must be a JSON value, got a function; call it with all its arguments',
)

/** Counts scalars and opens containers. */
function enter(
  item: Item,
  sizes: ReadonlyMap<object, number>,
  pending: Open[],
): Failure | undefined {
  const outer = pending.at(-1)
  if (isScalarItem(item)) {
    if (outer !== undefined) outer.size++
    return undefined
  }
  if (isCallable(item)) return isFunction
  const known = sizes.get(item)
  if (known === undefined) pending.push({ container: item, items: item.values(), size: 1 })
  else if (outer !== undefined) outer.size += known
  return undefined
}

function leave(open: Open, sizes: Map<object, number>, pending: Open[]): undefined {
  pending.pop()
  sizes.set(open.container, open.size)
  const outer = pending.at(-1)
  if (outer !== undefined) outer.size += open.size
}

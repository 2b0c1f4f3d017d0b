/** Lists and vectors. */
import { isEqual, isSame } from '../equality.ts'
import type { Meter } from '../meter.ts'
import { type Builtin, Failure, itemsOf, listOf, nil, Pair, type Value, Vector } from '../value.ts'
import { binary, isIndex, predicate, spent, unary, variadic, wrongType } from './declare.ts'

export const cons = binary('cons', (a, b, meter) => (meter.allotCells(1) ? new Pair(a, b) : spent))

/** The items of a list, paid for; `undefined` if it is none. */
function paidItems(list: Value, meter: Meter): Value[] | undefined {
  const items = itemsOf(list)
  meter.visit(items?.length ?? 1)
  return items
}

function madeList(items: readonly Value[], meter: Meter, tail: Value = nil): Value {
  return meter.allotCells(items.length) ? listOf(items, tail) : spent
}

export const append = variadic('append', 0, (args, meter) => {
  let result: Value = args.length === 0 ? nil : (args.at(-1) as Value)
  for (const list of args.slice(0, -1).toReversed()) {
    const items = paidItems(list, meter)
    if (items === undefined) return wrongType('append', 'lists', list)
    result = madeList(items, meter, result)
  }
  return result
})

export const listToVector = unary('list->vector', (list, meter) => {
  const items = paidItems(list, meter)
  if (items === undefined) return wrongType('list->vector', 'a list', list)
  return meter.allotCells(items.length) ? new Vector(items) : spent
})

type Same = (a: Value, b: Value, meter: Meter) => boolean

function member(name: string, same: Same): Builtin {
  return binary(name, (item, list, meter) => {
    let rest = list
    for (; rest instanceof Pair; rest = rest.cdr) {
      if (!meter.visit(1)) return spent
      if (same(item, rest.car, meter)) return rest
    }
    return rest === nil ? false : wrongType(name, 'a list', list)
  })
}

function association(name: string, same: Same): Builtin {
  return binary(name, (key, list, meter) => {
    let rest = list
    for (; rest instanceof Pair; rest = rest.cdr) {
      if (!meter.visit(1)) return spent
      if (!(rest.car instanceof Pair)) return wrongType(name, 'a list of pairs', rest.car)
      if (same(key, rest.car.car, meter)) return rest.car
    }
    return rest === nil ? false : wrongType(name, 'a list of pairs', list)
  })
}

export const isMember = member('memv', isSame)

/** `cadr` and its like: the letters from right to left. */
function path(letters: string): Builtin {
  const name = `c${letters}r`
  const steps = [...letters].reverse()
  return unary(name, value => {
    let at = value
    for (const step of steps) {
      if (!(at instanceof Pair)) return wrongType(name, 'a pair', value)
      at = step === 'a' ? at.car : at.cdr
    }
    return at
  })
}

const paths = ['aa', 'ad', 'da', 'dd', 'aaa', 'aad', 'ada', 'add', 'daa', 'dad', 'dda', 'ddd']

function tail(name: string, list: Value, count: Value, meter: Meter): Value | Failure {
  if (!isIndex(count)) return wrongType(name, 'an index', count)
  let rest = list
  for (let left = count; left > 0; left--) {
    if (!(rest instanceof Pair)) return tooShort(name, list, count)
    if (!meter.visit(1)) return spent
    rest = rest.cdr
  }
  return rest
}

const tooShort = (name: string, list: Value, index: number) =>
  list instanceof Pair || list === nil
    ? new Failure(`${name}: the list has no item ${index}`, 'Compare the index with its length.')
    : wrongType(name, 'a list', list)

function isList(value: Value, meter: Meter): boolean {
  let rest = value
  while (rest instanceof Pair && meter.visit(1)) rest = rest.cdr
  return rest === nil
}

export const listBuiltins: readonly Builtin[] = [
  cons,
  append,
  isMember,
  listToVector,
  unary('car', value => (value instanceof Pair ? value.car : wrongType('car', 'a pair', value))),
  unary('cdr', value => (value instanceof Pair ? value.cdr : wrongType('cdr', 'a pair', value))),
  ...paths.map(path),
  predicate('pair?', value => value instanceof Pair),
  predicate('null?', value => value === nil),
  unary('list?', isList),
  variadic('list', 0, madeList),
  variadic('cons*', 1, (args, meter) => madeList(args.slice(0, -1), meter, args.at(-1) as Value)),
  unary('length', (list, meter) => {
    let length = 0
    let rest = list
    for (; rest instanceof Pair; rest = rest.cdr) length++
    meter.visit(length)
    return rest === nil ? length : wrongType('length', 'a list', list)
  }),
  unary('reverse', (list, meter) => {
    const items = paidItems(list, meter)
    return items === undefined
      ? wrongType('reverse', 'a list', list)
      : madeList(items.reverse(), meter)
  }),
  binary('list-tail', (list, count, meter) => tail('list-tail', list, count, meter)),
  binary('list-ref', (list, index, meter) => {
    const rest = tail('list-ref', list, index, meter)
    if (rest instanceof Failure || rest === spent) return rest
    return rest instanceof Pair ? rest.car : tooShort('list-ref', list, index as number)
  }),
  binary('list-head', (list, count, meter) => {
    const rest = tail('list-head', list, count, meter)
    if (rest instanceof Failure || rest === spent) return rest
    const items: Value[] = []
    for (let at = list; at !== rest && at instanceof Pair; at = at.cdr) items.push(at.car)
    return madeList(items, meter)
  }),
  variadic(
    'iota',
    1,
    ([count = 0, first = 0], meter) => {
      if (!isIndex(count)) return wrongType('iota', 'a count', count)
      if (typeof first !== 'number') return wrongType('iota', 'an integer', first)
      if (!meter.visit(count) || !meter.allotCells(count)) return spent
      return listOf(Array.from({ length: count }, (_, at) => first + at))
    },
    2,
  ),
  member('memq', isSame),
  member('member', isEqual),
  association('assq', isSame),
  association('assv', isSame),
  association('assoc', isEqual),
  predicate('vector?', value => value instanceof Vector),
  variadic('vector', 0, (items, meter) =>
    meter.allotCells(items.length) ? new Vector(items) : spent,
  ),
  unary('vector-length', value =>
    value instanceof Vector ? value.items.length : wrongType('vector-length', 'a vector', value),
  ),
  binary('vector-ref', (vector, index) => {
    if (!(vector instanceof Vector)) return wrongType('vector-ref', 'a vector', vector)
    if (!isIndex(index)) return wrongType('vector-ref', 'an index', index)
    const item = vector.items[index]
    if (item !== undefined) return item
    const hint = 'Compare the index with vector-length.'
    return new Failure(`vector-ref: the vector has no item ${index}`, hint)
  }),
  unary('vector->list', (value, meter) =>
    value instanceof Vector
      ? madeList(value.items, meter)
      : wrongType('vector->list', 'a vector', value),
  ),
]

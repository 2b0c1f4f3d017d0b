/** `std.schema`: checks a value against a shape. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { areSame } from '../equality.ts'
import { type Integer, isInteger } from '../integer.ts'
import { type Item, isDict, isItems } from '../item.ts'
import { Failure, schemaFailure } from '../spec-error.ts'
import { countPoints } from '../text.ts'
import { matches } from './string.ts'
import { jsonTypeNamed, jsonTypeOf } from './type.ts'

export const schema = {
  match: builtin(
    ['any', 'any'],
    '(value, shape) True if the value matches the shape.',
    (value, shape, run) => {
      const errors = shapeErrors(value, shape, run)
      return errors instanceof Failure ? errors : errors.length === 0
    },
    { short: 'schema_match' },
  ),
  errors: builtin(
    ['any', 'any'],
    '(value, shape) A list of the mismatches, each with its path from `$`.',
    (value, shape, run) => shapeErrors(value, shape, run),
    { short: 'schema_errors' },
  ),
} satisfies Namespace

/** Nesting limit, because the check recurses. */
const depthMax = 1000

/** The violations of the value. An invalid shape is the author's error. */
function shapeErrors(value: Item, shape: Item, run: Run): readonly string[] | Failure {
  const check = new ShapeCheck(run)
  check.hold(value, shape, '$', 0)
  return check.failure ?? check.errors
}

type Dict = ReadonlyMap<string, Item>

interface Held {
  readonly value: Item
  readonly operand: Item
  readonly shape: Dict
  readonly path: string
  readonly depth: number
}

class ShapeCheck {
  readonly errors: string[] = []
  failure: Failure | undefined
  readonly run: Run

  constructor(run: Run) {
    this.run = run
  }

  hold(value: Item, shape: Item, path: string, depth: number): void {
    if (depth > depthMax) this.run.meter.exceed('depth')
    if (!this.run.meter.spend(1) || this.failure !== undefined) return
    const misuse = this.#apply(value, shape, path, depth)
    if (misuse !== undefined) this.failure ??= schemaFailure(`spec_lang schema shape ${misuse}`)
  }

  /** Returns the error in the shape with its place, if there is one. */
  #apply(value: Item, shape: Item, path: string, depth: number): string | undefined {
    if (!isDict(shape)) return `${path}: schema node must be mapping`
    for (const key of shape.keys()) {
      if (!Object.hasOwn(rules, key)) return `${path}: unknown schema key '${key}'`
    }
    for (const [key, rule] of Object.entries(rules)) {
      const operand = shape.get(key)
      if (operand === undefined) continue
      const misuse = rule(this, { value, operand, shape, path, depth })
      if (misuse !== undefined) return `${path}.${key}: ${misuse}`
    }
    return undefined
  }

  complain(path: string, message: string): void {
    if (this.run.meter.allotText(path.length + message.length)) {
      this.errors.push(`${path}: ${message}`)
    }
  }

  /** Whether the value matches, without reporting. */
  has(value: Item, shape: Item, held: Held): boolean {
    const inner = new ShapeCheck(this.run)
    inner.hold(value, shape, held.path, held.depth + 1)
    this.failure ??= inner.failure
    return inner.errors.length === 0
  }
}

/** Reports violations of a value, or returns the error in the operand. */
type Rule = (check: ShapeCheck, held: Held) => string | undefined

const needsList = 'must be non-empty list'
const needsText = 'must be non-empty string'

const isFilledList = (operand: Item): operand is readonly Item[] =>
  isItems(operand) && operand.length > 0
const isFilledText = (operand: Item): operand is string =>
  typeof operand === 'string' && operand !== ''

/** A bound on a length. `measure` returns `undefined` for values without one. */
const bound =
  (
    name: string,
    kind: string,
    measure: (value: Item) => number | undefined,
    holds: (length: number, bound: Integer) => boolean,
  ): Rule =>
  (check, { value, operand, path }) => {
    if (!isInteger(operand) || operand < 0) return 'must be non-negative int'
    const length = measure(value)
    if (length === undefined) check.complain(path, `${name} requires ${kind} value`)
    else if (!holds(length, operand)) check.complain(path, `${name} violation`)
    return undefined
  }

const itemCount = (value: Item) => (isItems(value) ? value.length : undefined)
const pointCount = (value: Item) => (typeof value === 'string' ? countPoints(value) : undefined)
const atLeast = (length: number, least: Integer) => length >= least
const atMost = (length: number, most: Integer) => length <= most

const typeNames = ['null', 'bool', 'number', 'string', 'list', 'dict', 'integer']

/** In the order of reporting. */
const rules: Readonly<Record<string, Rule>> = {
  type: (check, { value, operand, path }) => {
    if (!isFilledText(operand)) return needsText
    const name = jsonTypeNamed(operand)
    if (!typeNames.includes(name)) return `must be one of ${typeNames.join(', ')}`
    const holds = name === 'integer' ? isInteger(value) : jsonTypeOf(value) === name
    if (!holds) check.complain(path, `type mismatch expected ${operand}`)
    return undefined
  },
  const: (check, { value, operand, path }) => {
    if (!areSame(value, operand, check.run.meter)) check.complain(path, 'const mismatch')
    return undefined
  },
  enum: (check, { value, operand, path }) => {
    if (!isFilledList(operand)) return needsList
    if (!check.run.meter.visitItems(operand.length)) return undefined
    const { meter } = check.run
    const found = operand.some(item => !meter.hasTime() || areSame(value, item, meter))
    if (!found) check.complain(path, 'enum mismatch')
    return undefined
  },
  pattern: (check, { value, operand, path }) => {
    if (!isFilledText(operand)) return needsText
    if (typeof value !== 'string') {
      check.complain(path, 'pattern requires string value')
      return undefined
    }
    const found = matches(value, operand, check.run)
    if (found instanceof Failure) check.failure ??= found
    else if (!found) check.complain(path, 'pattern mismatch')
    return undefined
  },
  min_length: bound('min_length', 'string', pointCount, atLeast),
  max_length: bound('max_length', 'string', pointCount, atMost),
  required: (check, { value, operand, path }) => {
    const needsKeys = 'must be list of non-empty strings'
    if (!isItems(operand) || !check.run.meter.visitItems(operand.length)) return needsKeys
    if (!isDict(value)) check.complain(path, 'required requires object value')
    for (const key of operand) {
      if (!check.run.meter.hasTime()) return undefined
      if (!isFilledText(key)) return needsKeys
      if (isDict(value) && !value.has(key)) check.complain(`${path}.${key}`, 'missing required key')
    }
    return undefined
  },
  properties: (check, { value, operand, shape, path, depth }) => {
    if (!isDict(operand)) return 'must be mapping'
    if (!isDict(value)) {
      check.complain(path, 'properties requires object value')
      return undefined
    }
    if (!check.run.meter.visitItems(operand.size)) return undefined
    for (const [key, shapeOfMember] of operand) {
      const member = value.get(key)
      if (member !== undefined) check.hold(member, shapeOfMember, `${path}.${key}`, depth + 1)
    }
    if (shape.get('allow_extra') !== false || !check.run.meter.visitItems(value.size)) {
      return undefined
    }
    for (const key of value.keys()) {
      if (!check.run.meter.hasTime()) return undefined
      if (!operand.has(key)) check.complain(`${path}.${key}`, 'extra key not allowed')
    }
    return undefined
  },
  allow_extra: (_, { operand }) => (typeof operand === 'boolean' ? undefined : 'must be boolean'),
  items: (check, { value, operand, path, depth }) => {
    if (!isItems(value)) check.complain(path, 'items requires array value')
    else {
      for (const [at, item] of value.entries()) {
        check.hold(item, operand, `${path}[${at}]`, depth + 1)
        if (check.run.meter.over !== undefined || check.failure !== undefined) break
      }
    }
    return undefined
  },
  min_items: bound('min_items', 'array', itemCount, atLeast),
  max_items: bound('max_items', 'array', itemCount, atMost),
  all_of: (check, { value, operand, path, depth }) => {
    if (!isFilledList(operand)) return needsList
    for (const [at, shape] of operand.entries()) {
      check.hold(value, shape, `${path}.all_of[${at}]`, depth + 1)
    }
    return undefined
  },
  any_of: (check, held) => {
    if (!isFilledList(held.operand)) return needsList
    const found = held.operand.some(shape => check.has(held.value, shape, held))
    if (!found) check.complain(held.path, 'any_of mismatch')
    return undefined
  },
  not: (check, held) => {
    if (check.has(held.value, held.operand, held)) check.complain(held.path, 'not mismatch')
    return undefined
  },
}

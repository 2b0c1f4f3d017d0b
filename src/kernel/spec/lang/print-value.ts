/** Prints values as compact JSON, iteratively and within the budget. */
import { byCodePoint } from '../../canonical.ts'
import { type Item, isCallable, isDict, isItems, isScalarItem, type ScalarItem } from './item.ts'
import type { Meter } from './meter.ts'
import { type Failure, schemaFailure } from './spec-error.ts'
import { isList, isMapping, type SpecValue } from './value.ts'

const isFunction = schemaFailure('spec_lang expects JSON values, got a function')

/** Converts a value to text: text stays, other values become JSON. */
export function printText(item: Item, meter: Meter): string | Failure {
  return typeof item === 'string' ? item : printItem(item, meter, 'as given')
}

type KeyOrder = 'sorted' | 'as given'

export function printItem(item: Item, meter: Meter, keys: KeyOrder): string | Failure {
  return isScalarItem(item) ? printScalar(item, meter) : new Printer(meter, keys).print(item)
}

function printScalar(item: ScalarItem, meter: Meter): string {
  if (typeof item === 'string') return quoted(item, meter)
  const text = String(item)
  return meter.allotText(text.length) ? text : ''
}

/** Reserves before quoting: escapes lengthen a text by a factor of six at most. */
function quoted(text: string, meter: Meter): string {
  const least = text.length + '""'.length
  if (!meter.allotText(least)) return ''
  const printed = JSON.stringify(text)
  return printed.length === least || meter.allotText(printed.length - least) ? printed : ''
}

/** A list or mapping that is not closed yet. */
interface Open {
  readonly container: readonly Item[] | ReadonlyMap<string, Item>
  /** The keys of a mapping. */
  readonly names: readonly string[]
  at: number
}

class Printer {
  readonly #meter: Meter
  readonly #keys: KeyOrder
  readonly #text: LongText
  readonly #open: Open[] = []

  constructor(meter: Meter, keys: KeyOrder) {
    this.#meter = meter
    this.#keys = keys
    this.#text = new LongText('', meter)
  }

  print(item: Item): string | Failure {
    let failure = this.#begin(item)
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (failure !== undefined) return failure
      if (this.#meter.over !== undefined) return ''
      failure = this.#goOn(open)
    }
    return failure ?? this.#text.whole()
  }

  /** Prints scalars and opens containers. */
  #begin(item: Item): Failure | undefined {
    if (isScalarItem(item)) {
      this.#text.add(printScalar(item, this.#meter))
      return undefined
    }
    if (isCallable(item)) return isFunction
    if (!this.#meter.visitItems(2 * countOf(item))) return undefined
    this.#open.push({ container: item, names: isDict(item) ? this.#names(item) : [], at: 0 })
    return undefined
  }

  #names(dict: ReadonlyMap<string, Item>): readonly string[] {
    const names = [...dict.keys()]
    if (this.#keys === 'as given') return names
    // A sort cannot be interrupted, but treating all as equal ends it quickly.
    return names.sort((a, b) => (this.#meter.hasTime() ? byCodePoint(a, b) : 0))
  }

  #goOn(open: Open): Failure | undefined {
    const { container, names } = open
    const isList = isItems(container)
    const at = open.at++
    if (at === 0) this.#write(isList ? '[' : '{')
    if (at === countOf(container)) {
      this.#open.pop()
      this.#write(isList ? ']' : '}')
      return undefined
    }
    if (at > 0) this.#write(',')
    if (isList) return this.#begin(container[at] as Item)
    const name = names[at] as string
    this.#text.add(quoted(name, this.#meter))
    this.#write(':')
    return this.#begin(container.get(name) ?? null)
  }

  #write(text: string): void {
    if (this.#meter.allotText(text.length)) this.#text.add(text)
  }
}

const countOf = (container: Open['container']) =>
  isItems(container) ? container.length : container.size

/** Recursive: values from YAML have bounded depth. */
export function printExpression(value: SpecValue): string {
  if (isList(value)) return `[${value.map(printExpression).join(', ')}]`
  if (!isMapping(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const entries = [...value].map(([key, one]) => `${printKey(key)}: ${printExpression(one)}`)
  return `{${entries.join(', ')}}`
}

const printKey = (key: string) => (/^[A-Za-z_][\w.]*$/.test(key) ? key : JSON.stringify(key))

/** Parts joined at once. */
const batchMax = 4096

/** Joins many text parts in batches and checks the clock. */
class LongText {
  readonly #separator: string
  readonly #meter: Meter
  readonly #joined: string[] = []
  #batch: string[] = []

  constructor(separator: string, meter: Meter) {
    this.#separator = separator
    this.#meter = meter
  }

  add(part: string): void {
    this.#batch.push(part)
    if (this.#batch.length < batchMax) return
    this.#joined.push(this.#meter.isInTime() ? this.#batch.join(this.#separator) : '')
    this.#batch = []
  }

  /** The whole text; meaningless if time ran out. */
  whole(): string {
    // Fast path: most texts are one batch.
    if (this.#joined.length === 0) return this.#batch.join(this.#separator)
    const rest = this.#batch.length === 0 ? [] : [this.#batch.join(this.#separator)]
    return this.#joined.concat(rest).join(this.#separator)
  }
}

export function joinTexts(parts: Iterable<string>, separator: string, meter: Meter): string {
  const text = new LongText(separator, meter)
  for (const part of parts) {
    if (meter.over !== undefined) return ''
    text.add(part)
  }
  return text.whole()
}

/**
 * The part of the index that lists need: the issues by id in natural order, and the members that filters
 * look at. Most commands show no list, so they neither check nor decode it.
 */
import type { IssueTraits } from '../../kernel/issues/issue-list.ts'
import { openCached, padded, printCached } from '../cache-file.ts'

interface ListHead {
  readonly issues: number
  /** The different traits. Issues share them, so there are few. */
  readonly traits: readonly PrintedTraits[]
}

type PrintedTraits = readonly [string, string, number, readonly string[], boolean]

interface ListColumns {
  /** The numbers of the issues, by id in natural order. */
  readonly inOrder: Uint32Array
  /** The place of the traits of each issue, by its number. */
  readonly traits: Uint32Array
}

function columnsIn(body: Uint8Array, issues: number): ListColumns {
  const column = (at: number) => new Uint32Array(body.buffer, body.byteOffset + at, issues)
  return { inOrder: column(0), traits: column(padded(4 * issues)) }
}

/** Collects the different traits, and gives each a place. */
export class TraitPlaces {
  readonly #places = new Map<string, number>()
  readonly #traits: PrintedTraits[] = []

  placeOf({ status, assignee, priority, labels, gaveWay }: IssueTraits): number {
    const marks = labels.length === 0 ? '' : JSON.stringify(labels)
    const key = `${priority} ${gaveWay} ${status}\n${assignee}\n${marks}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.#traits.length)
    return this.#traits.push([status, assignee, priority, labels, gaveWay]) - 1
  }

  /** Takes the numbers of the issues by id in natural order, and the place of the traits of each number. */
  print(inOrder: readonly number[], placeOfNumber: readonly number[]): Uint8Array {
    const issues = inOrder.length
    const body = new Uint8Array(2 * padded(4 * issues))
    const columns = columnsIn(body, issues)
    columns.inOrder.set(inOrder)
    columns.traits.set(placeOfNumber)
    return printCached({ issues, traits: this.#traits } satisfies ListHead, body)
  }
}

export interface ListedNumbers {
  readonly count: number
  /** By id in natural order. */
  numbers(): Iterable<number>
}

/** The issues that match, without those in `except`. `undefined` where the bytes are damaged. */
export function listedNumbers(
  bytes: Uint8Array,
  isWanted: (traits: IssueTraits) => boolean,
  except: ReadonlySet<number>,
): ListedNumbers | undefined {
  const document = openCached(bytes)
  if (!document) return undefined
  const head = document.head as ListHead
  const wanted = Uint8Array.from(head.traits, ([status, assignee, priority, labels, gaveWay]) =>
    isWanted({ status, assignee, priority, labels, gaveWay }) ? 1 : 0,
  )
  const { inOrder, traits } = columnsIn(document.body, head.issues)
  const matches = (number: number) => wanted[traits[number] ?? 0] ?? 0
  let count = 0
  for (let number = 0; number < traits.length; number++) count += matches(number)
  for (const number of except) count -= matches(number)
  return {
    count,
    *numbers() {
      for (const number of inOrder) if (matches(number) && !except.has(number)) yield number
    },
  }
}

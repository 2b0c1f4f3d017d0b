/** The order in which a case is written: what it is, when it counts, what it does, what must hold. */
import { caseTypes } from '../case/case-types.ts'

const first = ['id', 'title', 'type', 'purpose', 'tags', 'concurrency']
const conditions = ['requires', 'expect', 'assert_health', 'path']
const own = [...caseTypes.values()].flatMap(({ keys }) => Object.keys(keys))

const order: readonly string[] = [
  ...new Set([...first, ...conditions, 'harness', ...own, 'assert']),
]

/** For sorting. Keys that nobody knows stand where those of a type do, in the order they have. */
export function keyRank(key: string): number {
  const at = order.indexOf(key)
  return at === -1 ? order.length - 1.5 : at
}

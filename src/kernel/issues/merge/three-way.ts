/** Three-way merge of values. */
import { byCodePoint, canonicalJson } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'

/** A value on both sides and in the base. In a conflict the newer side wins. */
export interface Sides<T> {
  readonly base: T
  readonly newer: T
  readonly older: T
}

/** Records a value that lost, with the time of its row if that is not the older one. */
export type Drop = (field: string, value: Json | undefined, time?: string) => void

/** The changed value; if both changed, the newer one, and the other is recorded. */
export function mergeValue<T extends Json | undefined>(
  field: string,
  { base, newer, older }: Sides<T>,
  drop: Drop,
): T {
  if (isSame(newer, older) || isSame(older, base)) return newer
  if (isSame(newer, base)) return older
  drop(field, older)
  return newer
}

export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))

/**
 * The union without what one side removed: existing items in order, then new ones sorted. A side
 * without changes leaves the other as it is.
 */
export function mergeSet<T extends Json>(sides: Sides<readonly T[]>): readonly T[] {
  const { base, newer, older } = sides
  if (isSame(newer, older) || isSame(older, base)) return newer
  if (isSame(newer, base)) return older
  const [was, left, right] = [byText(base), byText(newer), byText(older)]
  const kept = [...was].filter(([text]) => left.has(text) && right.has(text))
  const come = [...new Map([...left, ...right])]
    .filter(([text]) => !was.has(text))
    .sort(([a], [b]) => byCodePoint(a, b))
  return [...kept, ...come].map(([, item]) => item)
}

const byText = <T extends Json>(items: readonly T[]) =>
  new Map(items.map(item => [canonicalJson(item), item]))

/** Member by member; `mergeMember` decides each, and `undefined` leaves it out. */
export function mergeMembers(
  { base, newer, older }: Sides<JsonObject | undefined>,
  mergeMember: (name: string, sides: Sides<Json | undefined>) => Json | undefined,
): JsonObject | undefined {
  if (newer === undefined && older === undefined) return undefined
  // The order of the newer row, then of the older.
  const names = [...new Set([...Object.keys(newer ?? {}), ...Object.keys(older ?? {})])]
  const members = names.flatMap(name => {
    const value = mergeMember(name, {
      base: base?.[name],
      newer: newer?.[name],
      older: older?.[name],
    })
    return value === undefined ? [] : [[name, value] as const]
  })
  return members.length === 0 && !(newer && older) ? undefined : Object.fromEntries(members)
}

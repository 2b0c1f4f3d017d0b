/** Merges metadata member by member, and records conflicts in it. */
import { byCodePoint, canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../../json.ts'
import { mayChangeKey } from '../allowances.ts'
import { conflictsKey } from '../issue-metadata.ts'
import { type Drop, mergeMembers, mergeSet, mergeValue, type Sides } from './three-way.ts'

export const closeKey = 'premathClose'

export function mergeMetadata(sides: Sides<Json | undefined>, drop: Drop): JsonObject | undefined {
  const { base, newer, older } = sides
  const objects = { base: asObject(base), newer: asObject(newer), older: asObject(older) }
  return mergeMembers(objects, (name, member) => {
    if (name === 'premathFence') return largest(member)
    if (isSet(name)) return mergeSet(lists(member))
    // It follows the status (`row-merge.ts`).
    if (name === closeKey) return mergeValue(name, member, () => undefined)
    return mergeValue(`metadata.${name}`, member, drop)
  })
}

const isSet = (name: string) =>
  name === conflictsKey || name === mayChangeKey || name === 'premathSpecs'

/** A value that is not an object is kept as a member, as a claim does. */
const asObject = (value: Json | undefined): JsonObject | undefined =>
  value === undefined || isJsonObject(value) ? value : { premathValue: value }

const largest = ({ newer, older }: Sides<Json | undefined>) =>
  Math.max(numberOf(newer) ?? 0, numberOf(older) ?? 0)

const lists = ({ base, newer, older }: Sides<Json | undefined>): Sides<readonly Json[]> => ({
  base: asList(base),
  newer: asList(newer),
  older: asList(older),
})

function asList(value: Json | undefined): readonly Json[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** Adds the losing values, unique and sorted. */
export function withConflicts(
  given: Json | undefined,
  conflicts: readonly JsonObject[],
): JsonObject | undefined {
  const metadata = asObject(given)
  if (conflicts.length === 0) return metadata
  const all = [...asList(metadata?.[conflictsKey]), ...conflicts]
  const each = new Map(all.map(conflict => [canonicalJson(conflict), conflict]))
  const sorted = [...each].sort(([a], [b]) => byCodePoint(a, b)).map(([, conflict]) => conflict)
  return { ...metadata, [conflictsKey]: sorted }
}

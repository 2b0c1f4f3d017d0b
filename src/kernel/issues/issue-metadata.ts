import { isJsonObject, type JsonObject } from '../json.ts'
import type { Issue } from './issue.ts'

/** Values that lost in a merge: `{ field, value, updated_at? }`, with the time of their row. */
export const conflictsKey = 'premathMergeConflicts'

/** The id that a renamed issue was created with. */
export const mergedFromKey = 'premathMergedFrom'

/** True until somebody acknowledges the values that gave way in a merge. */
export const hasGaveWay = ({ metadata }: Issue): boolean =>
  isJsonObject(metadata) && metadata[conflictsKey] !== undefined

/** Adds members to the metadata. Metadata that is not an object is kept as one member. */
export function withMetadata({ metadata }: Issue, members: JsonObject): JsonObject {
  const kept =
    metadata === undefined || isJsonObject(metadata) ? metadata : { premathValue: metadata }
  return { ...kept, ...members }
}

/** The record of the last close in the row of an issue. */
export function closeOf({ metadata }: Issue): JsonObject | undefined {
  const close = isJsonObject(metadata) ? metadata['premathClose'] : undefined
  return isJsonObject(close) ? close : undefined
}

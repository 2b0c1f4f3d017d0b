/** The values that gave way in a merge, until somebody acknowledges them. */
import { canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { clip } from '../../text/clean.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Issue } from '../issue.ts'
import { conflictsKey } from '../issue-metadata.ts'

export interface GaveWay {
  readonly field: string
  /** As canonical JSON. A close and a lease are told in words, because their records are long. */
  readonly value: string
}

/** Another tool can write anything into the member, so all of it is shown. */
export function gaveWayIn({
  metadata,
}: {
  readonly metadata: Json | undefined
}): readonly GaveWay[] {
  const written = isJsonObject(metadata) ? metadata[conflictsKey] : undefined
  if (written === undefined) return []
  return (Array.isArray(written) ? written : [written]).map(one =>
    isJsonObject(one) && typeof one['field'] === 'string'
      ? { field: one['field'], value: lostValue(one['field'], one) }
      : { field: conflictsKey, value: canonicalJson(one) },
  )
}

function lostValue(field: string, { value = null, updated_at: at }: JsonObject): string {
  if (field === closeField && isJsonObject(value)) return closeWords(value, at)
  if (field === 'lease' && isJsonObject(value) && typeof value['owner'] === 'string') {
    return `of ${value['owner']}, until ${value['expires_at']}`
  }
  return canonicalJson(value)
}

const closeField = 'metadata.premathClose'

/** A close with proof has no name: whoever has the proof could close. */
function closeWords({ by, actor, reason }: JsonObject, at: Json | undefined): string {
  const who = typeof actor === 'string' ? ` by ${actor}` : ''
  const how = by === 'force' ? `without proof${who}` : 'with proof'
  const why = typeof reason === 'string' ? ` (${reason})` : ''
  return `another close, ${how}${why}${typeof at === 'string' ? `, at ${at}` : ''}`
}

export function withoutGaveWay({ metadata }: Issue): Issue['metadata'] {
  if (!isJsonObject(metadata) || metadata[conflictsKey] === undefined) return metadata
  const { [conflictsKey]: _seen, ...kept } = metadata
  return Object.keys(kept).length > 0 ? kept : undefined
}

export const gaveWayLine = ({ field, value }: GaveWay, charsMax: number): string =>
  field === closeField ? clip(value, charsMax) : `${field}: ${clip(value, charsMax)}`

/** As a part of a sentence. */
export function gaveWayPhrase({ field, value }: GaveWay, charsMax: number): string {
  if (field === closeField) return clip(value, charsMax)
  if (field === 'lease') return value === 'null' ? 'no lease' : 'its lease'
  const word = /^"([\w.@-]+)"$/.exec(value)?.[1]
  return `${field} ${clip(word ?? value, charsMax)}`
}

/** With the proof of a lease, which every change of a leased issue needs. */
export function acknowledgeCommand(id: string, leaseId: string | undefined, fence: number): string {
  const proof = leaseId === undefined ? '' : ` --lease-id ${shellWord(leaseId)} --fence ${fence}`
  return `premath issue update ${id} --acknowledge-merge${proof}`
}

/** The values that gave way in a merge, until somebody acknowledges them. */
import { canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json } from '../../json.ts'
import { clip } from '../../text/clean.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Issue } from '../issue.ts'
import { conflictsKey } from '../issue-metadata.ts'

export interface GaveWay {
  readonly field: string
  /** As canonical JSON. */
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
      ? { field: one['field'], value: canonicalJson(one['value'] ?? null) }
      : { field: conflictsKey, value: canonicalJson(one) },
  )
}

export function withoutGaveWay({ metadata }: Issue): Issue['metadata'] {
  if (!isJsonObject(metadata) || metadata[conflictsKey] === undefined) return metadata
  const { [conflictsKey]: _seen, ...kept } = metadata
  return Object.keys(kept).length > 0 ? kept : undefined
}

export const gaveWayLine = ({ field, value }: GaveWay, charsMax: number): string =>
  `${field}: ${clip(value, charsMax)}`

/** With the proof of a lease, which every change of a leased issue needs. */
export function acknowledgeCommand(id: string, leaseId: string | undefined, fence: number): string {
  const proof = leaseId === undefined ? '' : ` --lease-id ${shellWord(leaseId)} --fence ${fence}`
  return `premath issue update ${id} --acknowledge-merge${proof}`
}

/** Says how a file of rows went back. */
import { counted } from '../../text/counted.ts'
import type { Issue } from '../issue.ts'

/** More ids are no help in a line. */
const idsShownMax = 3

/** The newer rows that the file does not have, by what it has instead: an older one, or none. */
export function wentBackWords(
  newer: readonly Issue[],
  file: { has(id: string): boolean },
  tense: 'has' | 'had',
): string {
  const ids = newer.map(({ id }) => id)
  const [older, missing] = [ids.filter(id => file.has(id)), ids.filter(id => !file.has(id))]
  return [
    ...(missing.length > 0 ? [`${tense === 'has' ? 'lacks' : 'lacked'} ${named(missing)}`] : []),
    ...(older.length > 0
      ? [
          `${tense} ${older.length === 1 ? 'an older version' : 'older versions'} of ${named(older)}`,
        ]
      : []),
  ].join(' and ')
}

const named = (ids: readonly string[]) =>
  ids.length > idsShownMax
    ? counted(ids.length, 'issue')
    : `${counted(ids.length, 'issue')} (${ids.join(', ')})`

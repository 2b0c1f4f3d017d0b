/** The paths of a change, in one form: from the project folder, sorted, each once. */

import { type Member, shown } from '../instruction/instruction-field.ts'
import { type InstructionRefusal, refused } from '../instruction/instruction-refusal.ts'
import type { Json } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'

export function changedPathsOf(
  value: Json | undefined,
  { at, failureClass }: Member,
): readonly string[] | InstructionRefusal {
  if (!Array.isArray(value)) return refused(failureClass, `${at} is not a list`)
  const given = value as readonly Json[]
  if (!given.every(path => typeof path === 'string')) {
    return refused(failureClass, `${at} has an entry that is not text`)
  }
  const paths = normalPaths(given)
  const outside = paths.find(leavesRoot)
  if (outside === undefined) return paths
  return refused(failureClass, `${at} has ${shown(outside)}, which is not a path in the project`)
}

export const normalPaths = (paths: readonly string[]): readonly string[] =>
  cleanRefs(
    paths.map(path =>
      trim(path)
        .replaceAll('\\', '/')
        .replace(/^(?:\.\/)+/, ''),
    ),
  )

/** Rules speak of paths from the project folder. Another one would fit none of them, or a wrong one. */
export const leavesRoot = (path: string): boolean =>
  path.startsWith('/') ||
  /^[A-Za-z]:\//.test(path) ||
  path.includes('\0') ||
  path.split('/').includes('..')

/** A path that another form would turn into the name of another file. */
export const isAmbiguous = (path: string): boolean => trim(path) !== path || path.includes('\\')

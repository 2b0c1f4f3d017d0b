/**
 * Files that the work of a failed step left in a worktree. They are not those of a person, so the next
 * work that stands on them is judged as if it had made them.
 */
import { LeftWork } from '../../wire/landing/left-work.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { jsonIn } from '../json.ts'

/** A path that differs from a commit. */
export interface FileState {
  readonly path: string
  /** Mode and blob in the commit, and now. */
  readonly before: string
  readonly now: string
}

export const stateName = ({ path, now }: FileState): string => `${now} ${path}`

/**
 * The files that work left and nobody has changed since. A person who commits them takes them over.
 */
export function leftFiles(
  { kept, left, headAfter }: LeftWork,
  states: readonly FileState[],
  { head, isCommitted }: { readonly head: string | null; isCommitted(path: string): boolean },
): readonly FileState[] {
  const known = new Set(kept)
  const made = left === null ? undefined : new Set(left)
  return states.filter(state => {
    const name = stateName(state)
    if (known.has(name) || (made && !made.has(name))) return false
    const isTakenOver = made !== undefined && head !== headAfter && isCommitted(state.path)
    return !isTakenOver
  })
}

/** Reads the output of `git diff-tree --raw -z`. */
export function readStates(fields: readonly string[]): readonly FileState[] {
  const states: FileState[] = []
  const from = fields.findIndex(field => field.startsWith(':'))
  for (let at = Math.max(from, 0); at + 1 < fields.length; at += 2) {
    const [before = '', mode = '', blob = '', now = ''] = (fields[at] ?? '').slice(1).split(' ')
    const path = fields[at + 1] ?? ''
    states.push({ path, before: `${before} ${blob}`, now: `${mode} ${now}` })
  }
  return states
}

/** The input of `git update-index -z --index-info` that puts the paths back. Mode 0 removes one. */
export const indexInfo = (states: readonly FileState[]): string =>
  states.map(({ path, before }) => `${before}\t${path}\0`).join('')

export const printLeftWork = (work: LeftWork): string => `${JSON.stringify(work)}\n`

/** `undefined` if there is none that can be read. */
export function readLeftWork(text: string): LeftWork | undefined {
  const work = shaped(LeftWork, jsonIn(text))
  return work instanceof Flaw ? undefined : work
}

import { constants } from 'node:fs'
import { Fault } from '../fault.ts'
import { codeOf, reason, scarcityHints, shown } from './system-error.ts'

const hints: Readonly<Record<string, string>> = {
  ...scarcityHints,
  ENOSPC: 'Free some space on the disk and run again.',
  EDQUOT: 'Free some space within your quota and run again.',
  EROFS: 'The disk is read-only: name a file on another one.',
  EIO: 'The disk may be failing: look at it before you run again.',
  ENOENT: 'Make the folder first, or name another path.',
  EISDIR: 'It is a folder: name a file inside it.',
  ENOTDIR:
    'A part of the path is a file where a folder is needed: move it away, or name another path.',
  EEXIST: 'There is a file where a folder is needed: move it away, or name another path.',
  ELOOP: 'It is a symbolic link, or one on the path leads back to itself: remove it.',
  ENAMETOOLONG: 'Name a shorter path.',
}

function hintFor(verb: string, code: string): string | undefined {
  if (verb === making && code === 'ENOENT') return 'No folder can be made there: name another path.'
  if (code !== 'EACCES' && code !== 'EPERM') return hints[code]
  return verb === 'read' || verb === 'reach'
    ? 'Give yourself permission to read it, and to enter the folders above.'
    : 'Give yourself permission to write there.'
}

export const making = 'make the folder'

/** Runs a call of the system; a failure says what could not be done, and where. */
export function doing<T>(verb: string, path: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw failed(verb, path, error)
  }
}

/** The same, for a call that others need not wait for. */
export async function awaiting<T>(verb: string, path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failed(verb, path, error)
  }
}

/** For files of our own: a link that somebody put there leads to what is not ours to write. */
export const notFollowed = constants.O_NOFOLLOW ?? 0

function failed(verb: string, path: string, error: unknown): Fault {
  // Not the system's: somebody we asked said no.
  if (error instanceof Fault) return error
  const code = codeOf(error)
  const name = shown(path)
  const hint = hintFor(verb, code)
  return new Fault('unavailable', `could not ${verb} ${name}: ${reason(error)}`, {
    ...(hint !== undefined && { hint }),
    detail: { path: name, code },
    cause: error,
  })
}

export const noFile = (path: string): Fault =>
  new Fault('unavailable', `${shown(path)} is a device or a pipe, and a file is needed there`, {
    hint: 'Nothing was changed. Name a file.',
    detail: { path: shown(path), code: 'EINVAL' },
  })

export const otherName = (path: string) =>
  new Fault('unavailable', `${shown(path)} has another name, by a hard link`, {
    hint: 'Make it a file of its own: copy it, and move the copy into its place.',
    detail: { path },
  })

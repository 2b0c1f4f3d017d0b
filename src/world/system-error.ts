/** Errors of the operating system, as faults and words that a person can use. */
import { Fault } from '../fault.ts'

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The result of a call to the file system; `undefined` where the path does not exist. */
export function ifPresent<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Node's message without the name of the system call: `ENOSPC: no space left on device`. */
export function reason(error: unknown): string {
  if (codeOf(error) === 'ERR_OUT_OF_RANGE')
    return 'it has 2 GiB or more, which is too large to read'
  return error instanceof Error ? error.message.replace(/, \w+( '.*')?$/s, '') : String(error)
}

/** A path that is safe to print: control characters are escaped. */
export function shown(path: string): string {
  return path === '' || /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
}

/** Hints for a machine that has run out of something. */
export const scarcityHints: Readonly<Record<string, string>> = {
  EMFILE: 'Let this shell open more files: ulimit -n 4096.',
  ENFILE: 'The system has no open files to spare: end what holds many, and run again.',
  EAGAIN: 'Let this user run more processes (ulimit -u), or end some, and run again.',
  ENOMEM: 'The system has no memory to spare: end what holds much, and run again.',
}

/** The fault for a system error that may come out of any call, even out of loading a module. */
export function scarcityFault(error: unknown): Fault | undefined {
  const code = codeOf(error)
  const hint = error instanceof Fault ? undefined : scarcityHints[code]
  if (hint === undefined) return undefined
  return new Fault('unavailable', reason(error), { hint, detail: { code }, cause: error })
}

const diskHints: Readonly<Record<string, string>> = {
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

/** The verb of a message, as in `could not read <path>`. */
type Verb = 'read' | 'write' | 'remove' | 'reach' | 'lock' | 'unlock' | 'open' | 'make the folder'

function diskHint(verb: Verb, code: string): string | undefined {
  if (verb === 'make the folder' && code === 'ENOENT') {
    return 'No folder can be made there: name another path.'
  }
  if (code !== 'EACCES' && code !== 'EPERM') return diskHints[code]
  return verb === 'read' || verb === 'reach'
    ? 'Give yourself permission to read it, and to enter the folders above.'
    : 'Give yourself permission to write there.'
}

/** Makes a call to the file system. An error becomes a fault that names the verb and the path. */
export function callSystem<T>(verb: Verb, path: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw diskFault(verb, path, error)
  }
}

export async function awaitSystem<T>(verb: Verb, path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw diskFault(verb, path, error)
  }
}

export function diskFault(verb: Verb, path: string, error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  const name = shown(path)
  const hint = diskHint(verb, code)
  return new Fault('unavailable', `could not ${verb} ${name}: ${reason(error)}`, {
    ...(hint !== undefined && { hint }),
    detail: { path: name, code },
    cause: error,
  })
}

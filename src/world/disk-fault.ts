import { Fault } from '../fault.ts'
import { codeOf, reason, shown } from './system-error.ts'

const mayWrite = 'Give yourself permission to write there.'

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space on the disk and run again.',
  EDQUOT: 'Free some space within your quota and run again.',
  EROFS: 'The disk is read-only.',
  EACCES: mayWrite,
  EPERM: mayWrite,
}

/** Runs a call of the system; a failure says what could not be done, and where. */
export function doing<T>(verb: string, path: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    // Not the system's: somebody we asked said no.
    if (error instanceof Fault) throw error
    const code = codeOf(error)
    const name = shown(path)
    throw new Fault('unavailable', `could not ${verb} ${name}: ${reason(error)}`, {
      ...(hints[code] !== undefined && { hint: hints[code] }),
      detail: { path: name, code },
      cause: error,
    })
  }
}

export const noFile = (path: string): Fault =>
  new Fault('unavailable', `${shown(path)} is a device or a pipe, and a file is needed there`, {
    hint: 'Nothing was changed. Name a file.',
    detail: { path: shown(path), code: 'EINVAL' },
  })

/** What the machine says when it fails, in words a person can use. */

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Node's message without the name of the system call: `ENOSPC: no space left on device`. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*')?$/s, '') : String(error)
}

/** A path as it may be printed: what a terminal would obey or hide is escaped. */
export function shown(path: string): string {
  return path === '' || /\p{Cc}/u.test(path) ? JSON.stringify(path) : path
}

/** What to do where the machine has no more of something, whatever it was wanted for. */
export const scarcityHints: Readonly<Record<string, string>> = {
  EMFILE: 'Let this shell open more files: ulimit -n 4096.',
  ENFILE: 'The system has no open files to spare: end what holds many, and run again.',
  EAGAIN: 'Let this user run more processes (ulimit -u), or end some, and run again.',
  ENOMEM: 'The system has no memory to spare: end what holds much, and run again.',
}

/** Tells a command that failed in the sandbox where it may write. */

const denials =
  /\b(EROFS|EACCES|EPERM|EBUSY)\b|Read-only file system|Permission denied|Operation not permitted|Device or resource busy/i

/** Returns nothing if the output does not speak of a refused write. */
export function deniedLine(
  lines: readonly string[],
  writable: readonly string[],
): string | undefined {
  if (!lines.some(line => denials.test(line))) return undefined
  return `premath: the command ran in the sandbox. It may write to ${writable.join(', ')}. Other files are read-only, and keys are hidden.`
}

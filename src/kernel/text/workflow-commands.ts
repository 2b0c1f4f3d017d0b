/**
 * Text that GitHub's runner does not take for workflow commands. The runner obeys a line that begins
 * with `::`, after spaces, and `##[` anywhere in a line. Of each the first or second character is
 * spelled out; in a JSON string the spelling stands for the same character.
 */
export function withoutCommands(text: string, isAtLineStart = true): string {
  const inLines = text.replace(/(^|[\r\n])([^\S\r\n]*)::/g, (found, end, space, at) =>
    at === 0 && end === '' && !isAtLineStart ? found : `${end}${space}\\u003a:`,
  )
  return inLines.replaceAll('##[', '#\\u0023[')
}

/** True if the next text begins a line, or has only spaces before it there. */
export const endsAtLineStart = (text: string, wasAtLineStart: boolean): boolean =>
  /[\r\n]/.test(text) ? /[\r\n]\s*$/.test(text) : wasAtLineStart && text.trim() === ''

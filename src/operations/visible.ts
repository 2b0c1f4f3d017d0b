/**
 * Text from outside as a terminal may show it: characters it would obey, and those that turn the
 * direction of writing, are spelled out.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, unit => {
    return `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

/** The same for text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')

/**
 * Text from outside as a terminal may show it: characters it would obey, those that turn the
 * direction of writing or end a line for some, and what is no character are spelled out.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu, unit => {
    return `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

/** The same for text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')

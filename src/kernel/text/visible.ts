/**
 * Text from outside as a terminal may show it: characters it would obey, those that turn the
 * direction of writing or end a line for some, and what is no character are spelled out.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu, escapeOf)
}

const escapeOf = (unit: string) => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** The same for text of several lines, which may be indented with tabs. */
export const visibleLines = (text: string): string =>
  text.replace(/[^\n\t]+/g, part => visible(part))

/**
 * A line with everything that a reader cannot see: tabs, spaces at its end, spaces other than the
 * usual one, and characters without a shape, except inside an emoji.
 */
export function spelledOut(line: string): string {
  return line.replace(unseen, unit =>
    unit === '\t' ? '\\t' : unit === '\r' ? '\\r' : [...unit].map(escapeOf).join(''),
  )
}

const unseen =
  /[\t\r]|(?<! ) +(?=\r?$)|[\p{Zl}\p{Zp}]|(?!\u0020)\p{Zs}|(?!\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?:\u200d|\ufe0f)/gmu

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

/** Spaces other than the usual one, and characters without a shape, except inside an emoji. */
const shapeless =
  /[\p{Zl}\p{Zp}]|(?!\u0020)\p{Zs}|(?!\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?:\u200d|\ufe0f)/gu

/** A text with the characters spelled out that a reader cannot tell from a space or from nothing. */
export const withShapes = (text: string, spelled = escapeOf): string =>
  text.replace(shapeless, unit => spelled(unit))

/** A line with everything spelled out that a reader cannot see: tabs and spaces at its end too. */
export const spelledOut = (line: string): string =>
  withShapes(line)
    .replace(/(?<! ) +(?=\r?$)/, spaces => escapeOf(' ').repeat(spaces.length))
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')

/**
 * A text in quotes, on one line. Characters stay as they are, quotes and backslashes too, except
 * control characters and those that cannot be seen. If one of them is escaped, or if the text
 * reads like an escape, backslashes are doubled.
 */
export function quotedText(text: string): string {
  const escaped = escapedText(text)
  const isPlain = escaped === text && !/\\[\\bfnrtu]/.test(text)
  return `"${isPlain ? text : escapedText(text.replaceAll('\\', '\\\\'))}"`
}

const escapedText = (text: string) =>
  withShapes(text.replace(/[\p{Cc}\p{Cs}]/gu, unit => JSON.stringify(unit).slice(1, -1)))

/** How much room a text takes on a terminal. */

/** Columns a terminal gives to the text: two for East Asian and pictures, none for marks. */
export function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this asks for plain ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) {
    width += /\p{M}|\u200d/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  }
  return width
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u

/** The text, or as much of its beginning as leaves room for an ellipsis. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  return columns < 1 ? '' : `${startOf(text, columns - 1)}…`
}

/** As much of the beginning as fits, mark and all. */
export function startOf(text: string, columns: number): string {
  let kept = ''
  let room = columns
  for (const character of text) {
    room -= widthOf(character)
    if (room < 0) break
    kept += character
  }
  return kept
}

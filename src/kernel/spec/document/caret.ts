/** Shows the line of a problem with a caret under the place. */
import { startOf, widthOf } from '../../text/text-width.ts'
import type { Place, Problem } from './raw-case.ts'

const columnsDefault = 100
const ellipsis = '…'

/**
 * Returns two lines: the text, shortened around the place, and the caret. Empty if there is no
 * text.
 */
export function caretText({ place }: Pick<Problem, 'place'>, columns = columnsDefault): string {
  if (place.lineText.trim() === '') return ''
  const number = `${place.line} | `
  const { text, column } = excerpt(place, Math.max(12, columns - number.length))
  return `${number}${text}\n${' '.repeat(number.length - 2)}| ${' '.repeat(column)}^`
}

/** As much of the line as fits, and the column of the place in it. */
function excerpt({ lineText, column }: Place, room: number): { text: string; column: number } {
  const before = shown(lineText.slice(0, column - 1))
  const after = shown(lineText.slice(column - 1))
  const lead = widthOf(before)
  if (lead + widthOf(after) <= room) return { text: before + after, column: lead }
  // Two thirds of the width show the text before the place.
  const leadRoom = Math.max(Math.floor((room * 2) / 3), room - widthOf(after))
  const kept = lead <= leadRoom ? before : `${ellipsis}${endOf(before, leadRoom - 1)}`
  const text = kept + after
  return {
    text: widthOf(text) <= room ? text : `${startOf(text, room - 1)}${ellipsis}`,
    column: widthOf(kept),
  }
}

/** One column per character: the width of a tab is unknown, and the caret must line up. */
const shown = (text: string) => text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')

/** As much of the end of the text as fits. */
function endOf(text: string, columns: number): string {
  const characters = [...text.slice(-columns * 2)]
  let kept = ''
  let room = columns
  for (const character of characters.reverse()) {
    room -= widthOf(character)
    if (room < 0) break
    kept = character + kept
  }
  return kept
}

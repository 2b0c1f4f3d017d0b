/** Text with ink in it, as it stands on a terminal: the ink takes no room and is never split. */
import { startOf, widthOf } from '../kernel/text/text-width.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: ink begins with one.
const ink = /(\u001b\[[\d;]*m)/

/** What can be seen of it. */
export function withoutInk(text: string): string {
  return text
    .split(ink)
    .filter((_, at) => !isInk(at))
    .join('')
}

/** The text, or as much of its beginning as leaves room for an ellipsis; all of its ink stays. */
export function cutInked(text: string, columns: number): string {
  if (widthOf(withoutInk(text)) <= columns) return text
  let room = columns - 1
  let isFull = room < 0
  return text
    .split(ink)
    .map((piece, at) => {
      if (isInk(at)) return piece
      if (isFull) return ''
      const kept = startOf(piece, room)
      room -= widthOf(kept)
      isFull = kept !== piece
      return isFull ? `${kept}…` : kept
    })
    .join('')
}

/** Splitting puts text and ink by turns, text first. */
const isInk = (at: number) => at % 2 === 1

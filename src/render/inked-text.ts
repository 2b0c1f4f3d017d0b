/** Text with ANSI colour codes, which take no columns and are never split. */
import { startOf, widthOf } from '../kernel/text/text-width.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: ink begins with one.
const ink = /(\u001b\[[\d;]*m)/

/** The visible text. */
export function withoutInk(text: string): string {
  return text
    .split(ink)
    .filter((_, at) => !isInk(at))
    .join('')
}

/** Cuts the text to fit, with an ellipsis, and keeps all colour codes. */
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

/** Splitting alternates text and colour codes, text first. */
const isInk = (at: number) => at % 2 === 1

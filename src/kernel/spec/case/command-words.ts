/** A command line as words, for a program that is started without a shell. */

/**
 * Divided at white space. Quotes of either kind keep what is between them together, in the middle
 * of a word too; a backslash is a character like any other, and nothing is expanded.
 */
export function commandWords(line: string): readonly string[] | { readonly refused: string } {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of line) {
    if (quote !== '') {
      if (character === quote) quote = ''
      else word = `${word ?? ''}${character}`
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ''}${character}`
  }
  if (quote !== '') return { refused: `has a ${quote} that is never closed` }
  if (word !== undefined) words.push(word)
  return words
}

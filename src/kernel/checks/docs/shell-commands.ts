/** Finds the commands of one program in shell text, by a reader that expands nothing. */

/** The words after the name of the program, without quotes. */
export interface NamedCommand {
  readonly words: readonly string[]
  /** From 1. */
  readonly line: number
}

interface Word {
  readonly text: string
  readonly line: number
  /** Ends a command: `|`, `&&`, `;`, a bracket, a line end. */
  readonly isEnd: boolean
}

/** Words that may precede a command. */
const before =
  /^(?:\$|>|!|if|then|else|elif|while|until|do|time|exec|sudo|npx|env|command|[A-Za-z_]\w*=.*|--yes|-y)$/

export function commandsOf(program: string, text: string): readonly NamedCommand[] {
  const found: NamedCommand[] = []
  let current: { words: string[]; line: number } | undefined
  let isStart = true
  for (const { text: word, line, isEnd } of wordsIn(text)) {
    if (isEnd) {
      current = undefined
      isStart = true
      continue
    }
    if (current) {
      current.words.push(word)
    } else if (isStart && word === program) {
      current = { words: [], line }
      found.push(current)
    }
    isStart = isStart && before.test(word)
  }
  return found
}

const ends = /[|&;()`\n]/

function* wordsIn(text: string): Generator<Word> {
  let line = 1
  let word: string | undefined
  let wordLine = 1
  let quote = ''
  const add = (piece: string) => {
    if (word === undefined) wordLine = line
    word = (word ?? '') + piece
  }
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at)
    if (quote !== '') {
      if (one === quote) quote = ''
      else add(one)
      if (one === '\n') line++
      continue
    }
    if (one === '\\' && text.charAt(at + 1) === '\n') {
      at++
      line++
      continue
    }
    if (one === "'" || one === '"') {
      add('')
      quote = one
    } else if (one === '\\') {
      add(text.charAt(++at))
    } else if (one === '#' && word === undefined) {
      const end = text.indexOf('\n', at)
      at = (end === -1 ? text.length : end) - 1
    } else if (/\s/.test(one) || ends.test(one)) {
      if (word !== undefined) yield { text: word, line: wordLine, isEnd: false }
      word = undefined
      // `$(` begins a command of its own.
      if (ends.test(one)) yield { text: one, line, isEnd: true }
      if (one === '\n') line++
    } else {
      add(one)
    }
  }
  if (word !== undefined) yield { text: word, line: wordLine, isEnd: false }
}

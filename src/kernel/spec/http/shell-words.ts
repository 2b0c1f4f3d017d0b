/**
 * Splits one shell command into words, as a POSIX shell would, with `$'…'` of bash. It expands
 * nothing: a variable stays a variable, and everything that would run a second command is refused.
 */

/** A word in its parts: literal text, and names of variables. */
export type ShellWord = readonly (string | { readonly variable: string })[]

export function shellWords(line: string): readonly ShellWord[] | { readonly refused: string } {
  const reader = new WordReader(line)
  const refused = reader.read()
  return refused === undefined ? reader.words : { refused }
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

class WordReader {
  readonly words: ShellWord[] = []
  readonly #line: string
  #at = 0
  #word: (string | { readonly variable: string })[] | undefined

  constructor(line: string) {
    this.#line = line
  }

  /** The reason why the line is refused. */
  read(): string | undefined {
    while (this.#at < this.#line.length) {
      const refused = this.#next()
      if (refused !== undefined) return refused
    }
    this.#endWord()
    return undefined
  }

  #next(): string | undefined {
    const one = this.#take()
    if (/\s/.test(one)) return this.#endWord()
    if (one === "'") return this.#literal(/'/, 'single')
    if (one === '"') return this.#double()
    if (one === '\\') return this.#escaped()
    if (one === '$') return this.#dollar()
    if (one === '#' && this.#word === undefined) return this.#comment()
    if (/[|&;<>()`]/.test(one)) return `contains ${one} outside quotes, which a shell would act on`
    return this.#add(one)
  }

  #comment(): undefined {
    const length = this.#line.slice(this.#at).search(/\n|$/)
    this.#at += length
  }

  #take(): string {
    return this.#line.charAt(this.#at++)
  }

  #add(text: string): undefined {
    this.#word ??= []
    const last = this.#word.at(-1)
    if (typeof last === 'string') this.#word[this.#word.length - 1] = last + text
    else this.#word.push(text)
  }

  #endWord(): undefined {
    if (this.#word !== undefined) this.words.push(this.#word)
    this.#word = undefined
  }

  #literal(end: RegExp, kind: string): string | undefined {
    const length = this.#line.slice(this.#at).search(end)
    if (length < 0) return `has an unclosed ${kind} quote`
    this.#add(this.#line.slice(this.#at, this.#at + length))
    this.#at += length + 1
    return undefined
  }

  /** A backslash outside quotes. Before a line end it continues the line. */
  #escaped(): string | undefined {
    if (this.#line.startsWith('\r\n', this.#at)) this.#at++
    const one = this.#take()
    if (one === '') return 'ends in a backslash'
    return one === '\n' ? undefined : this.#add(one)
  }

  #double(): string | undefined {
    this.#add('')
    for (let one = this.#take(); one !== '"'; one = this.#take()) {
      if (one === '') return 'has an unclosed double quote'
      const refused = this.#quoted(one)
      if (refused !== undefined) return refused
    }
    return undefined
  }

  #quoted(one: string): string | undefined {
    if (one === '`') return commandRefused
    if (one === '$') return this.#dollar(true)
    if (one !== '\\') return this.#add(one)
    const next = this.#take()
    if (next === '\n') return undefined
    return this.#add(/[$`"\\]/.test(next) ? next : `\\${next}`)
  }

  #dollar(isQuoted = false): string | undefined {
    const rest = this.#line.slice(this.#at)
    if (rest.startsWith('(')) return commandRefused
    if (!isQuoted && rest.startsWith("'")) return this.#ansi()
    const name = /^(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(rest)
    if (name === null) {
      return rest.startsWith('{')
        ? 'expands a variable in a way that is not supported'
        : this.#add('$')
    }
    this.#at += name[0].length
    this.#word ??= []
    this.#word.push({ variable: name[1] ?? name[2] ?? '' })
    return undefined
  }

  /** `$'…'`, which browsers write for bodies with line breaks. */
  #ansi(): string | undefined {
    this.#at++
    this.#add('')
    for (let one = this.#take(); one !== "'"; one = this.#take()) {
      if (one === '') return 'has an unclosed single quote'
      this.#add(one === '\\' ? this.#ansiEscape() : one)
    }
    return undefined
  }

  #ansiEscape(): string {
    const code = /^(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3}))/i.exec(
      this.#line.slice(this.#at),
    )
    if (code !== null) {
      this.#at += code[0].length
      const hex = code[1] ?? code[2] ?? code[3]
      const point = hex === undefined ? Number.parseInt(code[4] ?? '', 8) : Number.parseInt(hex, 16)
      return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point)
    }
    const one = this.#take()
    return escapes[one] ?? one
  }
}

const commandRefused = 'runs another command inside, and premath runs none'

import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecRegex } from '../regex/spec-regex.ts'

/** Of a longer line, only the start is matched. */
const lineCharsMax = 8 * 1024

/** Looks for a line in the output of a command while the command runs. */
export class ReadyLine {
  /** The first group of the first line that matches, or its whole match. */
  readonly found: Promise<string>
  readonly #regex: Pick<SpecRegex, 'firstGroup'>
  readonly #pattern: string
  readonly #decoder = new TextDecoder()
  #resolve: (group: string) => void = () => {}
  #line = ''
  #isFound = false

  constructor(pattern: string, regex: Pick<SpecRegex, 'firstGroup'>) {
    this.#pattern = pattern
    this.#regex = regex
    this.found = new Promise(resolve => {
      this.#resolve = resolve
    })
  }

  /** Why no line can match. */
  get flaw(): SpecError | undefined {
    const group = this.#regex.firstGroup(this.#pattern, '')
    return typeof group === 'object' ? group : undefined
  }

  /** Only whole lines are matched: the rest of a number may follow in the next piece. */
  take(bytes: Uint8Array): void {
    if (this.#isFound) return
    const [first = '', ...more] = this.#decoder.decode(bytes, { stream: true }).split('\n')
    this.#line = `${this.#line}${first}`.slice(0, lineCharsMax)
    for (const next of more) {
      this.#match(this.#line.replace(/\r$/, ''))
      this.#line = next.slice(0, lineCharsMax)
    }
  }

  #match(line: string): void {
    if (this.#isFound) return
    const group = this.#regex.firstGroup(this.#pattern, line)
    if (typeof group !== 'string') return
    this.#isFound = true
    this.#resolve(group)
  }
}

/** Patterns for an engine that needs time in proportion to the text, whatever the pattern. */
import { RE2JS } from 're2js'

export interface LinearPattern {
  /** How much work each character of a text may be. */
  readonly size: number
  test(text: string): boolean
}

/** `undefined` for what the engine cannot take, such as very many repetitions. */
export function linearPattern(source: string): LinearPattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return { size: compiled.programSize(), test: text => compiled.matcher(text).find() }
  } catch {
    return undefined
  }
}

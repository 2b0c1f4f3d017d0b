/** Compiles patterns for an engine with linear running time. */
import { RE2JS } from 're2js'

export interface LinearPattern {
  /** The program size: the work per character of text. */
  readonly size: number
  test(text: string): boolean
}

/**
 * `undefined` if the engine cannot compile the pattern, for example because of many repetitions.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return { size: compiled.programSize(), test: text => compiled.matcher(text).find() }
  } catch {
    return undefined
  }
}

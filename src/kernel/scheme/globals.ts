/** The global variables of a program, over those of the language. */
import { nearest } from '../text/nearest.ts'
import type { Global } from './code.ts'
import { HostFunction, type Value } from './value.ts'

/** An action has a dot, such as `issue.ready`. A name without definition that looks so is one. */
const actionName = /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+$/i

export class Globals {
  readonly #own = new Map<string, Global>()
  readonly #language: ReadonlyMap<string, Value>

  constructor(language: ReadonlyMap<string, Value>) {
    this.#language = language
  }

  /**
   * The program's own variable of this name. It starts as that of the language, so that a program
   * which defines `map` anew changes its own `map` and not the one that the prelude calls.
   */
  own(name: string): Global {
    const known = this.#own.get(name)
    if (known !== undefined) return known
    const found = this.#language.get(name)
    const isAction = found === undefined && actionName.test(name)
    const global: Global = { name, value: isAction ? new HostFunction(name) : found }
    this.#own.set(name, global)
    return global
  }

  /** The name that the author most likely meant. */
  nearest(name: string, defined: readonly string[]): string | undefined {
    return nearest(name, [...defined, ...this.#language.keys()])
  }

  /** What the prelude defined. */
  values(): ReadonlyMap<string, Value> {
    const values = new Map(this.#language)
    for (const { name, value } of this.#own.values()) {
      if (value !== undefined) values.set(name, value)
    }
    return values
  }
}

/** Collects the instructions of one procedure. */
import { type Code, type Global, op } from './code.ts'
import type { Value } from './value.ts'

export class CodeBuilder {
  readonly #name: string
  readonly #isPrelude: boolean
  readonly #ops: number[] = []
  readonly #constants: Value[] = []
  readonly #globals: Global[] = []
  readonly #codes: Code[] = []
  readonly #names = new Map<number, string>()
  readonly #places = new Map<number, number>()
  readonly #indexOfGlobal = new Map<Global, number>()

  constructor(name: string, isPrelude: boolean) {
    this.#name = name
    this.#isPrelude = isPrelude
  }

  emit(...ops: readonly number[]): void {
    this.#ops.push(...ops)
  }

  constant(value: Value): void {
    this.#constants.push(value)
    this.emit(op.constant, this.#constants.length - 1)
  }

  closure(code: Code): void {
    this.#codes.push(code)
    this.emit(op.closure, this.#codes.length - 1)
  }

  /** The index of a global. */
  global(global: Global): number {
    const known = this.#indexOfGlobal.get(global)
    if (known !== undefined) return known
    this.#globals.push(global)
    this.#indexOfGlobal.set(global, this.#globals.length - 1)
    return this.#globals.length - 1
  }

  /** The place of the instruction before. The machine looks it up when it has read the operands. */
  placeAt(at: number): void {
    this.#places.set(this.#ops.length, at)
  }

  nameAt(name: string): void {
    this.#names.set(this.#ops.length, name)
  }

  /** A jump whose target is not known yet. */
  jump(kind: number): () => void {
    this.emit(kind, 0)
    const operand = this.#ops.length - 1
    return () => {
      this.#ops[operand] = this.#ops.length
    }
  }

  code({ parameters, hasRest }: Pick<Code, 'parameters' | 'hasRest'>): Code {
    return {
      name: this.#name,
      ops: this.#ops,
      constants: this.#constants,
      globals: this.#globals,
      codes: this.#codes,
      names: this.#names,
      places: this.#places,
      parameters,
      hasRest,
      isPrelude: this.#isPrelude,
    }
  }
}

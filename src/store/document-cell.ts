/** A cell whose bytes are one document of ours: checked when it is read, printed when it is written. */
import { Fault } from '../fault.ts'
import { unreadableArtifact } from '../kernel/harness/artifact.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { Cell, type CellOptions } from './cell.ts'

export interface DocumentForm<T> {
  /** What messages call it. */
  readonly noun: string
  /** Faults where the value is no such document; the path is for the message. */
  read(value: Json, path: string): T
  /** What it prints reads as the same document. */
  print(document: T): string
}

export class DocumentCell<T> {
  readonly path: string
  readonly #cell: Cell
  readonly #form: DocumentForm<T>
  #known: { readonly bytes: Uint8Array; readonly document: T } | undefined

  constructor(options: CellOptions, form: DocumentForm<T>) {
    this.path = options.path
    this.#cell = new Cell(options)
    this.#form = form
  }

  /** `undefined` where there is no document yet; one that cannot be used is a fault. */
  async read(): Promise<T | undefined> {
    return this.#documentIn(await this.#cell.read())
  }

  /** What `decide` made of the document. One that cannot be used stays as it is. */
  async update(decide: (before: T | undefined) => T): Promise<T> {
    let after: T | undefined
    const bytes = await this.#cell.update(before => {
      after = decide(this.#documentIn(before))
      return this.#form.print(after)
    })
    const document = after as T
    this.#known = { bytes, document }
    return document
  }

  /** Read once, as long as the bytes are the same; what was printed here is not read again. */
  #documentIn(bytes: Uint8Array | undefined): T | undefined {
    if (!bytes) return undefined
    if (this.#known?.bytes === bytes) return this.#known.document
    const document = this.#form.read(this.#jsonIn(bytes), this.path)
    this.#known = { bytes, document }
    return document
  }

  #jsonIn(bytes: Uint8Array): Json {
    try {
      // Members we do not know are written back, and their numbers keep their spelling.
      return parseJson(decodeUtf8(bytes), { numbersAreCanonical: true })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw unreadableArtifact({ noun: this.#form.noun, path: this.path }, error)
    }
  }
}

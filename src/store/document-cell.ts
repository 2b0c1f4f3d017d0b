/** A cell that holds an artifact: checked when it is read, printed when it is written. */
import { Fault } from '../fault.ts'
import { unreadableArtifact } from '../kernel/harness/artifact.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { Cell, type CellOptions } from './cell.ts'

interface DocumentForm<T> {
  /** The name of the artifact in messages. */
  readonly noun: string
  /** Faults where the value is not such a document. The path is for the message. */
  read(value: Json, path: string): T
  /** `read` of the printed text returns the same document. */
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

  /** `undefined` where there is no document. Faults where it is not valid. */
  async read(): Promise<T | undefined> {
    return this.#documentIn(await this.#cell.read())
  }

  /** Returns the new document. An invalid one stays as it is. */
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

  /** Parses the bytes once. A document that was printed here is not parsed again. */
  #documentIn(bytes: Uint8Array | undefined): T | undefined {
    if (!bytes) return undefined
    if (this.#known?.bytes === bytes) return this.#known.document
    const document = this.#form.read(this.#jsonIn(bytes), this.path)
    this.#known = { bytes, document }
    return document
  }

  #jsonIn(bytes: Uint8Array): Json {
    try {
      // Unknown members are written back, so their numbers must keep their spelling.
      return parseJson(decodeUtf8(bytes), { numbersAreCanonical: true })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw unreadableArtifact({ noun: this.#form.noun, path: this.path }, error)
    }
  }
}

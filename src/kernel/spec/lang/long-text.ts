/** Joins many text parts in batches and checks the clock. */
import type { Meter } from './meter.ts'

/** Parts joined at once. */
const batchMax = 4096

export class LongText {
  readonly #separator: string
  readonly #meter: Meter
  readonly #joined: string[] = []
  #batch: string[] = []

  constructor(separator: string, meter: Meter) {
    this.#separator = separator
    this.#meter = meter
  }

  add(part: string): void {
    this.#batch.push(part)
    if (this.#batch.length < batchMax) return
    this.#joined.push(this.#meter.isInTime() ? this.#batch.join(this.#separator) : '')
    this.#batch = []
  }

  /** The whole text; meaningless if time ran out. */
  whole(): string {
    // Fast path: most texts are one batch.
    if (this.#joined.length === 0) return this.#batch.join(this.#separator)
    const rest = this.#batch.length === 0 ? [] : [this.#batch.join(this.#separator)]
    return this.#joined.concat(rest).join(this.#separator)
  }
}

export function joinTexts(parts: Iterable<string>, separator: string, meter: Meter): string {
  const text = new LongText(separator, meter)
  for (const part of parts) {
    if (meter.over !== undefined) return ''
    text.add(part)
  }
  return text.whole()
}

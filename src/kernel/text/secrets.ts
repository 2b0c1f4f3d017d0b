/**
 * The secret values of a run. Whatever a command prints or writes passes through here, and so does
 * every value that is shortened for a message: half a secret is still a leak.
 */
import { EmptyObject } from '../json.ts'
import { secretForms } from './secret-forms.ts'

interface Hit {
  readonly from: number
  readonly to: number
  /** What is shown instead. */
  readonly shown: string
}

export class Secrets {
  /** Marks by form. A mark is the name of the secret as a shell writes it. */
  readonly #marks = new Map<string, string>()

  /** From now on, the value is shown as `$name`, in every spelling that is known. */
  hide(name: string, value: string): void {
    for (const form of secretForms(value)) {
      if (!this.#marks.has(form)) this.#marks.set(form, `$${name}`)
    }
  }

  get isEmpty(): boolean {
    return this.#marks.size === 0
  }

  text(text: string): string {
    if (this.isEmpty) return text
    let shown = ''
    let end = 0
    for (const hit of this.#hits(text)) {
      shown += text.slice(end, hit.from) + hit.shown
      end = hit.to
    }
    return end === 0 ? text : shown + text.slice(end)
  }

  /** Every text in plain data. Keys, numbers and functions stay. */
  json<T>(value: T): T {
    return this.isEmpty ? value : (this.#json(value) as T)
  }

  #json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map(one => this.#json(one))
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#json(one)]))
  }

  /** In order. Overlapping ones are joined, so that nothing of either remains. */
  #hits(text: string): readonly Hit[] {
    const found = [...this.#marks].flatMap(([form, shown]) => hitsOf(form, shown, text))
    if (found.length === 0) return found
    // A text that has passed before contains marks, which may contain the value of another secret.
    const marks = [...new Set(this.#marks.values())].flatMap(mark => hitsOf(mark, mark, text))
    const isMark = (hit: Hit) => marks.some(({ from, to }) => from <= hit.from && hit.to <= to)
    const hits = found.filter(hit => !isMark(hit))
    return joined(hits.sort((a, b) => a.from - b.from || b.to - a.to))
  }
}

function hitsOf(form: string, shown: string, text: string): Hit[] {
  const hits: Hit[] = []
  for (let from = text.indexOf(form); from !== -1; from = text.indexOf(form, from + 1)) {
    hits.push({ from, to: from + form.length, shown })
  }
  return hits
}

function joined(hits: readonly Hit[]): readonly Hit[] {
  const kept: Hit[] = []
  for (const hit of hits) {
    const last = kept.at(-1)
    if (last === undefined || hit.from >= last.to) kept.push(hit)
    else if (hit.to > last.to) {
      const shown = hit.shown === last.shown ? last.shown : last.shown + hit.shown
      kept[kept.length - 1] = { from: last.from, to: hit.to, shown }
    }
  }
  return kept
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return [Object.prototype, EmptyObject.prototype, null].includes(prototype as object | null)
}

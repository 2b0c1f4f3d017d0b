/**
 * The secret values of a run. Whatever a command prints or writes passes through here, and so does
 * every value that is shortened for a message: half a secret is still a leak.
 */
import { EmptyObject, JsonNumber } from '../json.ts'
import { secretForms } from './secret-forms.ts'

interface Hit {
  readonly from: number
  readonly to: number
  /** What is shown instead. */
  readonly shown: string
}

interface Hiding {
  text(text: string): string
  /** True if keys and numbers are hidden too. */
  readonly isPrinted: boolean
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
    return this.#shown(text)
  }

  /** For a part of a longer text: a secret may be cut at its start or its end. */
  cutText(text: string): string {
    return this.#shown(
      text,
      [...this.#marks].flatMap(([form, shown]) => cutHits(form, shown, text)),
    )
  }

  #shown(text: string, more: readonly Hit[] = [], spelled = (mark: string) => mark): string {
    if (this.isEmpty) return text
    let shown = ''
    let end = 0
    for (const hit of this.#hits(text, more)) {
      shown += text.slice(end, hit.from) + spelled(hit.shown)
      end = hit.to
    }
    return end === 0 ? text : shown + text.slice(end)
  }

  /** Every text in plain data. Keys, numbers and functions stay, for the code that reads them. */
  json<T>(value: T): T {
    return this.#json(value, { text: one => this.text(one), isPrinted: false })
  }

  /** The same for data that nothing but a printer reads: keys and numbers that are secrets too. */
  printed<T>(value: T): T {
    return this.#json(value, { text: one => this.text(one), isPrinted: true })
  }

  /** As `json`, with `{{var.name}}` in the place of each secret, as a case refers to it. */
  references<T>(value: T): T {
    const spelled = (mark: string) => mark.replace(/\$(\w+)/g, '{{var.$1}}')
    return this.#json(value, { text: one => this.#shown(one, [], spelled), isPrinted: false })
  }

  #json<T>(value: T, hiding: Hiding): T {
    return this.isEmpty ? value : (this.#hidden(value, hiding) as T)
  }

  #hidden(value: unknown, hiding: Hiding): unknown {
    const { text, isPrinted } = hiding
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number' || value instanceof JsonNumber) {
      const digits = value instanceof JsonNumber ? value.text : String(value)
      return isPrinted ? (this.#marks.get(digits) ?? value) : value
    }
    if (Array.isArray(value)) return value.map(one => this.#hidden(one, hiding))
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        isPrinted ? text(key) : key,
        this.#hidden(one, hiding),
      ]),
    )
  }

  /** In order. Overlapping ones are joined, so that nothing of either remains. */
  #hits(text: string, more: readonly Hit[]): readonly Hit[] {
    const whole = [...this.#marks].flatMap(([form, shown]) => hitsOf(form, shown, text))
    const found = [...whole, ...more]
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

/** A shorter part of a secret occurs in other texts by chance. */
const cutCharsMin = 4

/** The longest end of the form at the start of the text, and the longest start at its end. */
function cutHits(form: string, shown: string, text: string): Hit[] {
  // A character that was cut in two is decoded as this one.
  const [start = ''] = /^\ufffd{0,3}/.exec(text) ?? []
  const [end = ''] = /\ufffd{0,3}$/.exec(text) ?? []
  const [from, to] = [start.length, text.length - end.length]
  const count = Math.max(0, form.length - cutCharsMin)
  const lengths = Array.from({ length: count }, (_, at) => form.length - 1 - at)
  const first = lengths.find(length => text.startsWith(form.slice(-length), from))
  const last = lengths.find(length => text.endsWith(form.slice(0, length), to))
  return [
    ...(first === undefined ? [] : [{ from, to: from + first, shown }]),
    ...(last === undefined ? [] : [{ from: to - last, to, shown }]),
  ]
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

/** Renders a parsed template over data. It escapes nothing and removes no white space. */
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { SectionTag, TemplateNode, TemplateProblem, ValueTag } from './template.ts'

type Data = ReadonlyMap<string, SpecValue>

interface RenderSetting {
  /** A key that is missing is a problem; otherwise it is empty. */
  readonly strict: boolean
}

/** Lists in lists multiply. */
const stepsMax = 5_000_000
const charsMax = 32 * 1024 * 1024

export interface RenderProblem extends TemplateProblem {
  readonly category: 'schema' | 'runtime'
}

export function renderTemplate(
  nodes: readonly TemplateNode[],
  data: Data,
  setting: RenderSetting,
): string | RenderProblem {
  const renderer = new Renderer(setting)
  renderer.nodes(nodes, { value: data, outer: undefined })
  return renderer.problem ?? renderer.text()
}

/** The innermost value; names are looked up from here outwards. */
interface Frame {
  readonly value: SpecValue
  readonly outer: Frame | undefined
}

class Renderer {
  problem: RenderProblem | undefined
  readonly #strict: boolean
  readonly #parts: string[] = []
  #chars = 0
  #steps = 0

  constructor({ strict }: RenderSetting) {
    this.#strict = strict
  }

  text(): string {
    return this.#parts.join('')
  }

  nodes(nodes: readonly TemplateNode[], frame: Frame): void {
    for (const node of nodes) {
      if (this.problem !== undefined) return
      if (typeof node === 'string') this.#write(node, 0)
      else if (node.kind === 'value') this.#value(node, frame)
      else this.#section(node, frame)
    }
  }

  #value(tag: ValueTag, frame: Frame): void {
    const value = this.#found(tag, frame)
    const text = value === null ? '' : printText(value, unlimitedMeter())
    if (typeof text === 'string') this.#write(text, tag.offset)
  }

  #section(tag: SectionTag, frame: Frame): void {
    const value = this.#found(tag, frame)
    if (this.problem !== undefined) return
    if (tag.kind === 'inverted') {
      if (isEmpty(value)) this.nodes(tag.children, frame)
      return
    }
    if (isEmpty(value)) return
    for (const item of isList(value) ? value : [value]) {
      if (this.problem !== undefined) return
      if (++this.#steps > stepsMax) this.#stop(tag.offset, `takes more than ${stepsMax} steps`)
      else this.nodes(tag.children, { value: item, outer: frame })
    }
  }

  /** The whole path must resolve in one frame. */
  #found({ name, offset }: ValueTag | SectionTag, frame: Frame): SpecValue {
    if (name === '.') return frame.value
    const keys = name.split('.')
    for (let one: Frame | undefined = frame; one !== undefined; one = one.outer) {
      const value = valueAt(one.value, keys)
      if (value !== undefined) return value
    }
    if (this.#strict) {
      this.problem ??= {
        category: 'schema',
        offset,
        message: `the data has no key ${name}`,
        hint: 'Correct the name, add the key to the data, or set strict: false to print nothing.',
      }
    }
    return null
  }

  #write(text: string, offset: number): void {
    this.#parts.push(text)
    this.#chars += text.length
    this.#steps++
    if (this.#chars > charsMax) this.#stop(offset, `prints more than ${charsMax} characters`)
    else if (this.#steps > stepsMax) this.#stop(offset, `takes more than ${stepsMax} steps`)
  }

  #stop(offset: number, why: string): void {
    const hint = 'Use smaller data, or fewer sections within sections.'
    this.problem ??= { category: 'runtime', offset, message: `the template ${why}`, hint }
  }
}

function valueAt(value: SpecValue, keys: readonly string[]): SpecValue | undefined {
  let at: SpecValue | undefined = value
  for (const key of keys) {
    if (!isMapping(at)) return undefined
    at = at.get(key)
  }
  return at
}

/** Zero is not empty. */
const isEmpty = (value: SpecValue): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  (isList(value) && value.length === 0) ||
  (isMapping(value) && value.size === 0)

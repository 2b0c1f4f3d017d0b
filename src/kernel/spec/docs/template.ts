/**
 * Parses a moustache-core template: `{{name}}`, `{{a.b}}`, `{{.}}`, `{{#s}}…{{/s}}`, `{{^s}}…{{/s}}`
 * and comments. Everything outside the tags is kept, also the line of a tag that stands alone.
 */
import { spotIn } from '../../text/spot.ts'

export type TemplateNode = string | ValueTag | SectionTag

export interface ValueTag {
  readonly kind: 'value'
  readonly name: string
  readonly offset: number
}

export interface SectionTag {
  readonly kind: 'section' | 'inverted'
  readonly name: string
  readonly offset: number
  readonly children: readonly TemplateNode[]
}

export interface TemplateProblem {
  readonly offset: number
  readonly message: string
  readonly hint?: string
}

/** Each level takes a part of the stack. */
const depthMax = 100

export function parseTemplate(text: string): readonly TemplateNode[] | TemplateProblem {
  const root: TemplateNode[] = []
  const open: OpenSection[] = []
  let at = 0
  for (const found of tagsIn(text)) {
    if ('message' in found) return found
    const { sigil, name, offset, end } = found
    const into = open.at(-1)?.children ?? root
    if (offset > at) into.push(text.slice(at, offset))
    at = end
    if (sigil === '!') continue
    if (sigil === '') into.push({ kind: 'value', name, offset })
    else if (sigil === '/') {
      const section = open.pop()
      if (section?.name !== name) return strayEnd(found, section, text)
    } else {
      const kind = sigil === '#' ? 'section' : 'inverted'
      const section: OpenSection = { kind, name, offset, children: [] }
      into.push(section)
      open.push(section)
      if (open.length > depthMax) return tooDeep(offset)
    }
  }
  const unclosed = open.at(-1)
  if (unclosed !== undefined) return unclosedSection(unclosed)
  if (at < text.length) root.push(text.slice(at))
  return root
}

interface OpenSection extends SectionTag {
  readonly children: TemplateNode[]
}

interface Tag {
  readonly sigil: '' | '#' | '^' | '/' | '!'
  readonly name: string
  readonly offset: number
  readonly end: number
}

function* tagsIn(text: string): Generator<Tag | TemplateProblem> {
  for (let offset = text.indexOf('{{'); offset !== -1; ) {
    const close = text.indexOf('}}', offset)
    if (close === -1) {
      return yield { offset, message: 'this tag is not closed', hint: 'Close it with }}.' }
    }
    const tag = tagOf(text.slice(offset + 2, close), offset, close + 2)
    yield tag
    offset = text.indexOf('{{', close + 2)
  }
}

function tagOf(inside: string, offset: number, end: number): Tag | TemplateProblem {
  const written = inside.trim()
  const first = written.charAt(0)
  const sigil = first === '#' || first === '^' || first === '/' || first === '!' ? first : ''
  if (sigil === '!') return { sigil, name: '', offset, end }
  const refused = refusedSigils[first]
  if (refused !== undefined) return { offset, ...refused }
  const name = written.slice(sigil.length).trim()
  if (name !== '.' && (name.split('.').includes('') || /[{}\n]/.test(name))) {
    const message = name === '' ? 'this tag has no name' : `${JSON.stringify(name)} is not a name`
    return { offset, message, hint: 'Write keys of the data, joined by dots: {{source.key}}.' }
  }
  return { sigil, name, offset, end }
}

const unescaped = {
  message: 'tags without escaping are not supported',
  hint: 'Write {{name}}: nothing is ever escaped.',
}

/** Each would make the output depend on something that the surface does not declare. */
const refusedSigils: Readonly<Record<string, Omit<TemplateProblem, 'offset'>>> = {
  '>': {
    message: 'partials are not supported',
    hint: 'Write the text here, or put it into a data source.',
  },
  '=': {
    message: 'the delimiters cannot be changed',
    hint: 'To print braces, put them into a data source.',
  },
  '&': unescaped,
  '{': unescaped,
  '<': { message: 'parent templates are not supported', hint: 'Write the text here.' },
  $: { message: 'blocks are not supported', hint: 'Write the text here.' },
}

function strayEnd(
  { name, offset }: Tag,
  section: SectionTag | undefined,
  text: string,
): TemplateProblem {
  if (section === undefined) {
    const hint = `Open the section before it: {{#${name}}}.`
    return { offset, message: `{{/${name}}} closes no section`, hint }
  }
  const { line } = spotIn(text, section.offset)
  const message = `{{/${name}}} does not close the section ${section.name}, which line ${line} opens`
  return { offset, message, hint: `Close ${section.name} first: {{/${section.name}}}.` }
}

const unclosedSection = ({ name, offset }: SectionTag): TemplateProblem => ({
  offset,
  message: `the section ${name} is not closed`,
  hint: `Close it with {{/${name}}}.`,
})

const tooDeep = (offset: number): TemplateProblem => ({
  offset,
  message: `sections are nested deeper than ${depthMax} levels`,
  hint: 'Close some of them first.',
})

/** Elements of XML, and their text. */
import { visibleLines } from '../../kernel/text/visible.ts'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly content: string | readonly XmlElement[]
}

export const element = (
  name: string,
  attributes: XmlElement['attributes'],
  content: XmlElement['content'] = [],
): XmlElement => ({ name, attributes, content })

/** The text of a document. Characters that XML forbids are spelled out. */
export const xmlText = (root: XmlElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}`

function elementText({ name, attributes, content }: XmlElement, margin: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`)
  const start = `${margin}<${name}${given.join('')}`
  if (content.length === 0) return `${start}/>\n`
  // Space around a text would be a part of it.
  if (typeof content === 'string') return `${start}>${escaped(visibleLines(content))}</${name}>\n`
  const children = content.map(one => elementText(one, `${margin}  `))
  return `${start}>\n${children.join('')}${margin}</${name}>\n`
}

/** A parser turns a line end or a tab of an attribute into a space, unless it is a reference. */
const attribute = (value: string | number) =>
  escaped(visibleLines(String(value))).replace(/[\n\t]/g, sign => `&#${sign.charCodeAt(0)};`)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string) => text.replace(/[&<>"']/g, sign => entities[sign] ?? sign)

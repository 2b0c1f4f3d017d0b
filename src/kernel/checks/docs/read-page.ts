/** Reads a Markdown page: its links, its anchors, and the code that it shows. */
import MarkdownIt, { type Token } from 'markdown-it'
import { slugger } from './slug.ts'

export interface PageLink {
  /** As written, without escapes. */
  readonly target: string
  /** From 1. */
  readonly line: number
}

/** A piece of code: a fenced block of shell commands, or a span. */
export interface PageCode {
  readonly text: string
  /** The line of its first character, from 1. */
  readonly line: number
  readonly is: 'shell' | 'console' | 'span'
}

export interface ReadPage {
  /** From the root of the project. */
  readonly path: string
  readonly links: readonly PageLink[]
  readonly anchors: ReadonlySet<string>
  readonly code: readonly PageCode[]
}

/** Pages of this size are no prose. The reader takes about a second for a megabyte. */
export const pageCharsMax = 4 * 1024 * 1024

const markdown = new MarkdownIt({ html: true })

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'zsh'])

export function readPage(path: string, text: string): ReadPage {
  const links: PageLink[] = []
  const code: PageCode[] = []
  const anchors = new Set<string>()
  const slugOf = slugger()
  const tokens = markdown.parse(text, {})
  for (const [at, token] of tokens.entries()) {
    const line = (token.map?.[0] ?? 0) + 1
    if (token.type === 'fence') code.push(...blockOf(token, line))
    if (token.type === 'html_block') addAnchors(token.content, anchors)
    if (token.type !== 'inline') continue
    if (tokens[at - 1]?.type === 'heading_open') anchors.add(slugOf(textOf(token)))
    readInline(token, line, { links, code, anchors })
  }
  return { path, links, code, anchors }
}

function blockOf({ info, content }: Token, line: number): readonly PageCode[] {
  const [language = ''] = info.trim().toLowerCase().split(/\s+/)
  const text = content
  if (shells.has(language)) return [{ text, line: line + 1, is: 'shell' }]
  return language === 'console' ? [{ text, line: line + 1, is: 'console' }] : []
}

interface Into {
  readonly links: PageLink[]
  readonly code: PageCode[]
  readonly anchors: Set<string>
}

function readInline({ children }: Token, start: number, { links, code, anchors }: Into): void {
  let line = start
  for (const child of children ?? []) {
    if (child.type === 'softbreak' || child.type === 'hardbreak') line++
    const target = child.attrGet('href') ?? child.attrGet('src')
    if (target !== null) {
      links.push({ target: markdown.utils.lib.mdurl.decode(String(target)), line })
    }
    if (child.type === 'code_inline') code.push({ text: child.content, line, is: 'span' })
    if (child.type === 'html_inline') addAnchors(child.content, anchors)
  }
}

/** The text of a heading as readers see it. */
const textOf = ({ children }: Token): string =>
  (children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')

function addAnchors(html: string, anchors: Set<string>): void {
  for (const [, name = ''] of html.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(name)
}

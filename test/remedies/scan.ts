/** Finds every text of the sources that tells a person to run a command. */
import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { operationNames } from './commands.ts'

/** A remedy as its source has it: `…` stands for a value. */
export interface Remedy {
  readonly file: string
  readonly text: string
}

/** Help and shapes show commands, and tell nobody to run one. */
const shownOnly = new Set([
  'summary',
  'description',
  'examples',
  'describe',
  'title',
  'means',
  'input',
])
const shownIn = /^(cli\/(completion|help|man-page)|render\/reports\/|wire\/|testing\/)/

export function remediesIn(folder: string): readonly Remedy[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(file))
    .filter(file => !shownIn.test(file))
  return files.toSorted().flatMap(file => {
    const ast = parseAst(readFileSync(`${folder}/${file}`, 'utf8'), { lang: 'ts' })
    const texts = new Set(textsIn(ast).filter(text => commandsIn(text).length > 0))
    return [...texts].map(text => ({ file, text }))
  })
}

type Node = { readonly type?: string; readonly [key: string]: unknown }

function textsIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn)
  if (typeof node !== 'object' || node === null) return []
  const { type, key, value, quasis, ...rest } = node as Node
  if (type === 'Literal') return typeof value === 'string' ? [value] : []
  if (type === 'Property' && shownOnly.has(nameOf(key))) return []
  const whole = type === 'TemplateLiteral' ? [joined(quasis)] : []
  return [...whole, ...textsIn(value), ...Object.values(rest).flatMap(textsIn)]
}

const nameOf = (key: unknown) => String((key as Node)?.['name'] ?? (key as Node)?.['value'])

const joined = (quasis: unknown) =>
  (quasis as readonly { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')

const gitCommands =
  'add|branch|checkout|cherry-pick|commit|config|diff|fetch|init|log|merge|reflog|revert|rm|submodule|switch|worktree(?: (?:add|list|prune|repair))?'

/** A command of premath by its name, or one of git. */
const named = new RegExp(
  `\\b(?:premath (${operationNames.join('|')})|git (${gitCommands}))(?![\\w-])`,
  'g',
)

/** The commands that a text names, without their arguments. */
export const commandsIn = (text: string): readonly string[] => text.match(named) ?? []

/** Finds the command that checks a piece of work in what people wrote about it. */
import { trim } from '../text/clean.ts'

/** How a command that checks something begins; the words a project's own runner adds come after. */
const beginnings = [
  'mise run',
  'python3',
  'cargo',
  'premath',
  'sh',
  'bash',
  'nix develop -c',
  'uv run',
  'pytest',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'node',
  'go test',
  'make test',
  'make check',
]

const words = beginnings.map(words => words.replaceAll(' ', ' +')).join('|')

/** In back-quotes, wherever they stand. */
const quoted = new RegExp(`\`[ \\t]*(?:${words})(?!\\w)`, 'i')

/**
 * A line of its own, perhaps in a list. As it is typed: no shell runs a `Premath`, and a sentence
 * that begins with the word checks nothing.
 */
const bare = new RegExp(`^(?:[-*][ \\t]*)?(?:\\$ )?(?:${words})(?!\\w)`)

export function namesCommand(text: string): boolean {
  return quoted.test(text) || text.split('\n').some(line => bare.test(trim(line)))
}

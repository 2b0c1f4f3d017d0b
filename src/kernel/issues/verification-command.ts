/** Finds the command that checks a piece of work in what people wrote about it. */
import { trim } from '../text/clean.ts'

/** The start of a verification command; words of a project's own runner follow. */
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
 * A line of its own, perhaps in a list. Case-sensitive: a sentence that starts with the word is not
 * a command.
 */
const bare = new RegExp(`^(?:[-*][ \\t]*)?(?:\\$ )?(?:${words})(?!\\w)`)

export function namesCommand(text: string): boolean {
  return quoted.test(text) || text.split('\n').some(line => bare.test(trim(line)))
}

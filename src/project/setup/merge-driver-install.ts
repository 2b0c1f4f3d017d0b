/** What makes git merge issue memory by row: for `premath init --merge-driver`. */

export interface MergeDriverInstall {
  /** `git config <key> <value>`, each; in the clone's own configuration, since git shares none. */
  readonly gitConfig: readonly (readonly [key: string, value: string])[]
  /** Lines of `.gitattributes` at the root of the repository, which is shared. */
  readonly gitAttributes: readonly string[]
}

/** What runs now, and will most likely run when git calls. */
export interface Installed {
  readonly node: string
  /** The file of the command. */
  readonly main: string
}

/** `folder` is the project's in the repository, `''` at its root. */
export function mergeDriverInstall(folder: string, installed: Installed): MergeDriverInstall {
  const inside = folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
  return {
    gitConfig: [
      ['merge.premath.name', 'premath issue memory, by row and field'],
      ['merge.premath.driver', driverCommand(inside, installed)],
    ],
    gitAttributes: [
      `${attributePath(`${inside}.premath/issues.jsonl`)} merge=premath`,
      `${attributePath(`${inside}.premath/memory/events.jsonl`)} merge=premath`,
    ],
  }
}

export const mainInPackage = 'dist/cli/main.cjs'

/**
 * For the shell, which git starts at the top of the work tree, often without the path that npx or a
 * script of npm had. What is installed now comes first. When Node was upgraded since, the one on
 * the path takes over; when premath moved, the project's own does, or the one on the path.
 */
function driverCommand(inside: string, { node, main }: Installed): string {
  const own = `${inside}node_modules/premath/${mainInPackage}`
  // git quotes what it puts in for the letters.
  const merge = 'merge-driver %O %A %B %P'
  return [
    `n=${word(node)}`,
    'test -x "$n" || n=node',
    `m=${word(main)}`,
    `test -f "$m" || m=${word(own)}`,
    `test -f "$m" || exec premath ${merge}`,
    `exec "$n" "$m" ${merge}`,
  ].join('; ')
}

/** One word to the shell, in which git replaces nothing. */
const word = (text: string) => `'${text.replace(/'/g, "'\\''").replace(/%/g, '%%')}'`

/** The attributes of `text` that it lacks, added at its end; the text itself when it has them. */
export function withGitAttributes(text: string, lines: readonly string[]): string {
  const present = new Set(text.split('\n').map(line => line.trim()))
  const missing = lines.filter(line => !present.has(line))
  if (missing.length === 0) return text
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${missing.join('\n')}\n`
}

const attributePath = (path: string) =>
  /[\s"]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path

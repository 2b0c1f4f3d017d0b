/** What makes git merge issue memory by row: for `premath init --merge-driver`. */

export interface MergeDriverInstall {
  /** `git config <key> <value>`, each; in the clone's own configuration, since git shares none. */
  readonly gitConfig: readonly (readonly [key: string, value: string])[]
  /** Lines of `.gitattributes` at the root of the repository, which is shared. */
  readonly gitAttributes: readonly string[]
}

/** `folder` is the project's in the repository, `''` at its root; `command` is how premath starts. */
export function mergeDriverInstall(folder = '', command = 'premath'): MergeDriverInstall {
  const inside = folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`
  return {
    gitConfig: [
      ['merge.premath.name', 'premath issue memory, by row and field'],
      // git quotes what it puts in for the letters.
      ['merge.premath.driver', `${command} merge-driver %O %A %B %P`],
    ],
    gitAttributes: [
      `${attributePath(`${inside}.premath/issues.jsonl`)} merge=premath`,
      `${attributePath(`${inside}.premath/memory/events.jsonl`)} merge=premath`,
    ],
  }
}

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

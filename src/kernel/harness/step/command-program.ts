/** The program that a shell command starts with, as far as its text shows it. */

/** Words that `sh` runs itself, in dash or in bash. */
const shellWords: ReadonlySet<string> = new Set(
  [
    'case do done elif else esac fi for function if in select then time until while',
    '. : alias bg bind break builtin caller cd chdir command compgen complete continue declare dirs',
    'disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let',
    'local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source',
    'suspend test times trap true type typeset ulimit umask unalias unset wait',
  ].flatMap(line => line.split(' ')),
)

/** One word without quotes, expansions or patterns, and not an assignment or a function. */
const plainWord = /^\s*([\w./+@%:,-]+)(?=$|[\s;|&<>])/

/**
 * Returns `undefined` if only a shell can tell, or if the shell runs the word itself. A number before
 * `<` or `>` is a redirection.
 */
export function programOf(command: string): string | undefined {
  const word = plainWord.exec(command)?.[1]
  if (word === undefined || shellWords.has(word)) return undefined
  return /^\s*\d+[<>]/.test(command) ? undefined : word
}

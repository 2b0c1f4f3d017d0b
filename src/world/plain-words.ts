/** Texts with which a shell would do no more than to start a program. */
import { statSync } from 'node:fs'

/** Nothing in it means anything to a shell. An assignment has its sign in the first word. */
const plain = /^[\w./+-]+(?: +[\w./:@%+,=-]+)*$/

/** What some shell knows by itself, whatever programs there are by that name. */
const shellWords: ReadonlySet<string> = new Set(
  `. alias autoload bg bind break builtin caller case cd chdir command compgen complete compopt
  continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export
  false fc fg fi for function getopts hash help history if in jobs kill let local logout mapfile
  newgrp popd print printf pushd pwd read readarray readonly return select set shift shopt source
  suspend test then time times trap true type typeset ulimit umask unalias unset until wait whence
  while`.split(/\s+/),
)

/**
 * The words of such a text, where there is such a program; `undefined` where a shell has to read it.
 * What a shell only waits for may as well take its place: then its signals are its own.
 */
export function plainWords(text: string, path: string | undefined): readonly string[] | undefined {
  if (!plain.test(text)) return undefined
  const words = text.split(/ +/)
  const [program = ''] = words
  const isThere = program.includes('/') || (!shellWords.has(program) && isOnPath(program, path))
  return isThere ? words : undefined
}

/** An empty entry means the folder that a command runs in, and is left to the shell. */
const isOnPath = (program: string, path = '') =>
  path.split(':').some(folder => folder.startsWith('/') && isProgram(`${folder}/${program}`))

const executableBits = 0o111

function isProgram(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() === true && (found.mode & executableBits) !== 0
  } catch {
    // A part of the PATH that cannot be looked at is passed over, as a shell does.
    return false
  }
}

/** The scripts that a verify command runs. Work that changes one of them judges itself. */

const interpreters =
  /^(?:.*\/)?(?:ba|da|z|k)?sh$|^(?:.*\/)?(?:node|deno|bun|python3?|ruby|perl|php)$/

/** Programs that read their rules from a file that the command does not name. */
const rules: Readonly<Record<string, readonly string[]>> = {
  make: ['Makefile', 'GNUmakefile'],
  just: ['justfile', '.justfile'],
  task: ['Taskfile.{yml,yaml}', 'Taskfile.dist.{yml,yaml}'],
  rake: ['Rakefile'],
  nox: ['noxfile.py'],
  cargo: ['.cargo/**'],
}

/**
 * Paths in the command at the place of a program, or of the script of an interpreter. A command that
 * is too clever for this names no path: protect its files in the configuration.
 */
export function judgingFiles(command: string): readonly string[] {
  return command.split(/[;&|()\n]+/).flatMap(part => {
    const words = part.trim().split(/\s+/).map(withoutQuotes)
    const [program = '', ...others] = words.filter(word => !/^\w+=/.test(word))
    if (rules[program]) return rules[program]
    const modules = isPython.test(program) ? others.filter(word => runners.includes(word)) : []
    if (modules.length > 0) return modules.flatMap(name => [`${name}.py`, `${name}/**`])
    const script = interpreters.test(program) ? others.find(word => !word.startsWith('-')) : program
    return script !== undefined && /^(?!\/)[^$*?`]*[./]/.test(script) ? [withoutDot(script)] : []
  })
}

const isPython = /^(?:.*\/)?python[\d.]*$/

/** Modules after `-m`. Python looks for them in the working folder first. */
const runners = ['coverage', 'nox', 'pytest', 'tox', 'unittest']

const withoutQuotes = (word: string) => word.replace(/^(['"])(.*)\1$/, '$2')
const withoutDot = (path: string) => path.replace(/^(?:\.\/)+/, '')

/** The files that a verify command runs. Work that changes one of them judges itself. */
import { isJsonObject, jsonIn } from '../json.ts'

export interface Judging {
  /** Patterns of paths, from the folder in which the command runs. */
  readonly files: readonly string[]
  /** Shell scripts among them, which may run further scripts. */
  readonly shellScripts: readonly string[]
  /** Scripts of a `package.json`, which are commands themselves. */
  readonly packageScripts: readonly PackageScript[]
}

export interface PackageScript {
  /** The folder of the `package.json`, with a slash at the end, or blank. */
  readonly folder: string
  readonly name: string
}

const shells = /^(?:.*\/)?(?:ba|da|z|k)?sh$/
const interpreters = /^(?:.*\/)?(?:node|deno|bun|python[\d.]*|ruby|perl|php)$/
const isPython = /^(?:.*\/)?python[\d.]*$/

/** Programs that read their rules from a file that the command does not name. */
const rules: Readonly<Record<string, readonly string[]>> = {
  make: ['Makefile', 'GNUmakefile'],
  just: ['justfile', '.justfile'],
  task: ['Taskfile.{yml,yaml}', 'Taskfile.dist.{yml,yaml}'],
  rake: ['Rakefile'],
  nox: ['noxfile.py'],
  cargo: ['.cargo/**'],
}

/** Modules after `-m`. Python looks for them in the working folder first. */
const runners = ['coverage', 'nox', 'pytest', 'tox', 'unittest']

/** Programs that run the program after them. */
const wrappers = /^(?:env|exec|command|time|nice|nohup|timeout|xvfb-run)$/

/**
 * Paths in the command at the place of a program, or of the script of an interpreter. A command that
 * is too clever for this names no path: protect its files in the configuration.
 */
export function judgingFiles(command: string, from = ''): Judging {
  const files: string[] = []
  const shellScripts: string[] = []
  const packageScripts: PackageScript[] = []
  let folder = from
  for (const part of command.split(/[;&|()\n]+/)) {
    const [program = '', ...others] = wordsOf(part)
    const below = (path: string) => `${folder}${withoutDot(path)}`
    const script = scriptOf(program, others)
    if (program === 'cd') folder = folderAt(folder, others[0] ?? '')
    else if (rules[program]) files.push(...rules[program].map(below))
    else if (packageManagers.test(program))
      packageScripts.push(...namedScript(folder, program, others))
    else if (script !== undefined && /^(?!\/)[^$*?`]*[./]/.test(script)) {
      files.push(below(script))
      if (isShell(program, script)) shellScripts.push(below(script))
    }
    if (isPython.test(program)) {
      const modules = others.filter(word => runners.includes(word))
      files.push(...modules.flatMap(name => [below(`${name}.py`), below(`${name}/**`)]))
    }
  }
  return { files, shellScripts, packageScripts }
}

/**
 * The shell scripts that a shell script runs or reads, from the folder in which it runs. Programs of
 * other languages may be the work itself.
 */
export const shellScriptsIn = (text: string, folder: string): readonly string[] =>
  judgingFiles(text, folder).shellScripts

/** The commands of a script of a `package.json`, with those that run before and after it. */
export function packageCommands(text: string, { name }: PackageScript): readonly string[] {
  const document = jsonIn(text)
  const scripts = isJsonObject(document) ? document['scripts'] : undefined
  if (!isJsonObject(scripts)) return []
  return [`pre${name}`, name, `post${name}`].flatMap(one => {
    const command = scripts[one]
    return typeof command === 'string' ? [command] : []
  })
}

function wordsOf(part: string): readonly string[] {
  let words = part.trim().split(/\s+/).map(withoutQuotes)
  const isBefore = (word: string) => /^\w+=/.test(word)
  while (words[0] !== undefined && (isBefore(words[0]) || wrappers.test(words[0]))) {
    const isWrapper = wrappers.test(words[0])
    words = words.slice(1)
    // The options of a wrapper, and the seconds of `timeout`.
    while (isWrapper && words[0] !== undefined && /^-|^[\d.]+[smhd]?$/.test(words[0])) {
      words = words.slice(1)
    }
  }
  return words
}

const scriptOf = (program: string, others: readonly string[]): string | undefined => {
  if (program === '.' || program === 'source') return others[0]
  const isRead = shells.test(program) || interpreters.test(program)
  return isRead ? others.find(word => !word.startsWith('-')) : program
}

const isShell = (program: string, script: string) =>
  program === '.' ||
  program === 'source' ||
  shells.test(program) ||
  (program === script && (script.endsWith('.sh') || !/\.\w+$/.test(script)))

const packageManagers = /^(?:npm|pnpm|yarn|bun)$/

function namedScript(
  folder: string,
  program: string,
  words: readonly string[],
): readonly PackageScript[] {
  const at = words.findIndex(word => /^(?:--prefix|-C|--cwd|--dir)$/.test(word))
  const place = at < 0 ? folder : folderAt(folder, words[at + 1] ?? '')
  const rest = words.filter((word, index) => !word.startsWith('-') && (at < 0 || index !== at + 1))
  const isRun = rest[0] === 'run' || rest[0] === 'run-script'
  const name = isRun ? rest[1] : rest[0] === 't' || rest[0] === 'tst' ? 'test' : rest[0]
  const isScript = isRun || program !== 'npm' || name === 'test' || name === 'start'
  return name !== undefined && isScript ? [{ folder: place, name }] : []
}

/** The folder after `cd`, with a slash at its end. One that cannot be told stays. */
function folderAt(from: string, path: string): string {
  if (path === '' || /^[/~-]|[$*?`]/.test(path)) return from
  const names: string[] = []
  for (const name of `${from}${path}`.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.map(name => `${name}/`).join('')
}

const withoutQuotes = (word: string) => word.replace(/^(['"])(.*)\1$/, '$2')
const withoutDot = (path: string) => path.replace(/^(?:\.\/)+/, '')

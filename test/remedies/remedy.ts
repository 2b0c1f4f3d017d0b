/** A remedy, the state in which a command prints it, and what holds after a person did what it says. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { aProject } from '../a-project.ts'
import { commandsIn } from './scan.ts'

type Project = ReturnType<typeof aProject>

/** A project in a state, by the command lines of a person. */
export class Place {
  readonly project: Project
  readonly env: Record<string, string>
  /** Where the commands run. Defaults to the folder of the project. */
  cwd: string | undefined

  constructor(project: Project, env: Record<string, string> = {}) {
    this.project = project
    this.env = { COLUMNS: '9999', GIT_CONFIG_GLOBAL: '/dev/null', ...env }
  }

  at(path: string): string {
    return join(this.project.folder, path)
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  /**
   * The exit code and what the command printed, on one line. As in a shell, variables of the command
   * alone stand before it (an agent asks with CLAUDECODE=1), and a file may take the output.
   */
  ask(line: string) {
    const [, command = line, file] = /^(premath .*) > (\S+)$/.exec(line) ?? []
    const all = words(command)
    const start = all.findIndex(word => !/^[A-Z_]+=/.test(word))
    const [program = '', ...args] = all.slice(start)
    const own = Object.fromEntries(all.slice(0, start).map(word => word.split(/=(.*)/s)))
    const env = { ...this.env, ...own }
    const { status, stdout, stderr } =
      program === 'premath'
        ? this.project.premath(args, { env, cwd: this.#cwd })
        : this.#shell(line)
    if (file !== undefined) this.write(file, stdout)
    return { status, printed: `${stdout}\n${stderr}`.replace(/\s+/g, ' ') }
  }

  /** Runs command lines that must work. */
  run(...lines: readonly string[]): void {
    for (const line of lines) {
      const { status, printed } = this.ask(line)
      if (status !== 0) throw new Error(`${line} exits with ${status}: ${printed}`)
    }
  }

  get #cwd(): string {
    return this.cwd ?? this.project.folder
  }

  #shell(line: string) {
    return spawnSync('sh', ['-c', line], {
      cwd: this.#cwd,
      encoding: 'utf8',
      maxBuffer: 8 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...this.project.env, ...this.env, ...person },
    })
  }
}

const person = {
  GIT_AUTHOR_NAME: 'ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
}

/** The words of a command line; quotes keep blanks. */
const words = (line: string): readonly string[] =>
  (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map(word => word.replace(/['"]/g, ''))

export interface Row {
  /** As its source has it: `…` stands for a value. */
  readonly remedy: string
  /** Command lines that lead to the state, or a function for what no command does. */
  readonly given: readonly string[] | ((place: Place) => void)
  /** The command that prints the remedy. */
  readonly ask: string
  /** The text as it is printed, where a value of it is more than a word with flags. */
  readonly printed?: RegExp
  /** Command lines for what the text asks in words, before its commands: a file is moved, work is done. */
  readonly does?: readonly string[]
  /** By the command as printed, or its beginning: the command, or the lines, as a person completes it. */
  readonly completes?: Readonly<Record<string, string | readonly string[]>>
  /** Commands that this text names and nobody is to run here, with the reason. */
  readonly leaves?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Part of the output of its command. Without it the remedy mends the state. */
  readonly shows?: RegExp
  /** The exit code of its command, where that is the answer. Otherwise none of a mistake. */
  readonly exits?: number
  /** The command that works afterwards, where it is another one than `ask`, or several. */
  readonly works?: string | readonly string[]
}

/** A word of a sentence that follows a command. */
const wordsAfter =
  /^(lists?|shows?|prints?|makes?|writes?|wrote|rewrites?|removes?|says?|tells?|takes?|tries|gives?|closes?|finishes|adds?|creates?|sets?|leases?|moves?|merges?|keeps?|completes|configures|restores|brings|checks|leaves|runs|names?|&&|first|again|then|or|and|now|in|on|to|it|which|with|as|there|of|by|for|if|puts|does|so)$/

/** The commands that a printed text names, with their arguments. */
export function commandLines(printed: string): readonly string[] {
  const starts = [...printed.matchAll(new RegExp(commandsIn(printed).map(literal).join('|'), 'g'))]
  return starts.map(({ 0: name, index }) => {
    const rest = printed
      .slice(index + name.length)
      .split(/[.;:,]?(?=\s(?:premath|git) )|[.;,)](?:\s|$)|`/)[0]
    const parts = rest?.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
    const end = parts.findIndex(part => wordsAfter.test(part))
    return [name, ...(end === -1 ? parts : parts.slice(0, end))].join(' ')
  })
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * The text as it is printed. At its end, a value is a word with flags. A value at its beginning could
 * be all that is printed before.
 */
const shape = (remedy: string) =>
  new RegExp(
    remedy
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^…+ /, '')
      .replace(/…+(\.?)$/, '\0$1')
      .split('…')
      .map(literal)
      .join('(.*?)')
      .replace('\0', "(?:'[^']*'|\"[^\"]*\"|--[\\w-]+ \\S+|\\S+)(?: '[^']*')*(?: --[\\w-]+ \\S+)*"),
  )

type Completes = NonNullable<Row['completes']>

/** A beginning stands for a command that ends with a value, such as the id of a commit. */
function completed(command: string, completes: Completes): readonly string[] {
  const whole = completes[command]
  if (whole !== undefined) return [whole].flat()
  const begins = Object.entries(completes).find(([start]) => command.startsWith(`${start} `))
  return begins ? [`${begins[1]}${command.slice(begins[0].length)}`] : [command]
}

/** A person runs git to see why it fails, with 128. */
function exitsOf({ shows, exits }: Row, command: string): readonly number[] {
  if (exits !== undefined) return [exits]
  return shows ? [0, 1, 3, 5, ...(command.startsWith('git ') ? [128] : [])] : [0]
}

/** Runs what a remedy says, in the state in which a command prints it. */
export function runRemedy(project: Project, row: Row): void {
  const { remedy, given, ask, does = [], completes = {}, leaves = {} } = row
  const begin = () => {
    project.begin()
    const place = new Place(project, row.env)
    if (typeof given === 'function') given(place)
    else place.run(...given)
    return place
  }
  const before = begin()
  const { status, printed } = before.ask(ask)
  const found = (row.printed ?? shape(remedy)).exec(printed)
  expect(found, `${ask} exits with ${status}: ${printed}`).not.toBeNull()
  const lines = commandLines(found?.[0] ?? '').filter(line => !(line in leaves))
  expect(lines).not.toEqual([])
  const isSequence = /\bthen\b|&&/i.test(remedy)
  const runs = isSequence ? [lines] : lines.map(line => [line])
  for (const [number, commands] of runs.entries()) {
    const place = number === 0 ? before : begin()
    if (number > 0) place.ask(ask)
    place.run(...does)
    for (const command of commands.flatMap(line => completed(line, completes))) {
      const answer = place.ask(command)
      const told = `${command} exits with ${answer.status}: ${answer.printed}`
      expect(exitsOf(row, command), told).toContain(answer.status)
      if (row.shows) expect(answer.printed, told).toMatch(row.shows)
    }
    for (const after of [row.works ?? (row.shows ? [] : ask)].flat()) {
      const answer = place.ask(after)
      expect(answer.status, `afterwards ${after}: ${answer.printed}`).toBe(0)
    }
  }
}

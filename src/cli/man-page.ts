/** The manual page `premath.1`, in roff, from the data of the reference pages. */
import type { referenceData } from './reference-data.ts'

type Reference = Awaited<ReturnType<typeof referenceData>>

export function manPage(reference: Reference): string {
  const { version, purpose, globalFlags, exitCodes, groups, everyday, files, environment } =
    reference
  return [
    `.TH PREMATH 1 "" "premath ${roff(version)}" "User Commands"`,
    // Commands and paths must not be broken, and short lines not be stretched.
    '.nh',
    '.ad l',
    '.SH NAME',
    `premath \\- ${roff(withoutDot(purpose))}`,
    '.SH SYNOPSIS',
    '.B premath',
    '.I command',
    '.RI [ argument ...]',
    '.br',
    '.B premath help',
    '.RI [ command ]',
    '.br',
    '.B premath \\-\\-version',
    '.SH DESCRIPTION',
    roff(`premath ${withoutDot(purpose)}.`),
    roff('Results go to stdout, messages to stderr. premath help explains each command in full.'),
    '.PP',
    'All commands take these flags:',
    ...globalFlags.flatMap(({ name, means }) => entry(`--${name}`, means)),
    '.SH EVERYDAY COMMANDS',
    ...everyday.flatMap(commandEntry),
    '.SH ALL COMMANDS',
    ...groups.flatMap(({ title, commands }) => [
      `.SS ${roff(title)}`,
      ...commands.flatMap(commandEntry),
    ]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(({ code, means }) => entry(code, `${means}.`)),
    '.SH FILES',
    'Paths start at the root of the project.',
    ...files.flatMap(({ path, holds }) => entry(path, `${sentence(holds)}.`)),
    '.SH ENVIRONMENT',
    'premath reads these variables:',
    ...environment.read.flatMap(({ name, means }) => entry(name, means)),
    '.PP',
    'It sets these for the commands that it runs:',
    ...environment.set.flatMap(({ name, means }) => entry(name, means)),
    '.SH SEE ALSO',
    '.BR git (1),',
    '.BR git\\-worktree (1)',
    '.PP',
    roff('The folder docs of the package has a tutorial, how-to pages and the reference.'),
    '',
  ].join('\n')
}

const commandEntry = ({
  command,
  summary,
}: {
  readonly command: string
  readonly summary: string
}) => entry(`premath ${command}`, summary)

const entry = (name: string, means: string): readonly string[] => [
  '.TP',
  `.B ${roff(name).replaceAll('-', '\\-')}`,
  roff(sentence(means)),
]

const sentence = (text: string) => text.replace(/^[a-z]/, letter => letter.toUpperCase())

const withoutDot = (text: string) =>
  text.replace(/^[A-Z]/, letter => letter.toLowerCase()).replace(/\.$/, '')

/** Text of one line. A dot or a quote at its start would be a request, and roff reads ASCII. */
export const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('\n', ' ')
    .replace(/^[.']/, '\\&$&')
    .replaceAll('"', '\\(dq')
    .replace(/[^\x20-\x7e]/gu, letter => {
      const code = letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      return `\\[u${code}]`
    })

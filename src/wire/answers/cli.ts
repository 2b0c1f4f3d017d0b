/** The answers of the commands of the command line itself. */
import { about, list, map, openRecord, optional, record, text, union, word } from '../shape.ts'

const Explained = record({
  command: text,
  group: text,
  summary: text,
  shortFor: optional(text, 'The command line that it is a short name for.'),
  description: optional(text),
  effect: word(['read', 'projection', 'mutation']),
  opId: text,
  fields: about(list(openRecord({})), 'Each as the command declares it.'),
  examples: list(record({ command: text, shows: text })),
})

/** One command, or several. */
export const HelpAnswer = union([
  Explained,
  record({
    version: text,
    commands: list(Explained),
    exitCodes: about(map(text), 'The meaning of each exit code.'),
    globalFlags: map(text),
  }),
])

export const VersionAnswer = record({ version: text })

export const CompletionAnswer = record({ shell: word(['bash', 'fish', 'zsh']), script: text })

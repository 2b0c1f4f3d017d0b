import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { twoColumns } from '../../render/columns.ts'
import { SchemaAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'

export const schema = operation({
  group: 'reference',
  summary: 'List the artifact kinds, or print the JSON Schema of one or of an answer.',
  description:
    'Every artifact has a kind, and every kind has a JSON Schema (2020-12) generated from the code that reads it. The same schemas are in the folder schemas/ of the package. premath.spec.case.v1 is for editors, which know draft 7 best. --command prints the schema of what a command answers with --json: the answer of success and of a negative verdict, and under $defs/error that of a refusal or a failure. For a command that prints one value per line it is the schema of a line.',
  effect: 'read',
  opId: 'op/project.schema',
  input: {
    kind: textField('kind', 'The kind to print; without it, lists all kinds.', {
      positional: true,
    }),
    command: textField('command', 'Print the schema of the answer of this command instead.'),
  },
  output: SchemaAnswer,
  examples: {
    'premath schema': 'every kind with its title',
    'premath schema premath.harness.typestate_normalized.v1':
      'the JSON Schema of a normalized turn',
    "premath schema --command 'issue ready'":
      'the JSON Schema of the answer of premath issue ready',
  },

  async run({ kind, command }) {
    if (command !== undefined) return await answerOf(command, kind)
    // Only this command needs the shapes of all artifacts.
    const { publishedSchemas } = await import('../../project/published-schemas.ts')
    const schemas = publishedSchemas()
    if (kind === undefined) return kindList(schemas)
    if (!Object.hasOwn(schemas, kind)) throw unknownKind(kind, Object.keys(schemas))
    return printed(schemas[kind])
  },
})

const printed = (schema: unknown) => ({
  output: schema,
  yes: true,
  render: () => printJson(schema),
})

async function answerOf(asked: string, kind: string | undefined) {
  if (kind !== undefined) {
    throw new Fault('usage', '<kind> and --command exclude each other: pass one of them')
  }
  // They know this command, too.
  const { operations } = await import('../index.ts')
  const { withShortNames } = await import('../short-names.ts')
  const { answerSchema } = await import('../../wire/answers/answer-schema.ts')
  const commands = withShortNames(operations)
  const command = asked.trim().split(/\s+/).join(' ')
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined
  if (!load) throw unknownCommand(command, Object.keys(commands))
  const { output, summary } = await load()
  return printed(answerSchema(output, { command, summary }))
}

function unknownCommand(command: string, commands: readonly string[]): Fault {
  const meant = nearest(command, commands)
  return new Fault('usage', `there is no command ${JSON.stringify(command)}`, {
    hint: meant ? `did you mean ${meant}?` : 'premath help --all lists every command',
    detail: { command, ...(meant && { nearest: meant }) },
  })
}

function kindList(schemas: Readonly<Record<string, unknown>>) {
  const kinds = Object.entries(schemas)
    .map(([kind, schema]) => ({ kind, title: titleOf(kind, schema) }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
  return {
    output: { kinds },
    yes: true,
    render: ({ columns }: { readonly columns: number }) =>
      `${twoColumns(
        kinds.map(({ kind, title }) => [kind, title] as const),
        columns,
      )}\n`,
  }
}

/** Prefers the schema's description to its kind. */
function titleOf(kind: string, schema: unknown): string {
  const { title, description } = schema as { title?: string; description?: string }
  return description ?? title ?? kind
}

function unknownKind(kind: string, kinds: readonly string[]): Fault {
  const meant = nearest(kind, kinds)
  return new Fault('usage', `unknown kind ${JSON.stringify(kind)}`, {
    hint: meant ? `did you mean ${meant}?` : 'premath schema lists every kind',
    detail: { kind, ...(meant && { nearest: meant }) },
  })
}

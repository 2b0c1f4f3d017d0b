import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { twoColumns } from '../../render/columns.ts'
import { operation } from '../operation.ts'

export const schema = operation({
  group: 'reference',
  summary: 'List the artifact kinds, or print the JSON Schema of one.',
  description:
    'Every artifact has a kind, and every kind has a JSON Schema (2020-12) generated from the code that reads it. The same schemas are in the folder schemas/ of the package. premath.spec.case.v1 is for editors, which know draft 7 best.',
  effect: 'read',
  opId: 'op/project.schema',
  input: {
    kind: textField('kind', 'The kind to print; without it, lists all kinds.', {
      positional: true,
    }),
  },
  examples: {
    'premath schema': 'every kind with its title',
    'premath schema premath.harness.typestate_normalized.v1':
      'the JSON Schema of a normalized turn',
  },

  async run({ kind }) {
    // Only this command needs the shapes of all artifacts.
    const { publishedSchemas } = await import('../../project/published-schemas.ts')
    const schemas = publishedSchemas()
    if (kind === undefined) return kindList(schemas)
    if (!Object.hasOwn(schemas, kind)) throw unknownKind(kind, Object.keys(schemas))
    const chosen = schemas[kind]
    return { output: chosen, yes: true, render: () => printJson(chosen) }
  },
})

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

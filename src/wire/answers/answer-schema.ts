/** The JSON Schema of the answer of a command. */
import { dialect, jsonSchemaOf } from '../json-schema.ts'
import type { Shape } from '../shape.ts'
import { ErrorAnswer } from './error.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * The answer of success and of a negative verdict. That of a refusal or a failure is beside it. The
 * root says that it is an object, which MCP asks for.
 */
export const answerSchema = (
  output: Shape,
  { command, summary }: { readonly command: string; readonly summary: string },
): Schema => ({
  $schema: dialect,
  type: 'object',
  ...jsonSchemaOf(output),
  title: `premath ${command}`,
  description: summary,
  $defs: { error: jsonSchemaOf(ErrorAnswer) },
})

/** Every answer that a command may give, for surfaces that return errors in the same place. */
export const answerOrErrorSchema = (output: Shape): Schema => ({
  type: 'object',
  anyOf: [jsonSchemaOf(output), jsonSchemaOf(ErrorAnswer)],
})

/** The official client, connected to the built server. Its server starts no resident process. */
import {
  type CallToolResult,
  Client,
  type JsonSchemaType,
  type JsonSchemaValidator,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { main } from '../built-command.ts'

/** The revision that hosts of each era speak. */
export const eras = { '2026-07-28': 'auto', '2025-11-25': 'legacy' } as const
export type Era = keyof typeof eras

export const allEras = Object.keys(eras) as Era[]

export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** A server that is asked here starts no resident process, which would outlive its test. */
export const withoutResident = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...env, CI: '1' })

type Members = Readonly<Record<string, unknown>>

interface Answer {
  readonly isError: boolean
  readonly text: string
  readonly json: ReturnType<typeof JSON.parse>
}

export interface Connected {
  readonly client: Client
  readonly processId: number
  /** The answer of a tool. Text and structured content have to say the same. */
  call(name: string, args?: Members, meta?: Members): Promise<Answer>
  close(): Promise<void>
}

export const connected = async (
  { cwd, env }: Place,
  era?: Era,
  flags?: readonly string[],
): Promise<Connected> => await connectedAsIs({ cwd, env: withoutResident(env) }, era, flags)

/** The client asks a derived transport for its revision on the same process, and starts no other one. */
class OneProcess extends StdioClientTransport {}

/** Compiling the schemas of all tools takes half a second; every client gets the same ones. */
const compiled = new Map<string, JsonSchemaValidator<unknown>>()
const compiler = new AjvJsonSchemaValidator()

export const compiledOnce = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema)
    const validator = compiled.get(text) ?? compiler.getValidator(schema)
    compiled.set(text, validator)
    return validator as JsonSchemaValidator<T>
  },
}

/** The server may start a resident process, which the caller has to end. */
export async function connectedAsIs(
  { cwd, env }: Place,
  era: Era = '2026-07-28',
  flags: readonly string[] = [],
  Transport: typeof StdioClientTransport = OneProcess,
): Promise<Connected> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: eras[era] }, jsonSchemaValidator: compiledOnce },
  )
  const transport = new Transport({
    command: process.execPath,
    args: [main, 'mcp-serve', ...flags],
    cwd,
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    stderr: 'ignore',
  })
  await client.connect(transport)
  // Then it compares each answer with the schema of its tool, as hosts do.
  await client.listTools()
  return {
    client,
    processId: transport.pid ?? 0,
    async call(name, args = {}, meta) {
      const params = { name, arguments: { ...args }, ...(meta && { _meta: { ...meta } }) }
      return answerIn(await client.callTool(params))
    },
    close: () => client.close(),
  }
}

export function answerIn({ content, structuredContent, isError }: CallToolResult): Answer {
  const [first, ...others] = content
  if (first?.type !== 'text' || others.length > 0) throw new Error('the answer is not one text')
  if (JSON.stringify(JSON.parse(first.text)) !== JSON.stringify(structuredContent)) {
    throw new Error('text and structured content differ')
  }
  return { isError: isError === true, text: first.text, json: structuredContent }
}

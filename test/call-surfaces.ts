/**
 * One command line, asked of any surface. Its words are read as the command line reads them, so that
 * a tool and a host function get the very input of the command. A new surface is one more asker.
 */
import { spawn } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { allCommands } from '../src/cli/commands.ts'
import { findCommand, readFlags } from '../src/cli/flags.ts'
import { Fault } from '../src/fault.ts'
import { absentValue } from '../src/field.ts'
import { type Exposed, exposed } from '../src/operations/exposed.ts'
import { operations } from '../src/operations/index.ts'
import { shortNames } from '../src/operations/short-names.ts'
import { main } from './built-command.ts'
import { connected, type Era, type Place } from './mcp/a-client.ts'

export interface Answer {
  readonly status: number
  /** As `--json` prints it. */
  readonly json: ReturnType<typeof JSON.parse>
}

type Json = Answer['json']

export interface Ran {
  readonly status: number | null
  readonly stdout: string
}

/** How a test reaches the command and the server. */
export interface Means {
  run(words: readonly string[], input?: string): Promise<Ran>
  tool(era: Era, name: string, args: ExposedCall['args']): Promise<Json>
}

type Ask = (words: readonly string[], means: Means) => Promise<Answer>

export interface ExposedCall {
  readonly entry: Exposed
  readonly args: Readonly<Record<string, unknown>>
}

const commands = allCommands(operations)

/** The call that says the same as a command line; `undefined` if its command is not exposed. */
export async function exposedCall(words: readonly string[]): Promise<ExposedCall | undefined> {
  const { command: written, args: flags } = findCommand(words, Object.keys(commands))
  const { command = written, given = {} } = shortNames[written] ?? {}
  const entries = exposed.filter(one => one.command === command)
  const operation = await commands[written]?.()
  if (entries.length === 0 || operation === undefined) return undefined
  const input = readable(() => readFlags(written, operation, flags).input)
  if (input === undefined) return undefined
  const said = Object.entries(operation.input).flatMap(([name, field]) =>
    isDeepStrictEqual(input[name], absentValue(field)) ? [] : [[name, input[name]] as const],
  )
  const named = { ...Object.fromEntries(said), ...given }
  const isMeant = ({ fixed = {} }: Exposed) =>
    Object.entries(fixed).every(([name, value]) => input[name] === value)
  const entry = entries.find(isMeant)
  if (entry === undefined) return undefined
  const isFixed = (name: string) => Object.hasOwn(entry.fixed ?? {}, name)
  const args = Object.entries(named).filter(([name]) => !isFixed(name))
  return { entry, args: Object.fromEntries(args) }
}

/** Words that the command line refuses say nothing that another surface could be asked. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault && error.code === 'usage') return undefined
    throw error
  }
}

/** The words of a refusal that a caller sees. */
export const wordsIn = ({ failureClasses, error }: Json) => ({ failureClasses, error })

const onCommandLine: Ask = async (words, { run }) => answerIn(await run([...words, '--json']))

const answerIn = ({ status, stdout }: Ran): Answer => ({
  status: status ?? 1,
  json: JSON.parse(stdout || 'null'),
})

const overMcp =
  (era: Era): Ask =>
  async (words, means) => {
    const asking = await exposedCall(words)
    if (asking === undefined) return await onCommandLine(words, means)
    const json = await means.tool(era, asking.entry.tool, asking.args)
    return { status: json.exitCode ?? 0, json }
  }

/** Needs the surface of MCP, also where a program calls it. */
const transportFlags = ({ action }: Exposed) =>
  /^issue\.lease_re/.test(action) ? ['--host-action-transport', 'mcp'] : []

type Program = (asking: ExposedCall) => readonly [flags: readonly string[], input: string]

/** The payload of the one effect is the answer. */
const byProgram =
  (programOf: Program): Ask =>
  async (words, means) => {
    const asking = await exposedCall(words)
    if (asking === undefined || asking.entry.command === 'scheme-eval') {
      return await onCommandLine(words, means)
    }
    const [flags, input] = programOf(asking)
    const more = [...transportFlags(asking.entry), '--json']
    const { json } = answerIn(await means.run(['scheme-eval', ...flags, ...more], input))
    const [effect] = json.effects ?? []
    // The command refused the whole program, as for a policy that nobody can read.
    if (effect === undefined) return { status: json.exitCode ?? 1, json }
    const { payload, failureClasses } = effect
    return { status: payload.exitCode ?? Number(failureClasses.length > 0), json: payload }
  }

/** New processes, in the folder and the environment of a caller. */
export const inProcesses = (place: Place): Means => ({
  run: (words, input = '') =>
    new Promise(settle => {
      const child = spawn(process.execPath, [main, ...words], {
        ...place,
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      child.stdin.on('error', () => {})
      child.stdin.end(input)
      let stdout = ''
      child.stdout.on('data', text => {
        stdout += text
      })
      child.on('close', status => settle({ status, stdout }))
    }),
  async tool(era, name, args) {
    const { call, close } = await connected(place, era)
    const { json } = await call(name, args)
    await close()
    return json
  },
})

/** A call as Scheme writes it. */
export const schemeOf = ({ entry, args }: ExposedCall): string => {
  const members = Object.entries(args).map(([name, value]) => `"${name}" ${literal(value)}`)
  return `(host "${entry.action}" (hash ${members.join(' ')}))`
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `(list ${value.map(literal).join(' ')})`
  if (typeof value === 'boolean') return value ? '#t' : '#f'
  return JSON.stringify(value)
}

export const callListOf = (...calls: readonly ExposedCall[]): string =>
  JSON.stringify({ calls: calls.map(({ entry, args }) => ({ action: entry.action, args })) })

export const askers = {
  'the command line': onCommandLine,
  'MCP 2026-07-28': overMcp('2026-07-28'),
  'MCP 2025-11-25': overMcp('2025-11-25'),
  'a program': byProgram(asking => [['--expression', schemeOf(asking)], '']),
  'a list of calls': byProgram(asking => [['--program', '-'], callListOf(asking)]),
} as const satisfies Readonly<Record<string, Ask>>

export type SurfaceName = keyof typeof askers

export const otherSurfaces = Object.keys(askers).filter(
  name => name !== 'the command line',
) as readonly Exclude<SurfaceName, 'the command line'>[]

/** What the resident process and its clients say to each other: one line of JSON each. */
import type { ExitCode } from '../answer.ts'
import { Fault } from '../fault.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../kernel/json.ts'
import { printJsonLine } from '../kernel/text/print-json.ts'

/** A question, as the command would be asked in the process of the client. */
export interface Question {
  readonly command: string
  readonly args: JsonObject
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly surface: 'cli' | 'mcp'
  /** How the caller names the fields, and the input that it cannot set. */
  readonly names: JsonObject
}

/** The text that `--json` prints, and how the command ended. */
export interface Answered {
  readonly text: string
  readonly exitCode: ExitCode
  readonly isError: boolean
}

/** `status` asks about the process itself, and `stop` ends it. */
export type Request =
  | { readonly ask: 'answer'; readonly question: Question }
  | { readonly ask: 'status' | 'stop' }

export type RefusalReason =
  /** The client has another version. This process ends, so that the client can start its own. */
  | 'version'
  /** This process ends: its program, its project or its setting changed. */
  | 'ending'
  /** The command changes something, or is not one of those that are answered here. */
  | 'not_answered'
  | 'malformed'

export interface ResidentStatus {
  /** `null` where the system does not tell. */
  readonly pid: number | null
  readonly version: string
  readonly startedAt: string
  readonly questions: number
}

export type Reply =
  | { readonly answer: Answered }
  | { readonly status: ResidentStatus }
  | { readonly refused: RefusalReason }

export const printRequest = (request: Request, version: string): string =>
  printLine({ ...request, premath: version })

/** A question is one of a client with the same version. */
export function readRequest(line: string, version: string): Request | RefusalReason {
  const read = objectIn(line)
  if (read === undefined) return 'malformed'
  const { ask } = read
  // A person sees and stops the process of any version.
  if (ask === 'status' || ask === 'stop') return { ask }
  if (typeof read['premath'] !== 'string') return 'malformed'
  if (read['premath'] !== version) return 'version'
  const question = questionIn(read['question'])
  return ask === 'answer' && question ? { ask, question } : 'malformed'
}

function questionIn(value: Json | undefined): Question | undefined {
  if (!isJsonObject(value)) return undefined
  const { command, args, cwd, env, surface, names } = value
  if (typeof command !== 'string' || !isJsonObject(args) || !isJsonObject(names)) return undefined
  if (typeof cwd !== 'string' || !cwd.startsWith('/')) return undefined
  if (surface !== 'cli' && surface !== 'mcp') return undefined
  if (!isJsonObject(env)) return undefined
  const variables: Record<string, string> = {}
  for (const [name, text] of Object.entries(env)) {
    if (typeof text !== 'string') return undefined
    variables[name] = text
  }
  return { command, args, cwd, env: variables, surface, names }
}

export const printReply = (reply: Reply): string => printLine(reply)

/** The members of a reply. */
export const readReply = (line: string): JsonObject => objectIn(line) ?? {}

/** `undefined` for a reply without an answer. */
export function answerIn({ answer }: JsonObject): Answered | undefined {
  if (!isJsonObject(answer)) return undefined
  const { text, exitCode, isError } = answer
  const known = exitCodes.find(one => one === exitCode)
  if (typeof text !== 'string' || known === undefined) return undefined
  return { text, exitCode: known, isError: isError === true }
}

const exitCodes: readonly ExitCode[] = [0, 1, 2, 3, 4, 5]

/** `undefined` for a reply of another kind. */
export function statusIn({ status }: JsonObject): ResidentStatus | undefined {
  if (!isJsonObject(status)) return undefined
  const { pid, version, startedAt, questions } = status
  return {
    pid: typeof pid === 'number' ? pid : null,
    version: String(version),
    startedAt: String(startedAt),
    questions: Number(questions),
  }
}

/** Without the line feed, which the service adds. */
const printLine = (value: object): string => printJsonLine(value).trimEnd()

/** `undefined` for a line that is no object in JSON. */
function objectIn(line: string): JsonObject | undefined {
  try {
    const read = parseJson(line, { numbersAreCanonical: true })
    return isJsonObject(read) ? read : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

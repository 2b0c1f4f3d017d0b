/**
 * Classifies the end of a command: one of three verification classes, or the class that the command
 * reports itself.
 */
import { isJsonObject, jsonIn } from '../../json.ts'
import { trim } from '../../text/clean.ts'

/** How a command ended. Unknown members may be omitted. */
export interface CommandEnd {
  /** True if it never ran: the program or folder is missing, or no process could be created. */
  readonly spawnFailed?: boolean | undefined
  /** `null` if a signal ended it or it never ran. */
  readonly exitCode?: number | null | undefined
  readonly signal?: string | null | undefined
  readonly timedOut?: boolean | undefined
  /** True if it failed and then passed when it was run again. */
  readonly passedOnRerun?: boolean | undefined
  /** The end of its output. */
  readonly stderrTail?: string | undefined
  readonly stdoutTail?: string | undefined
}

/** The three classes of the contract and their names in a retry policy. */
export const verificationClasses = {
  semantic: 'check_failed',
  wiring: 'executor_unavailable',
  flaky: 'flaky_execution',
} as const

/** A timeout is flaky by contract. It has a class of its own, because a retry costs as long again. */
export const timeoutClass = 'command_timeout'

type VerificationClass = keyof typeof verificationClasses

export interface Failure {
  /** `typed`: the command reported its own classes. */
  readonly verificationClass: VerificationClass | 'typed'
  readonly failureClasses: readonly string[]
}

/** Returns `undefined` if the command passed. An unknown result counts as failed. */
export function classifyEnd(end: CommandEnd): Failure | undefined {
  if (hasPassed(end)) return undefined
  const typed = typedClasses(end)
  if (typed.length > 0) return { verificationClass: 'typed', failureClasses: typed }
  const verificationClass = verificationClassOf(end)
  const isTimeout = end.timedOut === true && verificationClass === 'flaky'
  const failureClass = isTimeout ? timeoutClass : verificationClasses[verificationClass]
  return { verificationClass, failureClasses: [failureClass] }
}

/** True if a shell could not run a program. No other exit code is that certain. */
export const isUnrunnable = (exitCode: number | null | undefined): boolean =>
  exitCode === 126 || exitCode === 127

/** True if the environment failed, and not the work on an issue. */
export const isEnvironmentFailure = (failureClasses: readonly string[]): boolean =>
  failureClasses.includes(verificationClasses.wiring)

const hasPassed = ({ spawnFailed, exitCode, signal, timedOut, passedOnRerun }: CommandEnd) =>
  exitCode === 0 && !signal && !spawnFailed && !timedOut && !passedOnRerun

function verificationClassOf(end: CommandEnd): VerificationClass {
  const { spawnFailed, exitCode, signal, timedOut, passedOnRerun } = end
  if (spawnFailed || isUnrunnable(exitCode)) return 'wiring'
  if (timedOut || signal || passedOnRerun || isSignalExit(exitCode)) return 'flaky'
  return missingFile.test(lastLineOf(end.stderrTail)) ? 'wiring' : 'semantic'
}

/**
 * A shell reports a signal as 128 plus its number. 129 is excluded, because git uses it for wrong
 * usage.
 */
const isSignalExit = (exitCode: number | null | undefined) =>
  typeof exitCode === 'number' && exitCode >= 130 && exitCode <= 159

/**
 * The message of the C library, which shells and interpreters print for a missing program or
 * script.
 */
const missingFile = /\bno such file(?: or directory)?\b/i

/** Looks at the last line of stderr, otherwise at stdout if all of it is one JSON object. */
function typedClasses({ stderrTail, stdoutTail }: CommandEnd): readonly string[] {
  const line = lastLineOf(stderrTail)
  const classes = [...classesInAnswer(line), ...classAtStart(line)]
  return [...new Set(classes.length > 0 ? classes : classesInAnswer(trim(stdoutTail ?? '')))]
}

const coloured = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'g')

function lastLineOf(text = ''): string {
  const lines = text.replace(coloured, '').split(/[\r\n]+/)
  return trim(lines.findLast(line => trim(line) !== '') ?? '')
}

/**
 * A class is `snake_case`, optionally with dotted families before it. The last word needs an
 * underscore, so that file names such as `main.c:` and `test_login.py:` do not match.
 */
const classPattern =
  /^(?:(?:error|fatal|failure|failed|premath): *)*((?:\w+\.)*[a-z0-9]+(?:_[a-z0-9]+)+):(?:\s|$)/i

function classAtStart(line: string): readonly string[] {
  const found = classPattern.exec(line)?.[1]
  return found !== undefined && isFailureClass(found) ? [found] : []
}

/** A single word, because it is printed in titles and in one-line notes. */
export const isFailureClass = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,199}$/i.test(text)

const oneClass = ['failureClass', 'reasonClass']
const manyClasses = ['failureClasses', 'operationalFailureClasses', 'semanticFailureClasses']

function classesInAnswer(text: string): readonly string[] {
  const answer = text.startsWith('{') ? jsonIn(text) : undefined
  if (!isJsonObject(answer)) return []
  const many = manyClasses.flatMap(field => answer[field] ?? [])
  return [...oneClass.map(field => answer[field]), ...many]
    .filter(value => typeof value === 'string')
    .map(trim)
    .filter(isFailureClass)
}

/** Result classes are compared without case, and `-` equals `_`. */
const comparable = (resultClass: string) => resultClass.trim().toLowerCase().replaceAll('-', '_')

const successes: ReadonlySet<string> = new Set([
  'accepted',
  'verified_accept',
  'completed',
  'success',
  'ok',
  'passed',
])

/** Interprets the result class of a step: success, failure, or retry needed. */
export const isSuccess = (resultClass: string): boolean => successes.has(comparable(resultClass))

const retryWords = ['retry', 'transient', 'timeout', 'network', 'rate_limit']

export function isRetryNeeded(resultClass: string): boolean {
  const compared = comparable(resultClass)
  return retryWords.some(word => compared.includes(word))
}

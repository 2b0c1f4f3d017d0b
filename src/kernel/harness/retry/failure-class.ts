/** What the end of a command says: which of three kinds of failure, or the class it names itself. */

import { isJsonObject, jsonIn } from '../../json.ts'
import { trim } from '../../text/clean.ts'

/** How a command ended. Members that nobody knows may be left out. */
export interface CommandEnd {
  /** It never ran: no such program, no such folder, no process left. */
  readonly spawnFailed?: boolean | undefined
  /** `null` where a signal ended it, or it never ran. */
  readonly exitCode?: number | null | undefined
  readonly signal?: string | null | undefined
  readonly timedOut?: boolean | undefined
  /** It failed, and passed when it was run again at once. */
  readonly passedOnRerun?: boolean | undefined
  /** The last of what it wrote. */
  readonly stderrTail?: string | undefined
  readonly stdoutTail?: string | undefined
}

/** The three of the contract, and what each is called in a retry policy. */
export const verificationClasses = {
  semantic: 'check_failed',
  wiring: 'executor_unavailable',
  flaky: 'flaky_execution',
} as const

export type VerificationClass = keyof typeof verificationClasses

export interface Failure {
  /** `typed`: the command named its classes itself. */
  readonly verificationClass: VerificationClass | 'typed'
  readonly failureClasses: readonly string[]
}

/** `undefined` where the command passed. What is not known to have passed has failed. */
export function classifyEnd(end: CommandEnd): Failure | undefined {
  if (hasPassed(end)) return undefined
  const typed = typedClasses(end)
  if (typed.length > 0) return { verificationClass: 'typed', failureClasses: typed }
  const verificationClass = verificationClassOf(end)
  return { verificationClass, failureClasses: [verificationClasses[verificationClass]] }
}

const hasPassed = ({ spawnFailed, exitCode, signal, timedOut, passedOnRerun }: CommandEnd) =>
  exitCode === 0 && !signal && !spawnFailed && !timedOut && !passedOnRerun

function verificationClassOf(end: CommandEnd): VerificationClass {
  const { spawnFailed, exitCode, signal, timedOut, passedOnRerun } = end
  if (spawnFailed || exitCode === 126 || exitCode === 127) return 'wiring'
  if (timedOut || signal || passedOnRerun || tellsOfSignal(exitCode)) return 'flaky'
  return missingFile.test(lastLineOf(end.stderrTail)) ? 'wiring' : 'semantic'
}

/** A shell tells of a signal as 128 and its number. Git ends with 129 where it was misused. */
const tellsOfSignal = (exitCode: number | null | undefined) =>
  typeof exitCode === 'number' && exitCode >= 130 && exitCode <= 159

/** As the C library says it, and shells and interpreters of what they are to run. */
const missingFile = /\bno such file(?: or directory)?\b/i

/** On the last line of standard error; or where all of standard output is one answer. */
function typedClasses({ stderrTail, stdoutTail }: CommandEnd): readonly string[] {
  const line = lastLineOf(stderrTail)
  const said = [...classesInAnswer(line), ...classAtStart(line)]
  return [...new Set(said.length > 0 ? said : classesInAnswer(trim(stdoutTail ?? '')))]
}

const coloured = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'g')

function lastLineOf(text = ''): string {
  const lines = text.replace(coloured, '').split(/[\r\n]+/)
  return trim(lines.findLast(line => trim(line) !== '') ?? '')
}

/**
 * A class is `snake_case`, with the family it is of before a dot. The underscore is asked of the
 * last word, so that `main.c:` and `test_login.py:` are files and not classes.
 */
const classPattern =
  /^(?:(?:error|fatal|failure|failed|premath): *)*((?:\w+\.)*[a-z0-9]+(?:_[a-z0-9]+)+):(?:\s|$)/i

function classAtStart(line: string): readonly string[] {
  const found = classPattern.exec(line)?.[1]
  return found !== undefined && isFailureClass(found) ? [found] : []
}

/** One word: it stands in titles and notes, a line each. */
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

/** The commands of a case that runs in one shell, and their subjects. */
import type { Demand } from '../../kernel/spec/assert/demand.ts'
import type { CliCommand, CommandLine } from '../../kernel/spec/case/cli-command.ts'
import {
  outputOf,
  type SessionResult,
  sessionResults,
  sessionScript,
} from '../../kernel/spec/case/shell-session.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SubjectSource, Subjects } from './case-harness.ts'
import type { CommandFailure, CommandResult } from './command-run.ts'

/** The mark separates the outputs of a session. */
export const wordsOf = ({ words, argv, commands }: CliCommand, mark: string): CommandLine =>
  commands === undefined ? [...words, ...argv] : [...words, '-c', sessionScript(commands, mark)]

/** `undefined` for a case without a session. */
export function sessionOf(
  { commands }: CliCommand,
  result: CommandResult,
  mark: string,
): readonly SessionResult[] | undefined {
  if (commands === undefined || !('output' in result)) return undefined
  return sessionResults(result.output, result.exitCode, commands.length, mark)
}

/** The failure of a session with its output, at the command that ran. */
export function failureIn(
  { commands }: CliCommand,
  failure: CommandFailure,
  mark: string,
): CommandFailure {
  const { streams } = failure
  if (commands === undefined || !('output' in streams)) return failure
  const results = sessionResults(streams.output, 0, commands.length, mark)
  const { output } = sessionResult(results)
  return { ...failure, streams: { output }, path: `commands[${results.length - 1}]` }
}

/** The result of the whole session, without the separators. */
export const sessionResult = (results: readonly SessionResult[]) => ({
  exitCode: results.at(-1)?.exitCode ?? 0,
  output: results.map(({ output }) => output).join(''),
})

export function sessionSubjects(
  whole: Readonly<Record<string, SubjectSource>>,
  { commands = [] }: CliCommand,
  results: readonly SessionResult[],
): Subjects | SpecError {
  const demands = results.map((result, at) => exitDemand(result, at, commands[at]?.exitCode ?? 0))
  const areMet = demands.every(({ expected, actual }) => expected === actual)
  // Otherwise the exit code that ended the shell is the reason to show.
  if (areMet && results.length < commands.length) return endedEarly(results.length, commands.length)
  const outputs = results.map(({ output }, at): [string, SubjectSource] => [
    outputOf(at),
    () => ({ value: output }),
  ])
  return { byTarget: new Map([...Object.entries(whole), ...outputs]), demands }
}

const exitDemand = ({ output, exitCode }: SessionResult, at: number, expected: number): Demand => ({
  name: 'exit_code',
  path: `commands[${at}].exit_code`,
  expected,
  actual: exitCode,
  streams: { output },
})

const endedEarly = (ran: number, count: number): SpecError => ({
  category: 'runtime',
  message: `the shell ended in command ${ran} of ${count}, so the others did not run`,
  path: `commands[${ran}]`,
  hint: 'Put exit, exec and set -e into a subshell: `(exit 3)`.',
})

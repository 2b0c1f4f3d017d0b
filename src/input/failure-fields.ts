/**
 * Flags that describe a failure, by class or by how its command ended, for the retry and escalation
 * commands.
 */
import { Fault } from '../fault.ts'
import { countField, type Fields, flagField, type InputOf, textField } from '../field.ts'
import {
  type CommandEnd,
  classifyEnd,
  isFailureClass,
} from '../kernel/harness/retry/failure-class.ts'
import type { OperationContext } from '../project/context.ts'
import { chunksOf } from '../project/named-document.ts'
import { joinedBytes } from '../world/joined-bytes.ts'

export const failureFields = {
  failureClass: textField('class', 'A failure class. The first class with a rule decides.', {
    many: true,
  }),
  exitCode: { type: 'count', describe: 'The exit code of the failed command.' },
  signal: textField('name', 'The signal that ended the command.'),
  timedOut: flagField('The command exceeded its timeout.'),
  passedOnRerun: flagField('The command passed when it was run again.'),
  stderr: textField(
    'file',
    'A file with the stderr of the command. A failure class on its last line takes precedence.',
    { path: true },
  ),
  stdout: textField('file', 'A file with the stdout of the command, if it is one JSON object.', {
    path: true,
  }),
  attempt: countField('n', 'The number of the failed attempt, starting at 1.', { default: 1 }),
  policy: textField(
    'file',
    'The retry policy file. Defaults to policies/control/harness-retry-policy-v1.json of the project, then to the built-in policy.',
    { path: true },
  ),
} as const satisfies Fields

type FailureInput = InputOf<typeof failureFields>

/** The named classes first, then those from the end of the command. */
export async function failureClassesOf(
  input: FailureInput,
  context: OperationContext,
): Promise<readonly string[]> {
  const named = input.failureClass
  const odd = named.find(one => !isFailureClass(one.trim()))
  if (odd !== undefined) {
    throw new Fault('usage', `${JSON.stringify(odd)} is not a failure class`, {
      hint: 'A failure class is one word, such as flaky_execution or tool.result_missing.',
    })
  }
  const end = await endOf(input, context)
  const classes = [...named, ...((end && classifyEnd(end)?.failureClasses) ?? [])]
  if (classes.length === 0) throw nothingFailed(end !== undefined)
  return classes
}

/** Returns `undefined` if no flag describes the end. */
async function endOf(
  input: FailureInput,
  context: OperationContext,
): Promise<CommandEnd | undefined> {
  const { exitCode, signal, timedOut, passedOnRerun, stderr, stdout } = input
  const isGiven = [exitCode, signal, stderr, stdout].some(one => one !== undefined)
  if (!isGiven && !timedOut && !passedOnRerun) return undefined
  return {
    exitCode,
    signal,
    timedOut,
    passedOnRerun,
    stderrTail: stderr === undefined ? '' : await tailOf(stderr, context),
    stdoutTail: stdout === undefined ? '' : await tailOf(stdout, context),
  }
}

const nothingFailed = (ended: boolean) =>
  ended
    ? new Fault('usage', 'the command passed, so there is no failure to decide about')
    : new Fault('usage', 'no failure is given', {
        hint: 'Pass --failure-class, or how the command ended: --exit-code, --signal, --timed-out, --stderr.',
      })

const tailBytesMax = 64 * 1024

/** Reads only the end, because a log may be very long and need not be UTF-8. */
async function tailOf(path: string, context: OperationContext): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(path, context)) {
    chunks.push(chunk.slice())
    bytes += chunk.length
    while (chunks[0] && bytes - chunks[0].length >= tailBytesMax) {
      bytes -= chunks.shift()?.length ?? 0
    }
  }
  return new TextDecoder().decode(joinedBytes(chunks))
}

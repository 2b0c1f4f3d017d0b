/**
 * Calls an operation with arguments in JSON, for the surfaces beside the command line. The answer
 * is the one that the command prints with `--json`.
 */
import { type Answer, type ExitCode, errorOutput, type Outcome } from '../answer.ts'
import { Fault } from '../fault.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { printJson } from '../kernel/text/print-json.ts'
import { inStepOf } from '../project/authority/known-step.ts'
import type { OperationContext } from '../project/context.ts'
import { described, exitOf } from '../render/fault-answer.ts'
import { hiddenOutcome } from '../render/hidden-outcome.ts'
import { type CallNames, readArguments } from './call-arguments.ts'
import { callNamesOf, type Exposed } from './exposed.ts'
import { operations } from './index.ts'
import type { Operation } from './operation.ts'

export interface Called {
  /** The JSON answer, with `error` and `exitCode` where the call was refused or failed. */
  readonly output: JsonObject
  /** The same, as `--json` prints it. */
  readonly text: string
  readonly exitCode: ExitCode
  /** The call was refused or failed. A negative verdict is an answer, and no error. */
  readonly isError: boolean
}

/** Never throws: whatever goes wrong is an answer. */
export const callOperation = async (
  command: string,
  args: JsonObject,
  context: OperationContext,
  names: CallNames = {},
): Promise<Called> =>
  await answering(context, async () =>
    conclude(await prepare(command, args, context, names), context),
  )

/** The same for a question. `undefined` if the operation writes with these arguments: it did not run. */
export const askOperation = async (
  command: string,
  args: JsonObject,
  context: OperationContext,
  names: CallNames = {},
): Promise<Called | undefined> =>
  await answering(context, async () => {
    const prepared = await prepare(command, args, context, names)
    return prepared.writes ? undefined : await conclude(prepared, context)
  })

async function answering<T>(
  { secrets }: OperationContext,
  act: () => Promise<T>,
): Promise<T | Called> {
  try {
    return await act()
  } catch (error) {
    const exitCode = exitOf(error)
    return answered(errorOutput({}, secrets.printed(described(error)), exitCode), exitCode, true)
  }
}

/** Calls a tool or a host function. */
export const callExposed = async (
  entry: Exposed,
  args: JsonObject,
  context: OperationContext,
): Promise<Called> => await callOperation(entry.command, args, context, callNamesOf(entry))

/** Nothing is written with these arguments. Arguments that cannot be read are no question. */
export async function isQuestion(
  entry: Exposed,
  args: JsonObject,
  context: OperationContext,
): Promise<boolean> {
  const names = callNamesOf(entry)
  const prepared = await answering(context, () => prepare(entry.command, args, context, names))
  return 'writes' in prepared && !prepared.writes
}

async function operationOf(command: string): Promise<Operation> {
  const load = Object.hasOwn(operations, command) ? operations[command] : undefined
  if (load) return await load()
  throw new Fault('usage', `there is no operation ${JSON.stringify(command)}`, {
    hint: 'premath --help lists the commands.',
  })
}

interface Prepared {
  readonly operation: Operation
  readonly input: Parameters<Operation['run']>[0]
  readonly documents: ReadonlyMap<string, Uint8Array>
  readonly writes: boolean
}

async function prepare(
  command: string,
  args: JsonObject,
  context: OperationContext,
  names: CallNames,
): Promise<Prepared> {
  const operation = await operationOf(command)
  const read = await readArguments({ command, fields: operation.input, names }, args, context)
  const writes = operation.writes?.(read.input) ?? operation.effect !== 'read'
  return { ...read, operation, writes }
}

const conclude = async (prepared: Prepared, context: OperationContext): Promise<Called> =>
  await called(hiddenOutcome(await run(prepared, context), context.secrets))

async function run(
  { operation, input, documents, writes }: Prepared,
  context: OperationContext,
): Promise<Outcome<unknown>> {
  const given = { ...context, documents }
  const known = writes ? await inStepOf(given, { issues: input['issues'] }) : given
  return await operation.run(input, known)
}

async function called(outcome: Outcome<unknown>): Promise<Called> {
  if ('live' in outcome) {
    throw new Fault('usage', 'it runs until somebody ends it, so that no answer could be given', {
      hint: 'Run it on the command line.',
    })
  }
  if ('stream' in outcome) {
    const output = outcome.document?.() ?? (await lineDocument(outcome.stream))
    return answered(output, outcome.exitCode(), false)
  }
  return ofAnswer(outcome)
}

function ofAnswer({ output, yes, error, exitCode = yes ? 0 : 1 }: Answer<unknown>): Called {
  const printed = error ? errorOutput(Object(output), error, exitCode) : output
  return answered(printed, exitCode, error !== undefined)
}

/** The answer of a command that prints one JSON value per line. */
async function lineDocument(stream: AsyncIterable<string>): Promise<{ readonly items: Json[] }> {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    if (text.length > answerCharsMax) {
      throw new Fault('usage', `the answer is longer than ${answerCharsMax} characters`, {
        hint: 'Ask for less, or run the command on the command line.',
      })
    }
  }
  const lines = text.split('\n').filter(line => line !== '')
  return { items: lines.map(line => JSON.parse(line)) }
}

const answerCharsMax = 16 * 1024 * 1024

/** The members are those of the printed text, so that `undefined` ones are absent. */
function answered(output: unknown, exitCode: ExitCode, isError: boolean): Called {
  const text = printJson(output)
  return { output: JSON.parse(text), text, exitCode, isError }
}

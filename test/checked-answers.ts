/**
 * Commands whose answers are checked. The answer of every run has to fit the shape that its
 * operation declares, and may have no member that the shape does not name. A run that breaks this
 * ends as a bug of premath does, so that its test fails.
 */
import type { Answer, ExitCode, Live, LiveEvent, Outcome, Stream } from '../src/answer.ts'
import { start } from '../src/cli/start.ts'
import { flawIn } from '../src/kernel/artifact/flaw.ts'
import { printJson } from '../src/kernel/text/print-json.ts'
import { operations } from '../src/operations/index.ts'
import type { Operation, Operations } from '../src/operations/operation.ts'
import { ErrorAnswer } from '../src/wire/answers/error.ts'
import { Observed } from '../src/wire/observation/observed.ts'
import type { Shape } from '../src/wire/shape.ts'
import type { World } from '../src/world/world.ts'
import { unknownMembers } from './unknown-members.ts'

/** Runs one command line, and checks its answer. */
export const checkedStart = (argv: readonly string[], given?: Partial<World>): Promise<ExitCode> =>
  start(argv, given, checkedAnswers)

/** The same commands, which throw if an answer does not fit. */
export function checkedAnswers(commands: Operations): Operations {
  const checked = Object.entries(commands).map(([command, load]) => {
    return [command, async () => checkedOperation(command, await load())] as const
  })
  return Object.fromEntries(checked)
}

/** For suites that run commands in their own world. */
export const checkedOperations = checkedAnswers(operations)

/** The commands that answered with success in this process. */
export const answered = new Set<string>()

function checkedOperation(command: string, operation: Operation): Operation {
  const check = (json: unknown, shape: Shape = operation.output) => {
    const why = misfit(shape, json)
    if (why !== undefined) {
      throw new Error(`the answer of premath ${command} does not fit its shape: ${why}`)
    }
    if (shape === operation.output) answered.add(command)
  }
  return {
    ...operation,
    async run(input, context) {
      return checkedOutcome(await operation.run(input, context), context.json, check)
    },
  }
}

type Check = (json: unknown, shape?: Shape) => void

function checkedOutcome(
  outcome: Outcome<unknown>,
  isJson: boolean,
  check: Check,
): Outcome<unknown> {
  if ('live' in outcome) return checkedLive(outcome, check)
  if (!('stream' in outcome)) return checkedAnswer(outcome, check)
  return isJson ? checkedStream(outcome, check) : outcome
}

/** A refusal has the shape of errors, and a verdict that of the answer, whether yes or no. */
function checkedAnswer(answer: Answer<unknown>, check: Check): Answer<unknown> {
  const { output, error, yes, exitCode = yes ? 0 : 1 } = answer
  if (error) check({ ...Object(output), error, exitCode }, ErrorAnswer)
  else check(output)
  return answer
}

function checkedStream(given: Stream, check: Check): Stream {
  const { document } = given
  if (!document) return { ...given, stream: checkedDocuments(given.stream, check) }
  return {
    ...given,
    document() {
      const whole = document.call(given)
      check(whole)
      return whole
    },
  }
}

/** A stream of JSON is one document, or one on each line. */
async function* checkedDocuments(
  stream: AsyncIterable<string>,
  check: Check,
): AsyncIterable<string> {
  let whole = ''
  for await (const text of stream) {
    whole += text
    yield text
  }
  for (const document of documentsIn(whole)) check(document)
}

function documentsIn(text: string): readonly unknown[] {
  if (/^\{\n/.test(text)) return [JSON.parse(text)]
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

function checkedLive(given: Live, check: Check): Live {
  return { ...given, live: checkedEvents(given.live, check) }
}

async function* checkedEvents(
  live: AsyncIterable<LiveEvent>,
  check: Check,
): AsyncIterable<LiveEvent> {
  for await (const event of live) {
    if (event.json !== undefined) check(event.json)
    yield event
  }
}

/** Says what does not fit, in the value as it is printed. */
export function misfit(shape: Shape, value: unknown): string | undefined {
  const printed = JSON.parse(printJson(value))
  const flaw = flawIn(shape, printed)
  if (flaw) return String(flaw)
  // A refusal adds the members of its command, and an observation those of its mode.
  if (shape === ErrorAnswer || shape === Observed) return undefined
  const [unknown] = unknownMembers(shape, printed).filter(at => !isForeign.test(at))
  return unknown === undefined ? undefined : `${unknown} is not named`
}

/** Rows and sessions keep the members of other tools, and answers show them. */
const isForeign = /^(issues\[\d+\]|session)\./

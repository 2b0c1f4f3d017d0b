import { type Answer, type ExitCode, errorOutput, type Live, type Stream } from '../answer.ts'
import { Fault } from '../fault.ts'
import { printJson, printJsonLine } from '../kernel/text/print-json.ts'
import { Secrets } from '../kernel/text/secrets.ts'
import type { Operations } from '../operations/operation.ts'
import type { OperationContext } from '../project/context.ts'
import { openContext } from '../project/context.ts'
import { described, exitOf, messageOf } from '../render/fault-answer.ts'
import { hiddenOutcome } from '../render/hidden-outcome.ts'
import { scarcityFault } from '../world/system-error.ts'
import type { World } from '../world/world.ts'
import { findCommand, readFlags } from './flags.ts'
import { isDrawn, pageFor } from './page.ts'
import { askerAt } from './terminal-asker.ts'
import { withoutWorkflowCommands } from './workflow-output.ts'

/** Runs one command line and returns its exit code. It never throws. */
export async function runCommand(
  argv: readonly string[],
  commands: Operations,
  given: World,
): Promise<ExitCode> {
  const world = withoutWorkflowCommands(given)
  const form: Form = { print: printJson, secrets: new Secrets(), annotated: given }
  try {
    return await answer(argv, commands, world, form)
  } catch (error) {
    report(error, asksForJson(argv) ? form.print : undefined, world, form.secrets)
    return exitOf(error)
  }
}

/** How the command prints, known once it runs. */
interface Form {
  print: (value: unknown) => string
  readonly secrets: Secrets
  /** Takes annotations as they are. */
  readonly annotated: World
}

async function answer(
  argv: readonly string[],
  commands: Operations,
  world: World,
  form: Form,
): Promise<ExitCode> {
  // Called by the shell at each press of tab. The words after `--` are incomplete.
  if (argv[0] === 'complete' && argv[1] === '--') {
    const { completeWords } = await import('./completion.ts')
    const context = contextOf(world, false, form.secrets)
    world.out.write(await completeWords(argv.slice(2), commands, context))
    return 0
  }
  const { command, args } = findCommand(argv, Object.keys(commands))
  const load = commands[command]
  if (!load) throw new Error(`${command} was found but is not listed`)
  const operation = await load()
  if (operation.isLive) form.print = printJsonLine
  const { json, help, input, notes } = readFlags(command, operation, args)
  if (help) {
    const { commandHelp } = await import('./help.ts')
    return print(commandHelp(command, operation), json, world)
  }
  for (const note of notes) printMessage(note, world)
  const { secrets } = form
  const context = contextOf(world, json, secrets)
  const writes = operation.writes?.(input) ?? operation.effect !== 'read'
  const known = writes ? await knowingStep(context, input) : context
  const answered = await operation.run(input, known)
  const outcome = hiddenOutcome(answered, secrets)
  if ('live' in outcome) return await goOn(outcome, json, world, secrets)
  const isDone = operation.effect === 'mutation' && 'yes' in outcome && outcome.yes
  const exitCode = isDone
    ? await printDone(outcome, json, world, form.print)
    : await print(outcome, json, world, form.print)
  if ('annotations' in outcome && outcome.annotations) {
    const { text, to } = outcome.annotations
    form.annotated[to].write(text)
  }
  return exitCode
}

/** Loaded for the commands that write, because only they are refused in a step. */
async function knowingStep(
  context: OperationContext,
  input: Readonly<Record<string, unknown>>,
): Promise<OperationContext> {
  const { inStepOf } = await import('../project/authority/known-step.ts')
  return await inStepOf(context, { issues: input['issues'] })
}

function contextOf(world: World, json: boolean, secrets: Secrets): OperationContext {
  return {
    ...openContext(world, secrets),
    json,
    async withStatusLine(line, act) {
      if (json || !isDrawn(world.err, world.env)) return await act()
      const { withStatusLine } = await import('./status-line.ts')
      return await withStatusLine(page => secrets.text(line(page)), act, world)
    },
    asker: () =>
      json || !isDrawn(world.err, world.env) || !world.isAtTerminal() ? undefined : askerAt(world),
    confirmer: () => (world.err.isTerminal() && world.isAtTerminal() ? askerAt(world) : undefined),
  }
}

/** Live commands print one JSON value per line, errors included. */
async function goOn(live: Live, json: boolean, world: World, secrets: Secrets): Promise<ExitCode> {
  const { follow } = await import('./live.ts')
  printMessage(live.message, world)
  try {
    const { exitCode, untold } = await follow(live, json, world)
    if (untold === undefined) return exitCode
    const hint = 'The command ran to its end. Only its output could not be printed.'
    report(withHint(untold, hint), undefined, world, secrets)
    return Math.max(exitCode, exitOf(untold)) as ExitCode
  } catch (error) {
    report(error, json ? printJsonLine : undefined, world, secrets)
    return exitOf(error)
  }
}

/** The change is made even if its answer cannot be printed, so the message must say so. */
async function printDone(
  outcome: Printed,
  json: boolean,
  world: World,
  printed: Form['print'],
): Promise<ExitCode> {
  try {
    return await print(outcome, json, world, printed)
  } catch (error) {
    const hint =
      'The change was made and is kept: only the answer could not be printed. Look before you run it again.'
    throw withHint(error, hint)
  }
}

/** Adds to a fault that the change was made. */
function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof Fault)) return error
  const { code, message, detail } = error
  return new Fault(code, message, { hint, detail: { ...detail, done: true }, cause: error })
}

type Printed = Answer<unknown> | Stream

async function print(
  outcome: Printed,
  json: boolean,
  world: World,
  printed = printJson,
): Promise<ExitCode> {
  printMessage(outcome.message, world)
  if (!('stream' in outcome)) return await printAnswer(outcome, json, world, printed)
  if (!json || !outcome.document) return await printStream(outcome, world)
  world.out.write(printJson(outcome.document()))
  return outcome.exitCode()
}

async function printAnswer(
  { output, yes, render, error, exitCode = yes ? 0 : 1 }: Answer<unknown>,
  json: boolean,
  world: World,
  printed: Form['print'],
): Promise<ExitCode> {
  if (json) {
    world.out.write(printed(error ? errorOutput(Object(output), error, exitCode) : output))
  } else {
    world.out.write(render(pageFor(world)))
  }
  // A reader that leaves early, as `head` does, does not change the exit code.
  return exitCode
}

async function printStream({ stream, exitCode }: Stream, world: World): Promise<ExitCode> {
  for await (const text of stream) {
    // The rest was not judged, so the exit code must not be 0.
    if (!world.out.write(text)) return 3
  }
  return exitCode()
}

/** Prints the error to stderr and, with --json, to stdout. */
function report(
  thrown: unknown,
  printed: ((value: unknown) => string) | undefined,
  world: World,
  secrets: Secrets,
): void {
  const error = scarcityFault(thrown) ?? thrown
  const message = error instanceof Fault ? faultMessage(error) : bugMessage(error, world)
  printMessage(secrets.text(message), world)
  if (!printed) return
  const output = errorOutput({}, secrets.printed(described(error)), exitOf(error))
  attempt(() => world.out.write(printed(output)))
}

function printMessage(message: string | undefined, world: World): void {
  if (message !== undefined) attempt(() => world.err.write(`${escaped(message)}\n`))
}

/** Escapes control characters in quoted input. */
function escaped(message: string): string {
  return message.replace(/[^\P{Cc}\n]/gu, control => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** If reporting fails too, the exit code is all that is left. */
function attempt(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
  }
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).includes('--json')
}

function faultMessage({ message, hint }: Fault): string {
  return hint === undefined ? `error: ${message}` : `error: ${message}\n  ${hint}`
}

function bugMessage(error: unknown, { env }: World): string {
  if (env['PREMATH_DEBUG'] && error instanceof Error) return error.stack ?? String(error)
  return `premath hit a bug: ${messageOf(error)}; set PREMATH_DEBUG=1 for the stack`
}

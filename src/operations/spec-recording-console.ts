/** Runs a command twice in a shell and makes a console block of its output. */
import { Fault } from '../fault.ts'
import { isSubjectError } from '../kernel/spec/assert/subject.ts'
import { fenced, type RecordedCommand, withCaseAdded } from '../kernel/spec/author/recorded-case.ts'
import {
  consoleInfo,
  recordedConsole,
  recordedLines,
  type SeenConsole,
} from '../kernel/spec/author/recorded-console.ts'
import type { MaskName } from '../kernel/spec/case/masks.ts'
import { outputOf } from '../kernel/spec/case/shell-session.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { OperationContext } from '../project/context.ts'
import type { Observation } from '../runner/observation.ts'
import {
  type CreateInput,
  commandOf,
  type Home,
  homeOf,
  keepCase,
  ranLast,
  seenTwice,
} from './spec-recording.ts'

export interface RecordedConsole {
  readonly action: 'spec.create'
  readonly result: 'accepted' | 'rejected'
  readonly id: string
  /** The document it was added to; null if only printed. */
  readonly file: string | null
  readonly line: number | null
  readonly block: string
  readonly exitCode: number
  readonly masks: readonly MaskName[]
  /** Why the case was not recorded. */
  readonly message: string | null
}

export async function recordConsole(
  input: CreateInput,
  context: OperationContext,
): Promise<{ readonly output: RecordedConsole; readonly message: string | undefined }> {
  const home = await homeOf(input, context)
  const command = await commandOf(input, home, context)
  const [first, second] = await seenTwice(() => seenOnce(command, home, context))
  const { id } = command
  const { exitCode } = first
  const folders = { root: home.root, temp: undefined }
  const { masks, lines } = recordedLines(first.output, second.output, folders)
  const info = consoleInfo(id, input.title, masks)
  const block = recordedConsole(command, lines, exitCode)
  const text = withCaseAdded(home.before, home.file, id, block, info)
  const ran = await ranLast(text, home, id, context)
  const kept = await keepCase(text, ran, { input, home }, context)
  const { message } = kept
  const output: RecordedConsole = {
    action: 'spec.create',
    id,
    block: fenced(block, info),
    exitCode,
    masks,
    ...kept,
  }
  const parts = [
    ...(message === null ? [] : [`not recorded, because the case fails: ${message}`]),
    ...(masks.length > 0 ? [`masked: ${masks.join(', ')}`] : []),
  ]
  return { output, message: parts.length === 0 ? undefined : parts.join('\n') }
}

/** Runs it as a block without output, exactly as it will run later. */
async function seenOnce(
  command: RecordedCommand,
  home: Home,
  context: OperationContext,
): Promise<SeenConsole> {
  const { id } = command
  const block = recordedConsole(command)
  const text = withCaseAdded(undefined, home.file, id, block, consoleInfo(id, undefined))
  let seen: SeenConsole | undefined
  const observer = async (_: RawCase, { subjectOf, demands }: Observation) => {
    const subject = await subjectOf(outputOf(0))
    const output = isSubjectError(subject) ? '' : String(subject.value)
    seen = { output, exitCode: Number(demands[0]?.actual ?? 0) }
  }
  const { outcome } = await ranLast(text, home, id, context, observer)
  if (seen !== undefined) return seen
  const why = outcome?.failure?.message ?? 'it was stopped'
  throw new Fault('invalid_input', `cannot record the command: ${why}`, {
    hint: `It runs in ${home.root || '/'}, with sh.`,
  })
}

/** Runs a command twice, as a case would, and makes a case of the stable output. */
import { Fault } from '../fault.ts'
import type { InputOf } from '../field.ts'
import { isSubjectError } from '../kernel/spec/assert/subject.ts'
import type { SeparateOutputs } from '../kernel/spec/assert/written-value.ts'
import {
  fenced,
  idFor,
  type RecordedCommand,
  recordedCase,
  withCaseAdded,
} from '../kernel/spec/author/recorded-case.ts'
import {
  type LooseLine,
  recordedCharsMax,
  recordedOutputs,
} from '../kernel/spec/author/recorded-output.ts'
import type { MaskName } from '../kernel/spec/case/masks.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { documentBytesMax, readDocument } from '../kernel/spec/document/read-document.ts'
import { counted } from '../kernel/text/counted.ts'
import type { OperationContext } from '../project/context.ts'
import {
  absolute,
  namingSource,
  readDocument as readText,
  sourceName,
} from '../project/named-document.ts'
import { ownOffer, runSpecs } from '../project/specs/outcomes.ts'
import { type SpecInput, specsOf } from '../project/specs/spec-input.ts'
import type { CaseOutcome } from '../runner/case-outcome.ts'
import { ContractRoots } from '../runner/contract-roots.ts'
import { type LoadedDocument, loadDocuments } from '../runner/load-documents.ts'
import type { Observation } from '../runner/observation.ts'
import { writeDocument } from '../runner/write-document.ts'
import type { createFields } from './spec/create.ts'

export type CreateInput = InputOf<typeof createFields>

export interface RecordedReport {
  readonly action: 'spec.create'
  readonly result: 'accepted' | 'rejected'
  readonly id: string
  /** The document it was added to; null if only printed. */
  readonly file: string | null
  readonly line: number | null
  readonly block: string
  readonly exitCode: number
  readonly masks: readonly MaskName[]
  /** Expected lines that accept more than what was seen. */
  readonly loose: readonly LooseLine[]
  /** Why the case was not recorded. */
  readonly message: string | null
}

export async function recordCase(
  input: CreateInput,
  context: OperationContext,
): Promise<{ readonly output: RecordedReport; readonly message: string | undefined }> {
  const home = await homeOf(input, context)
  const command = await commandOf(input, home, context)
  const [first, second] = await seenTwice(() => seenOnce(command, home, context))
  const folders = { root: home.root, temp: undefined }
  const { masks, outputs, loose } = recordedOutputs(first, second, folders)
  const block = recordedCase(command, { exitCode: first.exitCode, masks, outputs })
  const { id } = command
  const text = withCaseAdded(home.before, home.file, id, block)
  const ran = await ranLast(text, home, id, context)
  const kept = await keepCase(text, ran, { input, home }, context)
  const output: RecordedReport = {
    action: 'spec.create',
    id,
    block: fenced(block),
    exitCode: first.exitCode,
    masks,
    loose,
    ...kept,
  }
  return { output, message: recordedMessage(output) }
}

/** Writes the document if the case passes and the user names one. Otherwise it is only printed. */
export async function keepCase(
  text: string,
  { raw, outcome }: RanCase,
  { input, home }: { readonly input: CreateInput; readonly home: Home },
  context: OperationContext,
) {
  const message = outcome?.failure?.message ?? null
  const result = message === null ? ('accepted' as const) : ('rejected' as const)
  if (message !== null || input.into === undefined)
    return { result, file: null, line: null, message }
  await writeDocument({ ...home, path: `${home.root}${home.path}`, after: text }, context)
  return { result, file: home.file, line: raw.line, message }
}

interface RanCase {
  readonly raw: RawCase
  /** `undefined` for a case that was not run. */
  readonly outcome?: CaseOutcome | undefined
}

/** Runs a command two times. A case cannot expect an exit code that changes. */
export async function seenTwice<T extends { readonly exitCode: number }>(
  seen: () => Promise<T>,
): Promise<readonly [T, T]> {
  const [first, second] = [await seen(), await seen()]
  if (first.exitCode === second.exitCode) return [first, second]
  throw new Fault(
    'invalid_input',
    `the command exited with ${first.exitCode}, and the second time with ${second.exitCode}`,
    {
      hint: 'Record a command that does the same each time, for example one that cleans up after itself.',
    },
  )
}

/** The document of the case. */
export interface Home extends Pick<LoadedDocument, 'root' | 'path' | 'file'> {
  /** `undefined` for a new document. */
  readonly before: string | undefined
  readonly taken: ReadonlySet<string>
}

const nowhere = 'new.spec.md'

export async function homeOf(
  { into, root }: CreateInput,
  context: OperationContext,
): Promise<Home> {
  if (into !== undefined && !/\.md$/i.test(into)) {
    throw new Fault('usage', `--into ${JSON.stringify(into)} is not a Markdown document`, {
      hint: 'Name a file that ends in .spec.md.',
    })
  }
  const kind = into === undefined ? undefined : await context.files.kindOf(absolute(into, context))
  if (kind === 'folder') {
    throw new Fault('usage', `--into ${JSON.stringify(into)} is a folder`, {
      hint: 'Name a document in it.',
    })
  }
  const folder = into?.includes('/') ? into.slice(0, into.lastIndexOf('/') + 1) : '.'
  if ((await context.files.kindOf(absolute(folder, context))) !== 'folder') {
    throw new Fault('usage', `the folder ${JSON.stringify(folder)} does not exist`, {
      hint: 'Create it first.',
    })
  }
  const [document] = await loadDocuments([into ?? nowhere], root, context)
  if (document === undefined) throw new Error('one document was asked for')
  const { root: found, path, file, text, cases, problems } = document
  const isThere = kind === 'file'
  const place = { root: found === '/' ? '' : found, path, file }
  if (!isThere && path !== '/') {
    await mustStayInside(document, context)
    return { ...place, before: undefined, taken: new Set() }
  }
  const [unread] = text === '' ? problems : []
  if (unread) {
    throw new Fault('invalid_input', `${file} ${unread.message}`, {
      ...(unread.hint !== undefined && { hint: unread.hint }),
    })
  }
  return { ...place, before: text, taken: new Set(cases.map(({ id }) => id)) }
}

/** A dangling link can lead out of the contract root too. */
async function mustStayInside(
  { root, path, file }: LoadedDocument,
  context: OperationContext,
): Promise<void> {
  const place = await new ContractRoots(context).confined(root, path)
  if (!('refused' in place)) return
  throw new Fault('invalid_input', `${file} ${place.refused}`, {
    hint: 'Name a document inside, or pass a root that contains it: --root <folder>.',
  })
}

export async function commandOf(
  { id, title, command, env, stdin }: CreateInput,
  home: Home,
  context: OperationContext,
): Promise<RecordedCommand> {
  const [program = '', ...args] = command
  const words = [program, ...args] as const
  if (program.trim() === '') {
    throw new Fault('usage', 'no command given', {
      hint: 'Write it after --, or pass a curl line with --from-curl.',
    })
  }
  return {
    id: idOf(id, words, home),
    title: title ?? titleOf(words),
    words,
    env: Object.fromEntries(env.map(variable)),
    stdin: stdin === undefined ? '' : await stdinFrom(stdin, context),
  }
}

/** The given id if it is valid and free; without one, an id from the words. */
export function idOf(
  id: string | undefined,
  words: readonly [string, ...string[]],
  { taken, file }: Home,
): string {
  if (id !== undefined && !/^[A-Za-z0-9._:-]+$/.test(id)) {
    throw new Fault('usage', `--id ${JSON.stringify(id)} is not a valid id`, {
      hint: 'Use letters, digits and . _ : -',
    })
  }
  if (id !== undefined && taken.has(id)) {
    throw new Fault('usage', `${file} already has a case ${id}`, {
      hint: `Give it another id, such as ${idFor([id], taken)}.`,
    })
  }
  return id ?? idFor(words, taken)
}

async function stdinFrom(path: string, context: OperationContext): Promise<string> {
  return await namingSource(sourceName(path), async () => {
    const text = await readText(path, context)
    if (text.length <= documentBytesMax) return text
    throw new Fault('invalid_input', 'would make the document too large', {
      hint: `Give the command less input: a document has at most ${documentBytesMax / 1024 / 1024} MB.`,
    })
  })
}

const titleCharsMax = 80

export function titleOf(words: readonly string[]): string {
  const line = words.join(' ').replace(/\s+/g, ' ')
  return line.length <= titleCharsMax ? line : `${line.slice(0, titleCharsMax - 1)}…`
}

function variable(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new Fault('usage', `--env ${JSON.stringify(text)} must look like NAME=value`, {
    hint: 'Leave the value empty for an empty variable: NAME=',
  })
}

interface SeenEnd extends SeparateOutputs {
  readonly exitCode: number
}

/** Runs it as a case without assertions, exactly as it will run later. */
async function seenOnce(
  command: RecordedCommand,
  home: Home,
  context: OperationContext,
): Promise<SeenEnd> {
  const text = withCaseAdded(undefined, home.file, command.id, recordedCase(command))
  let seen: SeenEnd | undefined
  const observer = async (_: RawCase, { subjectOf, demands }: Observation) => {
    const textOf = async (target: string) => {
      const subject = await subjectOf(target)
      return isSubjectError(subject) ? '' : String(subject.value)
    }
    const exitCode = Number(demands.find(({ name }) => name === 'exit_code')?.actual ?? 0)
    seen = { exitCode, stdout: await textOf('stdout'), stderr: await textOf('stderr') }
  }
  const { outcome } = await ranLast(text, home, command.id, context, observer)
  if (seen !== undefined) return seen
  const why = outcome?.failure?.message ?? 'it was stopped'
  throw new Fault('invalid_input', `cannot record the command: ${why}`, {
    hint: `It runs in ${home.root || '/'}, without a shell.`,
  })
}

/** The last case of a document that exists in memory only. */
export async function lastCase(
  text: string,
  { root, path, file }: Home,
  id: string,
  context: OperationContext,
): Promise<{ readonly raw: RawCase; readonly specs: SpecInput }> {
  const document = { ...readDocument(text, file), text, root: root || '/', path, file }
  const raw = document.cases.at(-1)
  if (raw?.id !== id) {
    throw new Fault(
      'invalid_input',
      `${file} ends in an open block or comment that would contain the new case`,
      {
        hint: 'Close it first: a block with the marks that it begins with, a comment with -->.',
      },
    )
  }
  return { raw, specs: await specsOf({ documents: [document], problems: [] }, context) }
}

export async function ranLast(
  text: string,
  home: Home,
  id: string,
  context: OperationContext,
  observer?: (raw: RawCase, seen: Observation) => Promise<void>,
): Promise<{ readonly raw: RawCase; readonly outcome: CaseOutcome | undefined }> {
  const { raw, specs } = await lastCase(text, home, id, context)
  const request = { cases: [raw], offer: ownOffer, jobs: 1, failFast: false }
  const { outcomes } = await runSpecs(specs, { ...request, ...(observer && { observer }) }, context)
  return { raw, outcome: outcomes[0]?.outcome }
}

const reasons: Readonly<Record<LooseLine['why'], string>> = {
  changed: 'because the second run printed something else',
  too_long: `because the output has more than ${recordedCharsMax} characters`,
}

const shownMax = 5
const charsMax = 100

function recordedMessage({ masks, loose, message }: RecordedReport): string | undefined {
  const shown = loose.slice(0, shownMax).map(looseMessage)
  const more = loose.length - shown.length
  const parts = [
    ...(message === null ? [] : [`not recorded, because the case fails: ${message}`]),
    ...(masks.length > 0 ? [`masked: ${masks.join(', ')}`] : []),
    ...shown,
    ...(more > 0 ? [`also not exact: ${counted(more, 'more line')}; --json lists them all`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join('\n')
}

function looseMessage({ from, text, why }: LooseLine): string {
  const shown = text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
  return `${from} has the line ${JSON.stringify(shown)}, ${reasons[why]}`
}

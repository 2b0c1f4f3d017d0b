/**
 * Turns a `console` block into a case: each command gets an assertion about its output. The info
 * string may hold the other keys of a case as a mapping: `console {id: LIST-1, tags: [slow]}`.
 */
import { isMap, type ParsedNode } from 'yaml'
import { outputOf } from '../case/shell-session.ts'
import { isMapping, type SpecValue } from '../lang/value.ts'
import { type Block, blockOf, problemIn } from './block.ts'
import { type ConsoleCommand, readConsole } from './console-block.ts'
import type { Fence } from './fences.ts'
import { findByPath } from './node-path.ts'
import type { Place, Problem, RawCase } from './raw-case.ts'
import type { SourceText } from './source-text.ts'
import { yamlNodes } from './yaml-nodes.ts'
import { ValueReader } from './yaml-value.ts'

/** A case that gets its id when the other ids of the document are known. */
export interface ConsoleDraft {
  /** `undefined` if the id comes from the heading. */
  readonly ownId: string | undefined
  readonly heading: string
  withId(id: string): RawCase
}

interface ReadConsole {
  readonly draft?: ConsoleDraft
  readonly problems: readonly Problem[]
}

/** Keys that the block itself states. */
const statedKeys = ['argv', 'assert', 'commands', 'exit_code', 'type']

/** The shell that runs the commands, unless the case names another. */
const shell = 'sh'

export function consoleDraft(fence: Fence, source: SourceText, opened: Place): ReadConsole {
  const info = fence.info.replace(/^\S+\s*/, '')
  if (info.toLowerCase() === 'no-test') return { problems: [] }
  if (info !== '' && !info.startsWith('{')) return { problems: [{ place: opened, ...strangeInfo }] }
  const block = blockOf(source, fence.text, fence.line + 1)
  const { commands, problems: flaws } = readConsole(fence.text)
  if (commands.length === 0) return { problems: [{ place: opened, ...noCommand }] }
  const options = readOptions(info, fence.line, source)
  const problems = [...options.broken, ...flaws.map(one => problemIn(block, one))]
  if (problems.length > 0) return { problems }
  const { value: own, problems: ownProblems } = options
  const id = own.get('id')
  const ownId = typeof id === 'string' && id.trim() !== '' ? id : undefined
  const placeOf = (path: string, isKey: boolean): Place => {
    const command = commands[Number(/^(?:commands|assert)\[(\d+)\]/.exec(path)?.[1])]
    const line = path.endsWith('.exit_code') ? command?.exitLine : undefined
    if (command !== undefined) return lineIn(block, line ?? command.line)
    return path === '' ? lineIn(block, commands[0]?.line ?? 0) : options.placeOf(path, isKey)
  }
  const { line, column } = placeOf('', false)
  const title = plainHeading(fence.heading)
  return {
    problems: [],
    draft: {
      ownId,
      heading: title,
      withId: given => ({
        id: given,
        ...(ownId === undefined && { isIdDerived: true as const }),
        type: 'cli.run',
        file: source.file,
        line,
        column,
        value: caseValue(given, title, own, commands),
        problems: ownProblems,
        placeOf: path => placeOf(path, false),
        keyPlaceOf: path => placeOf(path, true),
      }),
    },
  }
}

const strangeInfo: Omit<Problem, 'place'> = {
  code: 'console.info',
  message: 'the words after console must be no-test or a mapping',
  hint: 'Write ```console no-test for a block that does not run, or keys of a case in braces: ```console {id: LIST-1}.',
}

const noCommand: Omit<Problem, 'place'> = {
  code: 'console.no_command',
  message: 'this block is not read as a case: it has no command',
  hint: 'Start a command with `$` and a space, or open the block with ```console no-test.',
  severity: 'warning',
}

function lineIn(block: Block, line: number): Place {
  const offset = block.text.split('\n').slice(0, line).join('\n').length
  return block.place(line === 0 ? 0 : offset + 1)
}

interface Options {
  readonly value: ReadonlyMap<string, SpecValue>
  readonly problems: readonly Problem[]
  /** Errors that leave no value. */
  readonly broken: readonly Problem[]
  placeOf(path: string, isKey: boolean): Place
}

/** Reads the mapping in the info string. */
function readOptions(text: string, line: number, source: SourceText): Options {
  const lineText = source.lineText(line)
  const start = text === '' ? Math.max(0, lineText.search(/```|~~~/)) : lineText.lastIndexOf(text)
  const block: Block = { text, place: offset => source.place(line, start + offset) }
  const none = { value: new Map(), problems: [], broken: [], placeOf: () => block.place(0) }
  if (text === '') return none
  const { root, problems: syntax } = yamlNodes(text)
  if (syntax.length > 0) return { ...none, broken: syntax.map(one => problemIn(block, one)) }
  const { value, problems } = new ValueReader().read(root)
  if (!(value instanceof Map) || !isMap(root)) {
    return { ...none, broken: [{ place: block.place(0), ...strangeInfo }] }
  }
  const anchors = () => null
  const placeOf = (path: string, isKey: boolean) => {
    const found = findByPath(root as ParsedNode, path, anchors)
    return block.place(isKey ? found.key : found.value)
  }
  const stated = statedKeys.filter(key => value.has(key))
  return {
    value,
    problems: [
      ...problems.map(one => problemIn(block, one)),
      ...stated.map(key => ({ place: placeOf(key, true), ...statedTwice(key) })),
    ],
    broken: [],
    placeOf,
  }
}

const statedTwice = (key: string): Omit<Problem, 'place'> => ({
  code: 'console.stated_key',
  message: `${key} cannot be set for a console block`,
  hint: 'The commands, their output and [exit …] lines say it. Write a yaml spec-test block for anything else.',
})

function caseValue(
  id: string,
  title: string,
  own: ReadonlyMap<string, SpecValue>,
  commands: readonly ConsoleCommand[],
): ReadonlyMap<string, SpecValue> {
  const harness = own.get('harness') ?? new Map()
  return new Map<string, SpecValue>([
    ...(title === '' ? [] : ([['title', title]] as const)),
    ['id', id],
    ...[...own].filter(([key]) => !statedKeys.includes(key)),
    ['type', 'cli.run'],
    // A value of the wrong kind is reported as it stands.
    ['harness', isMapping(harness) ? new Map([['entrypoint', shell], ...harness]) : harness],
    ['commands', commands.map(commandValue)],
    ['assert', commands.map(assertion)],
  ])
}

const commandValue = ({ run, exitCode }: ConsoleCommand): SpecValue =>
  new Map<string, SpecValue>([
    ['run', run],
    ...(exitCode === undefined ? [] : ([['exit_code', exitCode]] as const)),
  ])

const assertion = ({ expected }: ConsoleCommand, at: number): SpecValue =>
  new Map<string, SpecValue>([
    ['target', outputOf(at)],
    ['must', [new Map([['lines', [expected.map(asLine).join('')]]])]],
  ])

const asLine = (line: string) => `${line}\n`

/** The text of a heading without the marks of links, code and emphasis. */
const plainHeading = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim()

/** As in links to headings: lower case, spaces as hyphens, no punctuation. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Numbers the blocks under one heading from the second on: `usage`, `usage-2`. */
export function consoleIds(
  drafts: readonly ConsoleDraft[],
  others: readonly string[],
  file: string,
): (draft: ConsoleDraft) => string {
  const taken = new Set([...others, ...drafts.flatMap(({ ownId }) => ownId ?? [])])
  const ids = new Map<ConsoleDraft, string>()
  for (const draft of drafts) {
    const base = slugOf(draft.heading) || slugOf(documentName(file)) || 'case'
    let id = draft.ownId ?? base
    for (let number = 2; draft.ownId === undefined && taken.has(id); number++) {
      id = `${base}-${number}`
    }
    taken.add(id)
    ids.set(draft, id)
  }
  return draft => ids.get(draft) ?? ''
}

/** `docs/first-login.spec.md`: first-login. */
const documentName = (file: string) =>
  file.slice(file.lastIndexOf('/') + 1).replace(/(?:\.spec)?\.[a-z]+$/i, '')

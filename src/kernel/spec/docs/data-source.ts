/** The source of the data of a template. */

import type { ShapeProblem } from '../case/check-shape.ts'
import type { CommandLine } from '../case/cli-command.ts'
import { wordFlaws } from '../case/command-flaws.ts'
import type { Keys } from '../case/key-shape.ts'
import { timeCeilingMs } from '../case/time-limits.ts'
import { type ContractPath, contractPath } from '../contract-path.ts'
import { numberOf } from '../lang/float.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'

const fileTypes = ['json_file', 'yaml_file', 'generated_artifact'] as const
const formats = ['text', 'json', 'yaml'] as const

type FileType = (typeof fileTypes)[number]
export type DataFormat = (typeof formats)[number]

export interface FileSource {
  readonly id: string
  readonly type: FileType
  readonly path: ContractPath
  readonly format: DataFormat
}

export interface CommandSource {
  readonly id: string
  readonly type: 'command_output'
  readonly command: CommandLine
  readonly format: DataFormat
  readonly timeoutMs: number
}

export type DataSource = FileSource | CommandSource

const timeoutMsDefault = 30_000

export const dataSourceKeys: Keys = {
  id: {
    is: 'name',
    describe: 'The name of the data in the template, without dots.',
    required: true,
  },
  source_type: {
    is: { oneOf: [...fileTypes, 'command_output'] },
    describe:
      'json_file, yaml_file, generated_artifact (by its extension: .json, .yaml, .yml, otherwise text) or command_output.',
    required: true,
  },
  path: { is: 'path', describe: 'The file, for every source except command_output.' },
  command: {
    is: { list: 'name', atLeast: 1 },
    describe:
      'The program and its arguments, for command_output. It runs without a shell in the contract root, and must exit with 0.',
  },
  format: {
    is: { oneOf: formats },
    describe: 'How the output of the command is read: text (default), json or yaml.',
  },
  timeout_ms: {
    is: { whole: { min: 1, max: timeCeilingMs } },
    describe: `Timeout of the command in milliseconds; default ${timeoutMsDefault}.`,
  },
}

/** Names that the template has beside the data. */
export const reservedIds: readonly string[] = ['sources', 'surface_id', 'output_mode']

type Mapping = ReadonlyMap<string, SpecValue>

/** What the keys of a source require of each other. Their shape must be valid. */
export function sourceProblems(sources: readonly SpecValue[], path: string): ShapeProblem[] {
  const seen = new Set<string>()
  return sources.filter(isMapping).flatMap((source, index) => {
    const at = `${path}[${index}]`
    const id = String(source.get('id'))
    const isKnown = seen.has(id)
    seen.add(id)
    return [...idProblems(id, `${at}.id`, isKnown), ...wantedKeys(source, at)]
  })
}

function idProblems(id: string, path: string, isKnown: boolean): ShapeProblem[] {
  const problem = (message: string, hint: string): ShapeProblem[] => [
    { path, code: 'case.value', message: `${path} ${message}`, hint },
  ]
  if (isKnown) return problem(`repeats the id ${id}`, 'Rename one of the two sources.')
  if (reservedIds.includes(id)) {
    return problem(`must not be ${id}`, 'Every template has this name. Choose another one.')
  }
  return /[.{}\s]/.test(id)
    ? problem('must not contain dots, braces or white space', 'A dot leads into the data.')
    : []
}

function wantedKeys(source: Mapping, at: string): ShapeProblem[] {
  const type = String(source.get('source_type'))
  const isCommand = type === 'command_output'
  const needed = isCommand ? 'command' : 'path'
  const others = isCommand ? ['path'] : ['command', 'format', 'timeout_ms']
  const missing: ShapeProblem[] = source.has(needed)
    ? []
    : [
        {
          path: at,
          code: 'case.missing_key',
          message: `missing required key: ${at}.${needed}`,
          hint: `A source of type ${type} needs ${needed}.`,
        },
      ]
  const extra = others
    .filter(key => source.has(key))
    .map(key => ({
      path: `${at}.${key}`,
      atKey: true,
      code: 'case.unknown_key',
      message: `${at}.${key} has no meaning for ${type}`,
      hint: 'Remove it.',
    }))
  return [...missing, ...extra, ...wordFlaws(source.get('command'), `${at}.command`)]
}

/** The shape must be valid. */
export function dataSources(value: SpecValue | undefined): readonly DataSource[] {
  return (isList(value) ? value : []).filter(isMapping).map(sourceOf)
}

function sourceOf(source: Mapping): DataSource {
  const id = String(source.get('id'))
  const type = source.get('source_type')
  if (type === 'command_output') {
    const command = source.get('command')
    const [program = '', ...args] = isList(command) ? command.map(String) : []
    const format = formats.find(one => one === source.get('format')) ?? 'text'
    const timeoutMs = numberOf(source.get('timeout_ms')) ?? timeoutMsDefault
    return { id, type, command: [program, ...args], format, timeoutMs }
  }
  const path = pathOf(source.get('path'))
  const fileType = fileTypes.find(one => one === type) ?? 'generated_artifact'
  return { id, type: fileType, path, format: formatOf(fileType, path) }
}

function formatOf(type: FileType, path: string): DataFormat {
  if (type === 'json_file') return 'json'
  if (type === 'yaml_file') return 'yaml'
  if (/\.json$/i.test(path)) return 'json'
  return /\.ya?ml$/i.test(path) ? 'yaml' : 'text'
}

/** The path was checked with the shape. */
export function pathOf(value: SpecValue | undefined): ContractPath {
  const read = contractPath(String(value))
  return 'path' in read ? read.path : '/'
}

/** Loads the data of a template. */
import type { ContractPath } from '../../kernel/spec/contract-path.ts'
import type { CommandSource, DataFormat, DataSource } from '../../kernel/spec/docs/data-source.ts'
import { placeName } from '../../kernel/spec/document/raw-case.ts'
import { jsonProblem } from '../../kernel/spec/document/read-document.ts'
import { sourceText } from '../../kernel/spec/document/source-text.ts'
import { readYamlFile } from '../../kernel/spec/document/yaml-file.ts'
import { readJson } from '../../kernel/spec/lang/read-json.ts'
import { Failure, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { runCommand, withOutput } from './command-run.ts'
import { contractText } from './contract-text.ts'

/** By id; or the first problem. */
export async function loadSources(
  sources: readonly DataSource[],
  context: ExecutionContext,
): Promise<{ readonly byId: ReadonlyMap<string, SpecValue> } | SpecError> {
  const byId = new Map<string, SpecValue>()
  for (const [index, source] of sources.entries()) {
    const loaded = await load(source, context)
    const path = `harness.docs_generate.data_sources[${index}]`
    if ('category' in loaded) return { ...loaded, path }
    byId.set(source.id, loaded.value)
  }
  return { byId }
}

type Loaded = { readonly value: SpecValue } | SpecError

async function load(source: DataSource, context: ExecutionContext): Promise<Loaded> {
  if (source.type === 'command_output') return await commandOutput(source, context)
  const { id, path, format } = source
  const found = await contractText(path, context)
  if ('text' in found) return parsed(found.text, format, path)
  const why = 'refused' in found ? found.refused : found.unread
  return schema(`the data source ${id} cannot be read: ${path}: ${why}`, missingHint(path))
}

const missingHint = (path: ContractPath) => `Make ${path} first, or correct the path.`

async function commandOutput(
  { id, command, format, timeoutMs }: CommandSource,
  context: ExecutionContext,
): Promise<Loaded> {
  const name = `command_output ${id}`
  const place = { cwd: context.document.root, env: context.env, stdin: '', timeoutMs }
  const timeoutKey = 'timeout_ms of the data source'
  const ended = await runCommand({ ...place, name, words: command, timeoutKey }, context)
  if (isSpecErrorOf(ended)) return withOutput(ended, context)
  if (ended.exitCode === 0) return parsed(ended.stdout, format, `the output of ${name}`)
  const stderr = context.run.secrets.text(ended.stderr.trim()).slice(-400)
  const message = `${name} exited with ${ended.exitCode}${stderr === '' ? '' : `: ${stderr}`}`
  return { category: 'runtime', message }
}

/** `file` names the text in messages. */
function parsed(text: string, format: DataFormat, file: string): Loaded {
  if (format === 'text') return { value: text }
  if (format === 'json') {
    const value = readJson(text)
    return value instanceof Failure ? notJson(text, file, value) : { value }
  }
  const read = readYamlFile(text, file)
  if (!('length' in read)) return { value: read.value }
  const [first] = read
  return first === undefined
    ? { value: null }
    : schema(`${placeName(first.place)}: ${first.message}`, first.hint)
}

function notJson(text: string, file: string, failure: Failure): SpecError {
  const { message } = jsonProblem(sourceText(text, file)) ?? failure
  return schema(`${file}: ${message}`)
}

const schema = (message: string, hint?: string): SpecError => ({
  category: 'schema',
  message,
  ...(hint !== undefined && { hint }),
})

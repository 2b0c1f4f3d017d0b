import { envelope } from '../../kernel/spec/assert/subject.ts'
import { type ContractPath, contractPath } from '../../kernel/spec/contract-path.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type CaseHarness, isSpecErrorOf, type ReadyCase } from './case-harness.ts'
import { contractText } from './contract-text.ts'

export const textFile: CaseHarness = {
  type: 'text.file',
  describe: 'Reads a file below the contract root, or the document itself.',
  keys: {},
  harness: {},
  targets: ['text', 'context_json'],

  async run(ready, context) {
    const file = await fileOf(ready, context)
    if (isSpecErrorOf(file)) return file
    const { path, text } = file
    const meta = { target: 'text', path }
    const source = { source_doc: context.document.path }
    return {
      byTarget: new Map([
        ['text', () => ({ value: text })],
        [
          'context_json',
          () => ({
            value: envelope({
              profile: 'text.file',
              version: 1,
              value: text,
              meta,
              context: source,
            }),
          }),
        ],
      ]),
    }
  },
}

interface TextFile {
  readonly path: ContractPath
  readonly text: string
}

async function fileOf(
  { value }: ReadyCase,
  { document, run }: ExecutionContext,
): Promise<TextFile | SpecError> {
  const given = value.get('path')
  if (typeof given !== 'string') return { path: document.path, text: document.text }
  const read = contractPath(given)
  if ('refused' in read) return refusedPath(read.refused)
  const found = await contractText(read.path, { document, run })
  if ('refused' in found) return refusedPath(found.refused)
  return 'unread' in found ? unread(read.path, found.unread) : { path: read.path, ...found }
}

const refusedPath = (why: string): SpecError => ({
  category: 'schema',
  message: `text.file path ${why}`,
  path: 'path',
})

const unread = (path: ContractPath, why: string): SpecError => ({
  category: 'runtime',
  message: `cannot read fixture file ${path}: ${why}`,
  path: 'path',
})

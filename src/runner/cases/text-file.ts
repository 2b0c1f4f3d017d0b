import { Fault } from '../../fault.ts'
import { envelope } from '../../kernel/spec/assert/subject.ts'
import { type ContractPath, contractPath } from '../../kernel/spec/contract-path.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { ExecutionContext } from '../execution-context.ts'
import type { RunnerWorld } from '../runner-world.ts'
import { type CaseHarness, isSpecErrorOf, type ReadyCase } from './case-harness.ts'

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
  try {
    const place = await run.roots.confined(document.root, read.path)
    if ('refused' in place) return refusedPath(place.refused)
    const found = await subjectText(place.realPath, run.world)
    return 'refused' in found ? unread(read.path, found.refused) : { path: read.path, ...found }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return unread(read.path, run.roots.withoutRoot(error, document.root))
  }
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

/** Larger files are refused, because a subject is held and searched in memory. */
const fileBytesMax = 64 * 1024 * 1024

/** Returns the text at a resolved path, or why it has none. Other failures throw a fault. */
export async function subjectText(
  path: string,
  { files, disk }: Pick<RunnerWorld, 'files' | 'disk'>,
): Promise<{ readonly text: string } | { readonly refused: string }> {
  // Check the kind first: reading a pipe would block.
  const stamp = await (await disk()).stamp(path)
  if (stamp !== undefined && stamp.size > fileBytesMax) {
    return { refused: `is larger than ${fileBytesMax / 1024 / 1024} MB` }
  }
  return { text: decodeUtf8(await files.read(path)) }
}

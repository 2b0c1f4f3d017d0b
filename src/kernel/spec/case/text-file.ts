import type { CaseType } from './case-type.ts'

export const textFile: CaseType = {
  type: 'text.file',
  describe: 'Reads a file of the contract root, or the document itself.',
  executable: true,
  keys: {},
  harness: {},
  targets: ['text', 'context_json'],
}

/** Flags of commands that check issues. */
import { countField, type Fields } from '../field.ts'
import { noteWarnThresholdDefault } from '../kernel/issues/issue-check.ts'
import { memoryFields } from './issue-fields.ts'

export const checkFields = {
  noteWarnThreshold: countField(
    'n',
    'Warn about notes that are longer than this number of characters.',
    { default: noteWarnThresholdDefault },
  ),
  ...memoryFields,
} as const satisfies Fields

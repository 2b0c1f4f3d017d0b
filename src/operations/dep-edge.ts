/** Shared parts of the commands that change one edge. */

import { choiceField, type Fields, textField } from '../field.ts'

import { changeFields, proofFields } from '../input/issue-fields.ts'
import { visible } from '../kernel/text/visible.ts'
import { dependencyTypes } from '../wire/issue/issue.ts'

export const edgeFields = {
  issue: textField('issue', 'The issue that depends on another.', {
    required: true,
    positional: true,
    names: 'issue',
  }),
  dependsOn: textField('depends-on', 'The issue it depends on.', {
    required: true,
    positional: true,
    names: 'issue',
  }),
} as const satisfies Fields

export const typeField = {
  type: choiceField(dependencyTypes, 'The kind of dependency.', {
    placeholder: 'type',
    default: 'blocks',
  }),
} as const satisfies Fields

export const createdByField = {
  createdBy: textField('name', 'The author of the edge, for the record.', { default: '' }),
} as const satisfies Fields

export const edgeChangeFields = { ...proofFields, ...changeFields } as const

export const edgeText = (issueId: string, dependsOnId: string, type: string) =>
  visible(`${issueId} -> ${dependsOnId} (${type})`)

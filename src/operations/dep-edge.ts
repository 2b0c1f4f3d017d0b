/** Shared parts of the commands that change one edge. */

import type { Fields } from '../field.ts'

import { changeFields, proofFields } from '../input/issue-fields.ts'
import { visible } from '../kernel/text/visible.ts'
import { dependencyTypes } from '../wire/issue/dependency-type.ts'

export const edgeFields = {
  issue: {
    type: 'text',
    describe: 'The issue that depends on another.',
    placeholder: 'issue',
    required: true,
    positional: true,
  },
  dependsOn: {
    type: 'text',
    describe: 'The issue it depends on.',
    placeholder: 'depends-on',
    required: true,
    positional: true,
  },
} as const satisfies Fields

export const typeField = {
  type: {
    type: 'choice',
    describe: 'The kind of dependency.',
    values: dependencyTypes,
    default: 'blocks',
    placeholder: 'type',
  },
} as const satisfies Fields

export const makerField = {
  createdBy: {
    type: 'text',
    describe: 'The author of the edge, for the record.',
    placeholder: 'name',
    default: '',
  },
} as const satisfies Fields

export const edgeChangeFields = { ...proofFields, ...changeFields } as const

export const spokenEdge = (issueId: string, dependsOnId: string, type: string) =>
  visible(`${issueId} -> ${dependsOnId} (${type})`)

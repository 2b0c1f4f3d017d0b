/** Flags that several issue commands share. */
import { Fault } from '../fault.ts'
import type { Fields } from '../field.ts'
import { noteWarnThresholdDefault } from '../kernel/issues/issue-check.ts'
import type { IssueFields } from '../kernel/issues/issue-edit.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'
import { agentFields } from '../project/authority/authority.ts'
import type { OperationContext } from '../project/context.ts'
import { about, readDocument, sourceName } from '../project/named-document.ts'

export const memoryFields = {
  issues: {
    type: 'text',
    describe: 'The issue memory file. Defaults to .premath/issues.jsonl of the project.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

/** Flags of every command that changes issue memory. */
export const changeFields = {
  ...memoryFields,
  reason: {
    type: 'text',
    describe:
      'The reason for the change, which is recorded. Required by the mode human-override, and by the mode operator without a terminal.',
    placeholder: 'text',
  },
  ...agentFields,
} as const satisfies Fields

export const idField = {
  id: {
    type: 'text',
    describe: 'The issue id.',
    placeholder: 'id',
    required: true,
    positional: true,
  },
} as const satisfies Fields

export const limitField = {
  limit: { type: 'count', describe: 'The maximum number of results.', placeholder: 'n' },
} as const satisfies Fields

/** The content of an issue, for commands that create or edit one. */
export const contentFields = {
  description: { type: 'text', describe: 'The description of the work.', placeholder: 'text' },
  design: { type: 'text', describe: 'The design of the solution.', placeholder: 'text' },
  acceptance: { type: 'text', describe: 'The acceptance criteria.', placeholder: 'text' },
  notes: { type: 'text', describe: 'Notes about progress and findings.', placeholder: 'text' },
  notesFile: {
    type: 'text',
    describe: 'A file with the notes; - reads stdin.',
    placeholder: 'file',
    path: true,
  },
  priority: {
    type: 'count',
    describe: 'The priority. 0 is the highest, 2 is normal.',
    placeholder: 'n',
  },
  type: { type: 'text', describe: 'The issue type: task or epic.', placeholder: 'type' },
  assignee: {
    type: 'text',
    describe: 'The worker that the issue is assigned to.',
    placeholder: 'name',
  },
  owner: { type: 'text', describe: 'The person responsible for the issue.', placeholder: 'name' },
  label: {
    type: 'text',
    describe: 'A label. An empty text removes all labels.',
    many: true,
  },
  spec: {
    type: 'text',
    describe: 'A spec that verifies the issue. An empty text removes all specs.',
    placeholder: 'file',
    path: true,
    many: true,
  },
} as const satisfies Fields

interface Content {
  readonly description: string | undefined
  readonly design: string | undefined
  readonly acceptance: string | undefined
  readonly notes: string | undefined
  readonly notesFile: string | undefined
  readonly priority: number | undefined
  readonly type: string | undefined
  readonly assignee: string | undefined
  readonly owner: string | undefined
  readonly label: readonly string[]
  readonly spec: readonly string[]
}

/** Returns the given values under the names of a row. */
export async function fieldsOf(content: Content, context: OperationContext): Promise<IssueFields> {
  const { description, design, priority, assignee, owner, label, spec } = content
  return {
    description,
    design,
    acceptance_criteria: content.acceptance,
    notes: await notesOf(content, context),
    priority,
    issue_type: content.type,
    assignee,
    owner,
    labels: label.length > 0 ? label : undefined,
    specs: spec.length > 0 ? spec : undefined,
  }
}

async function notesOf(
  { notes, notesFile }: Content,
  context: OperationContext,
): Promise<string | undefined> {
  if (notesFile === undefined) return notes
  if (notes !== undefined) {
    throw new Fault('usage', '--notes and --notes-file exclude each other: pass one of them')
  }
  return await about(sourceName(notesFile), () => readDocument(notesFile, context))
}

/** Flags that prove that the caller holds the lease. */
export const proofFields = {
  leaseId: {
    type: 'text',
    describe: 'The id of the lease that permits the change. Defaults to PREMATH_LEASE_ID.',
    placeholder: 'id',
  },
  fence: {
    type: 'count',
    describe: 'The fence of the lease. Defaults to PREMATH_FENCE.',
    placeholder: 'n',
  },
} as const satisfies Fields

export const termFields = {
  leaseTtlSeconds: {
    type: 'count',
    describe: `The term of the lease in seconds: ${leaseTermRange}, default ${leaseTtlSecondsDefault}.`,
    placeholder: 'n',
  },
  leaseExpiresAt: {
    type: 'text',
    describe: 'The end of the lease as an RFC 3339 time, instead of a term.',
    placeholder: 'time',
  },
} as const satisfies Fields

export const checkFields = {
  noteWarnThreshold: {
    type: 'count',
    describe: 'Warn about notes that are longer than this number of characters.',
    placeholder: 'n',
    default: noteWarnThresholdDefault,
  },
  ...memoryFields,
} as const satisfies Fields

/** Flags that several issue commands share. */
import { Fault } from '../fault.ts'
import type { Fields } from '../field.ts'
import { noteWarnThresholdDefault } from '../kernel/issues/issue-check.ts'
import type { IssueFields } from '../kernel/issues/issue-edit.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'
import { agentFields } from '../project/authority/agent-fields.ts'
import type { OperationContext } from '../project/context.ts'
import { about, readDocument, sourceName } from '../project/named-document.ts'

export const memoryFields = {
  issues: {
    type: 'text',
    describe: 'The issue memory to use; without it, .premath/issues.jsonl of the project.',
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
      'Why, for the record; a policy of human-override asks for it, and so does one of operator where nobody is at a terminal.',
    placeholder: 'text',
  },
  ...agentFields,
} as const satisfies Fields

export const idField = {
  id: {
    type: 'text',
    describe: 'The issue.',
    placeholder: 'id',
    required: true,
    positional: true,
  },
} as const satisfies Fields

export const limitField = {
  limit: { type: 'count', describe: 'List at most this many.', placeholder: 'n' },
} as const satisfies Fields

/** The content of an issue, for commands that create or edit one. */
export const contentFields = {
  description: { type: 'text', describe: 'What is to be done.', placeholder: 'text' },
  design: { type: 'text', describe: 'How it is to be done.', placeholder: 'text' },
  acceptance: { type: 'text', describe: 'When it counts as done.', placeholder: 'text' },
  notes: { type: 'text', describe: 'What was learned on the way.', placeholder: 'text' },
  notesFile: {
    type: 'text',
    describe: 'The notes, read from a file; - reads standard input.',
    placeholder: 'file',
    path: true,
  },
  priority: { type: 'count', describe: 'How urgent: 0 is first, 2 is usual.', placeholder: 'n' },
  type: { type: 'text', describe: 'task or epic.', placeholder: 'type' },
  assignee: { type: 'text', describe: 'Who works on it.', placeholder: 'name' },
  owner: { type: 'text', describe: 'Who answers for it.', placeholder: 'name' },
  label: { type: 'text', describe: 'A label; a blank one clears them.', many: true },
  spec: {
    type: 'text',
    describe: 'A spec that says when the issue is done; a blank one clears them.',
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
    throw new Fault('usage', '--notes and --notes-file both give the notes: give one of them')
  }
  return await about(sourceName(notesFile), () => readDocument(notesFile, context))
}

/** Flags that prove that the caller holds the lease. */
export const proofFields = {
  leaseId: {
    type: 'text',
    describe: 'The lease the change is made under; without it, PREMATH_LEASE_ID.',
    placeholder: 'id',
  },
  fence: {
    type: 'count',
    describe: 'The fence of that lease; without it, PREMATH_FENCE.',
    placeholder: 'n',
  },
} as const satisfies Fields

export const termFields = {
  leaseTtlSeconds: {
    type: 'count',
    describe: `How long the lease lasts: ${leaseTermRange} seconds, ${leaseTtlSecondsDefault} if nothing is said.`,
    placeholder: 'n',
  },
  leaseExpiresAt: {
    type: 'text',
    describe: 'When the lease ends instead, as an RFC 3339 time.',
    placeholder: 'time',
  },
} as const satisfies Fields

export const checkFields = {
  noteWarnThreshold: {
    type: 'count',
    describe: 'Warn about notes with more characters than this.',
    placeholder: 'n',
    default: noteWarnThresholdDefault,
  },
  ...memoryFields,
} as const satisfies Fields

/** Flags that several issue commands share. */
import { Fault } from '../fault.ts'
import { countField, type Fields, flagField, type InputOf, textField } from '../field.ts'
import type { IssueFields } from '../kernel/issues/issue-edit.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'
import type { OperationContext } from '../project/context.ts'
import { namingSource, readDocument, sourceName } from '../project/named-document.ts'

export const memoryFields = {
  issues: textField(
    'file',
    'The issue memory file. Defaults to .premath/issues.jsonl of the project.',
    { path: true, also: ['issues-path'] },
  ),
} as const satisfies Fields

/** Flags of every command that changes issue memory. */
export const changeFields = {
  ...memoryFields,
  reason: textField(
    'text',
    'The reason for the change, which is recorded. Required by the mode human-override, and by the mode operator without a terminal.',
  ),
  instruction: textField(
    'id',
    'The accepted instruction to act under; without it, PREMATH_INSTRUCTION_ID.',
  ),
  joinWitness: textField(
    'file',
    'The witness of the turn; without it, the one that the instruction’s names.',
    { path: true },
  ),
} as const satisfies Fields

export const idField = {
  id: textField('id', 'The issue id.', {
    required: true,
    positional: true,
    names: 'issue',
  }),
} as const satisfies Fields

export const limitField = {
  limit: countField('n', 'The maximum number of results.'),
} as const satisfies Fields

/** The content of an issue, for commands that create or edit one. */
export const contentFields = {
  description: textField('text', 'The description of the work.'),
  design: textField('text', 'The design of the solution.'),
  acceptance: textField('text', 'The acceptance criteria.'),
  notes: textField('text', 'Notes about progress and findings.'),
  notesFile: textField('file', 'A file with the notes; - reads stdin.', { path: true }),
  priority: countField(
    'n',
    'The priority, from 0 (most urgent) to 4. Defaults to 2 for a new issue.',
  ),
  type: textField('type', 'The issue type: task, epic, bug, feature or chore.'),
  assignee: textField('name', 'The worker that the issue is assigned to.'),
  owner: textField('name', 'The person responsible for the issue.'),
  label: {
    type: 'text',
    describe: 'A label. An empty text removes all labels.',
    many: true,
    names: 'label',
  },
  spec: textField('file', 'A spec that verifies the issue. An empty text removes all specs.', {
    path: true,
    many: true,
  }),
} as const satisfies Fields

/** What the work of an issue may change although it judges the work. */
export const allowanceFields = {
  mayChange: textField(
    'pattern',
    'Protected files that the work may change, such as test/**. An empty text removes all allowances.',
    { many: true },
  ),
  writesSpecs: flagField('The specs of the issue do not exist yet, and come with the work.'),
} as const satisfies Fields

export const allowancesIn = ({
  mayChange,
  writesSpecs,
}: InputOf<typeof allowanceFields>): Pick<IssueFields, 'allowances'> =>
  mayChange.length > 0 || writesSpecs ? { allowances: { mayChange, writesSpecs } } : {}

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
  return await namingSource(sourceName(notesFile), () => readDocument(notesFile, context))
}

/** Flags that prove that the caller holds the lease. */
export const proofFields = {
  leaseId: textField(
    'id',
    'The id of the lease that permits the change. Defaults to PREMATH_LEASE_ID.',
  ),
  fence: countField('n', 'The fence of the lease. Defaults to PREMATH_FENCE.'),
} as const satisfies Fields

export const termFields = {
  leaseTtlSeconds: countField(
    'n',
    `The term of the lease in seconds: ${leaseTermRange}, default ${leaseTtlSecondsDefault}.`,
  ),
  leaseExpiresAt: textField('time', 'The end of the lease as an RFC 3339 time, instead of a term.'),
} as const satisfies Fields

export const allowForcedField = {
  allowForced: flagField('Accept issues that a person closed by force.'),
} as const satisfies Fields

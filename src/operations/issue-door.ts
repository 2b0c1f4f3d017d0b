/** Issue memory as commands reach it: to ask, and to change it through its one door. */
import { isJsonObject } from '../kernel/json.ts'
import { AgentGrant } from '../kernel/work/agent-grant.ts'
import type { IssueChange, IssueChanged } from '../kernel/work/issue-change.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { type IssueRefusal, isRefusal } from '../kernel/work/issue-refusal.ts'
import type { AgentInput } from './agent-fields.ts'
import { asOperator } from './as-operator.ts'
import { recordGrant } from './grant-log.ts'
import { rejected } from './issue-answer.ts'
import { type OpenIssues, openIssues } from './open-issues.ts'
import type { Answer, OperationContext, Page } from './operation.ts'

export interface Asked {
  readonly issuesPath: string
  readonly memory: IssueMemory
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** Of an answer: what the store set right on the way. */
  readonly talk: { readonly talk?: string }
}

/** Memory as it is, to answer a question. */
export async function askIssues(
  context: OperationContext,
  input: { readonly issues: string | undefined },
): Promise<Asked> {
  const open = await openIssues(context, input, 'ask')
  const memory = await open.store.read()
  return { issuesPath: open.issuesPath, memory, now: open.now(), talk: talkOf(open) }
}

/** What a change came to, in the members of its answer and in words. */
export interface Told {
  readonly output: Readonly<Record<string, unknown>>
  text(page: Page): string
}

interface ChangeInput extends AgentInput {
  readonly issues: string | undefined
  readonly reason: string | undefined
}

/** Makes one change. A refusal is an answer too. */
export async function changeIssues(
  context: OperationContext,
  input: ChangeInput,
  change: IssueChange,
  tell: (changed: IssueChanged) => Told,
): Promise<Answer<unknown>> {
  const open = await openIssues(context, input)
  const { issuesPath } = open
  const { action } = change
  const authority = open.authority(input.reason)
  const outcome = await open.store.mutate(authority, change)
  if (isRefusal(outcome)) {
    const answer = rejected(action, issuesPath, outcome)
    return { ...answer, ...talkOf(open, answer.talk) }
  }
  const { output, text } = tell(outcome)
  const written = AgentGrant.isIssued(authority)
    ? { ...output, ...writeWitnessOf(outcome) }
    : output
  return { output: { action, issuesPath, ...written }, yes: true, render: text, ...talkOf(open) }
}

/** What an agent's change left in its row, for the answer too. */
function writeWitnessOf({ issue }: IssueChanged): Readonly<Record<string, unknown>> {
  const { metadata } = issue ?? {}
  const witness = isJsonObject(metadata) ? metadata['premathWriteWitness'] : undefined
  return witness === undefined ? {} : { writeWitness: witness }
}

/**
 * The door's no to whoever writes without a change that it could decide: the same rows in another
 * form, or what is derived from them.
 */
export async function refusalAtDoor(
  { authority, store }: OpenIssues,
  { action, reason }: { readonly action: string; readonly reason: string | undefined },
  context: OperationContext,
): Promise<IssueRefusal | undefined> {
  const asked = asOperator(authority(reason), `run ${action.replace('.', ' ')}`, context)
  if (isRefusal(asked)) return asked
  if (await store.exists()) await recordGrant(asked, action, folderOf(store.path), context)
  return undefined
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** What the store set right on the way is told, whatever the answer is. */
export function talkOf(
  { store }: Pick<OpenIssues, 'store'>,
  ...own: readonly (string | undefined)[]
): { readonly talk?: string } {
  const notes = store.notices.map(note => `note: ${note}`)
  const lines = [...notes, ...own.filter(line => line !== undefined)]
  return lines.length > 0 ? { talk: lines.join('\n') } : {}
}

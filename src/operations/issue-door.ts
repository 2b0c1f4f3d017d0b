/** Issue memory as commands reach it: to ask, and to change it through its one door. */
import type { IssueChange, IssueChanged } from '../kernel/work/issue-change.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../kernel/work/issue-refusal.ts'
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
  const open = await openIssues(context, input)
  const memory = await open.store.read()
  return { issuesPath: open.issuesPath, memory, now: open.now(), talk: talkOf(open) }
}

/** What a change came to, in the members of its answer and in words. */
export interface Told {
  readonly output: Readonly<Record<string, unknown>>
  text(page: Page): string
}

interface ChangeInput {
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
  const outcome = await open.store.mutate(open.authority(input.reason), change)
  if (isRefusal(outcome)) {
    const answer = rejected(action, issuesPath, outcome)
    return { ...answer, ...talkOf(open, answer.talk) }
  }
  const { output, text } = tell(outcome)
  return { output: { action, issuesPath, ...output }, yes: true, render: text, ...talkOf(open) }
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
  const asked = authority(reason)
  if (!asked.granted) return refuse('mutation_not_granted', asked.message, asked.remedy)
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

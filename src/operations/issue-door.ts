/** Issue memory as commands reach it: to ask, and to change it through its one door. */

import type { Answer, Page } from '../answer.ts'
import { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import { isRefusal } from '../kernel/issues/issue-refusal.ts'
import { isJsonObject } from '../kernel/json.ts'
import type { AgentInput } from '../project/authority/agent-fields.ts'
import type { OperationContext } from '../project/context.ts'
import { openIssues, talkOf } from '../project/open-issues.ts'
import { rejected } from '../render/issues/issue-answer.ts'

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

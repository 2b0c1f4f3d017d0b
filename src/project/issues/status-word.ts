/** Checks a status that a person gives: a typing mistake would hide the issue from every list. */
import { Fault } from '../../fault.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { knownStatus, knownStatuses, statusHint } from '../../kernel/issues/issue-status.ts'
import { trim } from '../../kernel/text/clean.ts'
import type { Project } from '../open.ts'

/** The status to write, or a refusal. A blank one is refused where the change is made. */
export async function statusToWrite(
  word: string | undefined,
  project: Project,
): Promise<string | IssueRefusal | undefined> {
  if (word === undefined || trim(word) === '') return word
  const { status, known } = await knownIn(word, project)
  if (status !== undefined) return status
  const diagnostic = `unknown status ${JSON.stringify(word)}`
  return refuse('issue_status_invalid', diagnostic, statusHint(word, known))
}

/**
 * The status to look for. Rows of other tools may have one that the project does not know, so they are
 * read for such a word.
 */
export async function statusToFind(
  word: string | undefined,
  rows: () => Iterable<{ readonly status: string }>,
  project: Project,
): Promise<string | undefined> {
  if (word === undefined) return undefined
  const { status, known } = await knownIn(word, project)
  const found = status ?? knownStatus(word, [...new Set([...rows()].map(row => row.status))])
  if (found !== undefined) return found
  throw new Fault('usage', `unknown status ${JSON.stringify(word)}`, {
    hint: statusHint(word, known),
  })
}

/** The configuration is read only for a word that is not known everywhere. */
async function knownIn(word: string, project: Project) {
  const status = knownStatus(word, [])
  if (status !== undefined) return { status, known: knownStatuses }
  const { statuses } = (await project.config()).config
  return { status: knownStatus(word, statuses), known: [...knownStatuses, ...statuses] }
}

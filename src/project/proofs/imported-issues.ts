/** Finds the issues that came closed with an import: they have no proof, and nobody can make one. */
import { saysImported } from '../../kernel/proof/close-kind.ts'
import { readEventLines } from '../../store/file/event-lines.ts'
import { issueFiles } from '../../store/file/issue-files.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

/**
 * The row must say so, and the event log must never show the issue in another state: an issue that was
 * open here was closed here, and needs a proof.
 */
export async function importedIssues(
  open: Pick<OpenWitnesses, 'memory' | 'files' | 'issuesFile'>,
): Promise<ReadonlySet<string>> {
  const said = (open.memory?.all() ?? []).filter(saysImported).map(({ id }) => id)
  const imported = new Set(said)
  const log = issueFiles(open.issuesFile).events
  const bytes = imported.size > 0 ? await open.files.readIfPresent(log) : undefined
  for (const { event } of bytes ? readEventLines(bytes, log).lines : []) {
    if (event.action === 'upsert_issue' && event.issue.status !== 'closed') {
      imported.delete(event.issue_id)
    }
  }
  return imported
}

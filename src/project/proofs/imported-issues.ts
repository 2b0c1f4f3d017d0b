/** Finds the issues that came closed with an import: they have no proof, and nobody can make one. */
import { saysImported } from '../../kernel/proof/close-kind.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

/**
 * The row must say so, and the event log must never show the issue in another state: an issue that was
 * open here was closed here, and needs a proof.
 */
export async function importedIssues(
  open: Pick<OpenWitnesses, 'memory' | 'seenOpen'>,
): Promise<ReadonlySet<string>> {
  const said = (open.memory?.all() ?? []).filter(saysImported).map(({ id }) => id)
  // The log is long, and most projects import nothing.
  const seenOpen = said.length > 0 ? await open.seenOpen() : new Set<string>()
  return new Set(said.filter(id => !seenOpen.has(id)))
}

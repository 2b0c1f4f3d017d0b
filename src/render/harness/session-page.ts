import type { Page } from '../../answer.ts'
import type { Session } from '../../wire/harness/session.ts'
import { type Fact, factsPage } from '../titled-page.ts'

export function sessionPage(session: Session, path: string, page: Page): string {
  const { instructionRefs, witnessRefs, lineageRefs } = session
  const facts: readonly Fact[] = [
    ['issue', session.issueId],
    ['summary', session.summary],
    ['next step', session.nextStep],
    ['instructions', instructionRefs.join(' ')],
    ['witnesses', witnessRefs.join(' ')],
    ['lineage', lineageRefs.join(' ')],
    ['started', session.startedAt],
    ['updated', session.updatedAt],
    ['stopped', session.stoppedAt],
    ['issue memory', session.issuesSnapshotRef],
    ['path', path],
  ]
  return factsPage(`${session.sessionId}: ${session.state}`, facts, page)
}

/** A change that closes an issue with --force and a reason. */

import { OperatorGrant } from '../src/kernel/authority/operator-grant.ts'
import type { IssueChange } from '../src/kernel/issues/issue-change.ts'
import { CloseProof } from '../src/kernel/proof/close-proof.ts'

export function closing(id: string): IssueChange {
  const grant = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })
  if (!grant.granted) throw new Error(grant.message)
  const done = CloseProof.byForce(id, grant, 'done', { actor: 'terminal', uid: 1000 })
  if ('failureClass' in done) throw new Error(done.diagnostic)
  return { action: 'issue.update', id, fields: { status: 'closed' }, proof: {}, done }
}

/** What a worker keeps in its worktree: only its own session and ledger, out of git's sight. */
import type { OperationContext } from './context.ts'

export function worktreeDocuments(worktree: string) {
  const folder = `${worktree}/.premath/worker`
  const name = worktree.slice(worktree.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9._-]+/g, '-')
  return {
    folder,
    worker: `worker.${name}`,
    session: `${folder}/harness_session.json`,
    ledger: `${folder}/harness_feature_ledger.json`,
  }
}

/** A folder may be there again without it: whoever tells of work makes one for what it tells. */
export const isThere = async (worktree: string, { files }: OperationContext) =>
  (await files.kindOf(`${worktree}/.git`)) !== undefined

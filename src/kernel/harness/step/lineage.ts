/**
 * The lineage of a step (HARNESS-RUNTIME §6): the context of the issue, the cover of the worker
 * pool, and the refinement of the worker. Paths are relative to the project, so that all machines
 * agree.
 */
import { byCodePoint, canonicalJson, type Sha256 } from '../../canonical.ts'

interface LineagePlace {
  readonly issueId: string
  /** `.` for a project at the top of its repository. */
  readonly repoRoot: string
  readonly issuesPath: string
  readonly workerId: string
  readonly worktree: string
  readonly mutationMode: string
  readonly activeEpoch: string
  readonly supportUntil: string | null
}

const workerPool = 'harness.multithread.v1'

/** Returns the `ctx://`, `cover://` and `refinement://` refs, sorted. */
export function lineageRefs(place: LineagePlace, sha256: Sha256): readonly string[] {
  const { issueId, repoRoot, issuesPath, workerId, worktree } = place
  const { mutationMode, activeEpoch, supportUntil } = place
  const digest = (value: object) => sha256(canonicalJson(value as never))
  const ctx = `ctx://issue/${issueId}/${digest({ kind: 'ctx', issueId, repoRoot, issuesPath })}`
  const cover = `cover://worker-loop/${issueId}/${digest({ kind: 'cover', ctxRef: ctx, workerPool })}`
  const own = {
    kind: 'refinement',
    coverRef: cover,
    workerId,
    worktree,
    mutationMode,
    activeEpoch,
    supportUntil,
  }
  const refinement = `refinement://worker-loop/${issueId}/${workerId}/${digest(own)}`
  return [ctx, cover, refinement].sort(byCodePoint)
}

interface WorkerLane {
  readonly mode: string
  readonly reason: string
  readonly activeEpoch: string
  readonly supportUntil: string | null
  readonly workerId: string
  readonly issueId: string
  readonly stepIndex: number
}

/**
 * Returns `policy://worker-lane/…`, which names the mutation mode and the reason of a worker's
 * change.
 */
export const policyRef = (lane: WorkerLane, sha256: Sha256): string =>
  `policy://worker-lane/${lane.mode}/${sha256(canonicalJson({ ...lane }))}`

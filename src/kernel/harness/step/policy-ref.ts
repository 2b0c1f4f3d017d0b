/**
 * Returns `policy://worker-lane/…`, which names the mutation mode and the reason of a worker's
 * change.
 */
import { canonicalJson, type Sha256 } from '../../canonical.ts'

interface WorkerLane {
  readonly mode: string
  readonly reason: string
  readonly activeEpoch: string
  readonly supportUntil: string | null
  readonly workerId: string
  readonly issueId: string
  readonly stepIndex: number
}

export const policyRef = (lane: WorkerLane, sha256: Sha256): string =>
  `policy://worker-lane/${lane.mode}/${sha256(canonicalJson({ ...lane }))}`

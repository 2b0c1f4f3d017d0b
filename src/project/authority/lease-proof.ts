/** Finds the lease id and the fence that a change of a leased issue needs. */
import { Fault } from '../../fault.ts'
import { leaseIn } from '../../kernel/harness/session.ts'
import type { LeaseProof } from '../../kernel/issues/lease.ts'
import { openSession } from '../harness-files.ts'
import type { Project } from '../open.ts'

/** Reads the lease and fence from flags, then the environment, then the session. */
export async function proofOf(
  id: string,
  given: { readonly leaseId: string | undefined; readonly fence: number | undefined },
  project: Project,
): Promise<LeaseProof> {
  const { env } = project
  const named = env['PREMATH_ACTIVE_ISSUE_ID'] || env['PREMATH_ISSUE_ID']
  // A worker that holds one issue may change another one, on which it holds no lease.
  const fromEnv = named === undefined || named === id ? env : {}
  const leaseId = given.leaseId ?? (fromEnv['PREMATH_LEASE_ID'] || undefined)
  const fence = given.fence ?? fenceFrom(fromEnv['PREMATH_FENCE'])
  if (leaseId === undefined && fence === undefined) return await sessionProof(id, project)
  const isMeant = named === id || given.leaseId !== undefined || given.fence !== undefined
  return { leaseId, fence, ...(!isMeant && { ambient: true }) }
}

function fenceFrom(text: string | undefined): number | undefined {
  if (!text) return undefined
  const fence = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(fence)) return fence
  throw new Fault('usage', `PREMATH_FENCE cannot be ${JSON.stringify(text)}`, {
    hint: 'it is the whole number that the claim answered as fence',
  })
}

/** The lease that a step recorded in the session. */
async function sessionProof(id: string, project: Project): Promise<LeaseProof> {
  const session = await readableSession(project)
  const lease = session?.issueId === id ? leaseIn(session) : undefined
  return lease ? { ...lease, ambient: true } : {}
}

/** The session is a projection: a broken one must not stop the change. */
async function readableSession(project: Project) {
  try {
    return await (await openSession(project, undefined)).cell.read()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

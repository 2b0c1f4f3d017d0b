/** Whether work that came from another location may count here: nothing is changed, much is asked. */
import { readTree } from '../harness/tree.ts'
import {
  type ArrivedRelocation,
  arrivalFindings,
  type RelocationPlace,
  type RelocationVerification,
  relocationWitness,
  treeFindings,
} from '../kernel/harness/relocation-check.ts'
import { type RelocationFinding, relocationFinding } from '../kernel/harness/relocation-classes.ts'
import { specsOf } from '../kernel/work/issue-edit.ts'
import type { RelocationWitness } from '../wire/relocation-witness.ts'
import { locationCommands, verifyHere } from './location-verification.ts'
import { mutationPolicy, policyDigestOf } from './mutation-policy.ts'
import { openIssues } from './open-issues.ts'
import type { OperationContext } from './operation.ts'
import { projectFolderHere } from './project-root.ts'

export interface LocationCheckInput {
  readonly verifyCmd: string | undefined
  readonly verifyTimeoutSeconds: number
  readonly issues: string | undefined
}

export interface CheckedHere {
  readonly witness: RelocationWitness
  readonly findings: readonly RelocationFinding[]
  readonly root: string
}

export async function checkHere(
  arrived: ArrivedRelocation,
  { verifyCmd, verifyTimeoutSeconds, issues }: LocationCheckInput,
  context: OperationContext,
): Promise<CheckedHere> {
  const { store, root } = await openIssues(context, { issues }, 'ask')
  const issue = (await store.read()).get(arrived.relocation.issueId)
  const folder = await projectFolderHere(context, root)
  const tree = await treeIn(folder, context)
  const mutationPolicyDigest = policyDigestOf(await mutationPolicy(root, context), context)
  const place = { issue, mutationPolicyDigest, treeDigest: tree.digest }
  const amiss = arrivalFindings(arrived, place, context.sha256)
  const head = await tree.head()
  const asArrived = { place, verifications: [], findings: amiss }
  // What is not what was sent is not run.
  const found =
    amiss.length > 0
      ? asArrived
      : await verified(arrived, place, { folder, verifyCmd, verifyTimeoutSeconds }, context)
  const witness = relocationWitness({ arrived, head, ...found })
  return { witness, findings: found.findings, root }
}

interface VerifyingHere extends Pick<LocationCheckInput, 'verifyCmd' | 'verifyTimeoutSeconds'> {
  readonly folder: string
}

/** The files have to be the same afterwards: a verification vouches for what it leaves. */
async function verified(
  { relocation }: ArrivedRelocation,
  place: RelocationPlace,
  { folder, verifyCmd, verifyTimeoutSeconds }: VerifyingHere,
  context: OperationContext,
) {
  const specs = place.issue ? specsOf(place.issue) : []
  const commands = locationCommands(verifyCmd, specs, context)
  const run = { folder, timeoutMs: verifyTimeoutSeconds * 1000 }
  const verifications = await verifyHere(commands, run, context)
  const { digest: treeDigest } = await treeIn(folder, context)
  const findings = [...verificationFindings(verifications), ...treeFindings(relocation, treeDigest)]
  return { place: { ...place, treeDigest }, verifications, findings }
}

async function treeIn(folder: string, context: OperationContext) {
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  const { files, env, sha256 } = context
  return await readTree({ root: folder, files, disk, processes, env, sha256 })
}

function verificationFindings(
  verifications: readonly RelocationVerification[],
): readonly RelocationFinding[] {
  const failed = verifications.find(({ exitCode }) => exitCode !== 0)
  if (!failed) return []
  const how = failed.exitCode === null ? 'was ended' : `ended with exit code ${failed.exitCode}`
  return [relocationFinding('handoff.verification_failed', `the verification ${how}`)]
}

/** Checks at a location whether relocated work is accepted. Changes no issue. */
import { readTree } from '../../harness/worktree/tree.ts'
import { mutationPolicyDigest as digestOf } from '../../kernel/authority/mutation-policy.ts'
import {
  type ArrivedRelocation,
  arrivalFindings,
  type RelocationPlace,
  type RelocationVerification,
  relocationWitness,
} from '../../kernel/harness/relocation/relocation-check.ts'
import {
  type RelocationFinding,
  relocationFinding,
} from '../../kernel/harness/relocation/relocation-classes.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import type { RelocationWitness } from '../../wire/relocation/relocation-witness.ts'
import type { OperationContext } from '../context.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { locationCommands, verifyHere } from './location-verification.ts'

interface LocationCheckInput {
  readonly verifyCmd: string | undefined
  readonly verifyTimeoutSeconds: number
  readonly issues: string | undefined
}

interface CheckedHere {
  readonly witness: RelocationWitness
  readonly findings: readonly RelocationFinding[]
  readonly root: string
}

export async function checkHere(
  arrived: ArrivedRelocation,
  { verifyCmd, verifyTimeoutSeconds, issues }: LocationCheckInput,
  here: Project,
): Promise<CheckedHere> {
  const { store, project } = await openIssues(here, { issues }, 'ask')
  const { root, sha256 } = project
  const folder = await project.folderHere()
  const { issueId } = arrived.relocation
  const look = async (now: Project) => {
    const tree = await treeIn(folder, now)
    const issue = (await store.read()).get(issueId)
    const mutationPolicyDigest = digestOf(await now.policy(), sha256)
    return { tree, place: { issue, mutationPolicyDigest, treeDigest: tree.digest } }
  }
  const { tree, place } = await look(project)
  const amiss = arrivalFindings(arrived, place, sha256)
  const head = await tree.head()
  const asArrived = { place, verifications: [], findings: amiss }
  // Commands run only if the inputs are what was sent.
  const found =
    amiss.length > 0
      ? asArrived
      : await verified(
          arrived,
          { issue: place.issue, folder, verifyCmd, verifyTimeoutSeconds },
          async () => (await look(project.reopened())).place,
          project,
        )
  const witness = relocationWitness({ arrived, head, ...found })
  return { witness, findings: found.findings, root }
}

interface VerifyingHere extends Pick<LocationCheckInput, 'verifyCmd' | 'verifyTimeoutSeconds'> {
  readonly issue: Issue | undefined
  readonly folder: string
}

/**
 * Issue, policy and tree must still match afterwards, because the verification vouches for the
 * final state.
 */
async function verified(
  arrived: ArrivedRelocation,
  { issue, folder, verifyCmd, verifyTimeoutSeconds }: VerifyingHere,
  lookAgain: () => Promise<RelocationPlace>,
  context: OperationContext,
) {
  const specs = issue ? specsOf(issue) : []
  const commands = locationCommands(verifyCmd, specs, context)
  const run = { folder, timeoutMs: verifyTimeoutSeconds * 1000 }
  const verifications = await verifyHere(commands, run, context)
  const place = await lookAgain()
  const amiss = arrivalFindings(arrived, place, context.sha256)
  return { place, verifications, findings: [...verificationFindings(verifications), ...amiss] }
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
  const how = failed.exitCode === null ? 'was killed' : `ended with exit code ${failed.exitCode}`
  return [relocationFinding('handoff.verification_failed', `the verification ${how}`)]
}

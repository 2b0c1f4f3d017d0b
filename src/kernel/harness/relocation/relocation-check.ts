/** The check at the destination of a relocation, without the commands that must run. */
import type { Relocation } from '../../../wire/relocation/relocation.ts'
import type { RelocationWitness } from '../../../wire/relocation/relocation-witness.ts'
import type { Sha256 } from '../../canonical.ts'
import type { Issue } from '../../issues/issue.ts'
import { witnessKinds } from '../../proof/witness.ts'
import { issueDigestOf } from './relocation.ts'
import { type RelocationFinding, relocationFinding } from './relocation-classes.ts'

/** The inputs as found at the destination. */
export interface ReceivedRelocation {
  readonly relocation: Relocation
  /** The computed digest, in lower-case hexadecimal. */
  readonly digest: string
  /** The file name without its folder. */
  readonly name: string
}

/** The state of the destination. */
export interface RelocationPlace {
  readonly issue: Issue | undefined
  readonly mutationPolicyDigest: string
  readonly treeDigest: string
}

/** Called before the verification runs and again after it. */
export function receivedFindings(
  { relocation, digest, name }: ReceivedRelocation,
  { issue, mutationPolicyDigest, treeDigest }: RelocationPlace,
  sha256: Sha256,
): readonly RelocationFinding[] {
  const findings: RelocationFinding[] = []
  if (name !== `${digest}.json`) {
    findings.push(
      relocationFinding(
        'handoff.inputs_changed',
        `the digest of the inputs is ${digest}, but their name is ${name}`,
      ),
    )
  }
  findings.push(...issueFindings(relocation, issue, sha256))
  if (mutationPolicyDigest !== relocation.mutationPolicyDigest) {
    const message = `the policy here is ${mutationPolicyDigest}, but ${relocation.mutationPolicyDigest} was sent`
    findings.push(relocationFinding('handoff.policy_mismatch', message))
  }
  return [...findings, ...treeFindings(relocation, treeDigest)]
}

function issueFindings(
  { issueId, issueDigest }: Relocation,
  issue: Issue | undefined,
  sha256: Sha256,
): readonly RelocationFinding[] {
  if (!issue)
    return [relocationFinding('handoff.issue_unknown', `the issue ${issueId} does not exist here`)]
  if (issue.status === 'closed') {
    return [relocationFinding('handoff.issue_closed', `the issue ${issueId} is closed here`)]
  }
  if (issueDigestOf(issue, sha256) === issueDigest) return []
  const message = `the issue ${issueId} has different content here`
  return [relocationFinding('handoff.issue_mismatch', message)]
}

function treeFindings(
  { treeDigest: sent }: Relocation,
  treeDigest: string,
): readonly RelocationFinding[] {
  if (treeDigest === sent) return []
  return [
    relocationFinding(
      'handoff.tree_mismatch',
      `the tree here is ${treeDigest}, but ${sent} was sent`,
    ),
  ]
}

export type RelocationVerification = RelocationWitness['verifications'][number]

interface Checked {
  readonly arrived: ReceivedRelocation
  readonly place: RelocationPlace
  readonly verifications: readonly RelocationVerification[]
  readonly findings: readonly RelocationFinding[]
  /** The commit, for people. */
  readonly head: string | null
}

export const checkedParts = ['inputs', 'issue', 'policy', 'tree'] as const

export function relocationWitness({
  arrived: { relocation, digest },
  place,
  verifications,
  findings,
  head,
}: Checked): RelocationWitness {
  const { destination, issueId, stepId } = relocation
  const classes = findings.map(({ failureClass }) => failureClass)
  return {
    schema: 1,
    witnessKind: witnessKinds.relocation,
    result: classes.length === 0 ? 'accepted' : 'rejected',
    failureClasses: [...new Set(classes)].sort(),
    checked: [...checkedParts, ...(verifications.length > 0 ? (['verification'] as const) : [])],
    relocationDigest: `sha256:${digest}`,
    destination,
    issueId,
    stepId,
    treeDigest: place.treeDigest,
    mutationPolicyDigest: place.mutationPolicyDigest as RelocationWitness['mutationPolicyDigest'],
    verifications: [...verifications],
    head,
  }
}

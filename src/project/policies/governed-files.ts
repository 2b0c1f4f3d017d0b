/** Policy and checks of a project, compared with the ones that were put in force. */
import {
  type MutationPolicy,
  mutationPolicyDigest,
} from '../../kernel/authority/mutation-policy.ts'
import {
  checksDigest,
  type Governed,
  governedPaths,
  policyOf,
} from '../../kernel/governance/governed-document.ts'
import {
  isGoverned,
  lastInForce,
  type PolicyLog,
  standingRefusal,
} from '../../kernel/governance/policy-standing.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { PolicyLogFile } from '../../store/policy-log.ts'
import type { Project } from '../open.ts'
import { openChecks } from './checks-file.ts'

/** The log itself, for a command that adds to it or writes what it says. */
export const policyLogFile = async ({ root, disk, sha256 }: Project) =>
  new PolicyLogFile({ disk: await disk(), root, sha256 })

/** `undefined` where none was put in force. */
export function lastPolicyIn(log: PolicyLog): MutationPolicy | undefined {
  const last = lastInForce('policy', log)
  return last && policyOf(last)
}

/** The digest of the file's content; `undefined` where there are no checks. */
export async function digestInFile(what: Governed, project: Project): Promise<string | undefined> {
  const { files, sha256 } = project
  if (what === 'policy') return mutationPolicyDigest((await project.writtenPolicy()).policy, sha256)
  if ((await files.kindOf(project.at(governedPaths.checks))) === undefined) return undefined
  return checksDigest(await openChecks(project), sha256)
}

/** Why no agent may act in a governed project: policy or checks are not the ones in force. */
export async function notInForce(
  project: Project,
  log: PolicyLog,
): Promise<IssueRefusal | undefined> {
  if (!isGoverned(log)) return undefined
  for (const what of ['policy', 'checks'] as const) {
    const digest = await digestInFile(what, project)
    const refused = digest === undefined ? undefined : standingRefusal(what, digest, log)
    if (refused) return refused
  }
  return undefined
}

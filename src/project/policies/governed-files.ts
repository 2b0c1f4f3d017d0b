/** Policy and checks of a project, and the log of what was put in force. */

import type { MutationPolicy } from '../../kernel/authority/mutation-policy.ts'
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
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'
import { mutationPolicy, policyDigestOf } from '../policy-file.ts'
import { registryClaims } from '../registry.ts'
import { openChecks } from './checks-file.ts'

export async function policyLogFile(root: string, { disk, sha256 }: OperationContext) {
  return new PolicyLogFile({ disk: await disk(), root, sha256 })
}

export async function openPolicyLog(root: string, context: OperationContext): Promise<PolicyLog> {
  const log = await policyLogFile(root, context)
  const { entries } = await log.read()
  return { entries, registryClaims: await registryClaims(context, root) }
}

/** Where governance is not claimed nobody asks what was put in force. */
export async function logWhereGoverned(root: string, context: OperationContext) {
  const unread = { entries: [], registryClaims: await registryClaims(context, root) }
  return isGoverned(unread) ? await openPolicyLog(root, context) : unread
}

/** `undefined` where none was put in force. */
export async function lastPolicy(
  root: string,
  context: OperationContext,
): Promise<MutationPolicy | undefined> {
  const last = lastInForce('policy', await openPolicyLog(root, context))
  return last && policyOf(last)
}

/** Of the file, by what it says; `undefined` where there is none and none is needed. */
export async function digestInFile(
  what: Governed,
  root: string,
  context: OperationContext,
): Promise<string | undefined> {
  if (what === 'policy') return policyDigestOf(await mutationPolicy(root, context), context)
  const path = resolvePath(root, governedPaths.checks)
  if ((await context.files.kindOf(path)) === undefined) return undefined
  return checksDigest(await openChecks(root, context), context.sha256)
}

/** Why no agent may act now: policy or checks are not what was put in force. */
export async function notInForce(
  root: string,
  log: PolicyLog,
  context: OperationContext,
): Promise<IssueRefusal | undefined> {
  if (!isGoverned(log)) return undefined
  for (const what of ['policy', 'checks'] as const) {
    const digest = await digestInFile(what, root, context)
    const refused = digest === undefined ? undefined : standingRefusal(what, digest, log)
    if (refused) return refused
  }
  return undefined
}

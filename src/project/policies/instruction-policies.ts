/** Reads the policies for instructions: the project's own, or premath's. */

import {
  instructionPolicyFolder,
  type PolicyRegistry,
  type RegisteredPolicy,
  readInstructionPolicy,
  registerPolicies,
} from '../../kernel/instruction/instruction-policy.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import type { OperationContext } from '../context.ts'
import { followLinks, resolvePath } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

/** A folder with more files holds something else. */
const policiesMax = 1_000

/** A project that has the folder uses it alone, even an empty one. */
export async function instructionPolicies(
  root: string,
  context: OperationContext,
): Promise<PolicyRegistry | InstructionRefusal> {
  const own = resolvePath(root, instructionPolicyFolder)
  const isOwn = (await context.files.kindOf(own)) !== undefined
  const home = isOwn ? root : context.packageFolder()
  const folder = resolvePath(home, instructionPolicyFolder)
  if ((await context.files.kindOf(folder)) !== 'folder') return bad(folder, 'is no folder')
  const names = (await context.files.list(folder)).map(({ name }) => name)
  const files = names.filter(name => name.endsWith('.json'))
  if (files.length > policiesMax) return bad(folder, `holds more than ${policiesMax} policies`)
  const policies: RegisteredPolicy[] = []
  for (const name of files) {
    const policy = await policyIn(`${instructionPolicyFolder}/${name}`, home, context)
    if (isRefused(policy)) return policy
    policies.push(policy)
  }
  return registerPolicies(policies)
}

async function policyIn(
  shown: string,
  home: string,
  context: OperationContext,
): Promise<RegisteredPolicy | InstructionRefusal> {
  const path = resolvePath(home, shown)
  const { leadsOut } = await followLinks(path, home, await context.disk())
  if (leadsOut) return bad(shown, 'leaves the project through a symbolic link')
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) return bad(shown, document.why)
  const policy = readInstructionPolicy(document, shown, context.sha256)
  return isRefused(policy) ? refused(policy.failureClass, policy.message, [shown]) : policy
}

const bad = (path: string, why: string) =>
  refused('instruction_policy_invalid_shape', `${path}: ${why}`, [path])

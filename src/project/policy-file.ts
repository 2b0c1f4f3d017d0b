/** The project's policy, as the file says it. */
import { Fault } from '../fault.ts'
import {
  defaultPolicy,
  type MutationPolicy,
  mutationPolicyDigest,
  mutationPolicyPath,
  readMutationPolicy,
} from '../kernel/authority/mutation-policy.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'

export async function mutationPolicy(
  root: string,
  { files }: Pick<OperationContext, 'files'>,
): Promise<MutationPolicy> {
  const path = `${root.replace(/\/$/, '')}/${mutationPolicyPath}`
  const bytes = await policyBytes(path, files)
  return bytes ? policyIn(bytes, path) : defaultPolicy
}

export const policyDigestOf = (
  policy: MutationPolicy,
  { sha256 }: Pick<OperationContext, 'sha256'>,
): string => mutationPolicyDigest(policy, sha256)

/** Nobody named the file: where it cannot be read, that is not the caller's doing. */
async function policyBytes(path: string, files: OperationContext['files']) {
  try {
    return await files.readIfPresent(path)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { message, hint = '', detail } = error
    throw new Fault('unavailable', message, { hint, detail, cause: error })
  }
}

function policyIn(bytes: Uint8Array, path: string): MutationPolicy {
  const policy = readMutationPolicy(documentOf(bytes, path))
  if (typeof policy !== 'string') return policy
  throw corrupt(path, policy)
}

function documentOf(bytes: Uint8Array, path: string): Json {
  try {
    return parseJson(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof Fault) throw corrupt(path, error.message)
    throw error
  }
}

/** A policy that cannot be read may forbid what we are asked to do. */
function corrupt(path: string, why: string): Fault {
  return new Fault('corrupt', `the policy ${path} cannot be trusted: ${why}`, {
    hint: 'Mend the file, restore it from version control, or remove it and run premath init.',
    detail: { path },
  })
}

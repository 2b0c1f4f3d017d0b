/** The retry policy that counts: the one that is named, the project's own, or the one we bring. */
import {
  badRetryPolicy,
  type RetryPolicy,
  readRetryPolicy,
  retryPolicyPath,
} from '../kernel/harness/retry-policy.ts'
import { parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { absolute, rephrasing } from './json-input.ts'
import type { OperationContext } from './operation.ts'
import { findProjectRoot } from './project-root.ts'

export async function openRetryPolicy(
  context: OperationContext,
  given: string | undefined,
): Promise<RetryPolicy> {
  const path = given === undefined ? await usualPath(context) : absolute(given, context)
  const shown = given ?? path
  const bytes = await rephrasing(
    () => context.files.readIfPresent(path),
    fault => badRetryPolicy('retry_policy_io_error', shown, fault.message, fault),
  )
  if (!bytes) throw badRetryPolicy('retry_policy_missing', shown, 'there is no such file')
  const document = await rephrasing(
    () => parseJson(decodeUtf8(bytes)),
    fault => badRetryPolicy('retry_policy_invalid_json', shown, fault.message, fault),
  )
  return readRetryPolicy(document, shown, context.sha256)
}

async function usualPath(context: OperationContext): Promise<string> {
  const root = await findProjectRoot(context)
  const own = `${root === '/' ? '' : root}/${retryPolicyPath}`
  const hasOwn = root !== undefined && (await context.files.kindOf(own)) !== undefined
  return hasOwn ? own : `${context.packageFolder()}/${retryPolicyPath}`
}

/** The retry policy that counts. */
import {
  type RetryPolicy,
  readRetryPolicy,
  retryPolicyKind,
} from '../../kernel/harness/retry/retry-policy.ts'
import type { OperationContext } from '../context.ts'
import { openPolicy } from './control-policy-file.ts'

export async function openRetryPolicy(
  context: OperationContext,
  given: string | undefined,
): Promise<RetryPolicy> {
  const { document, shown } = await openPolicy(retryPolicyKind, context, given)
  return readRetryPolicy(document, shown, context.sha256)
}

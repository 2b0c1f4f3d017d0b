/** The retry policy that counts. */
import {
  type RetryPolicy,
  readRetryPolicy,
  retryPolicyKind,
} from '../../kernel/harness/retry/retry-policy.ts'
import type { Project } from '../open.ts'
import { openPolicy } from './control-policy-file.ts'

export async function openRetryPolicy(
  project: Project,
  given: string | undefined,
): Promise<RetryPolicy> {
  const { document, shown } = await openPolicy(retryPolicyKind, project, given)
  return readRetryPolicy(document, shown, project.sha256)
}

/** The decomposition policy that counts. */
import {
  type DecompositionPolicy,
  decompositionPolicyKind,
  readDecompositionPolicy,
} from '../../kernel/harness/run/decomposition-policy.ts'
import type { OperationContext } from '../context.ts'
import { openPolicy } from './control-policy-file.ts'

export async function openDecompositionPolicy(
  context: OperationContext,
  given: string | undefined,
): Promise<DecompositionPolicy> {
  const { document, shown } = await openPolicy(decompositionPolicyKind, context, given)
  return readDecompositionPolicy(document, shown, context.sha256)
}

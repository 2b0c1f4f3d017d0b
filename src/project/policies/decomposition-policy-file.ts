/** The decomposition policy that counts. */
import {
  type DecompositionPolicy,
  decompositionPolicyKind,
  readDecompositionPolicy,
} from '../../kernel/harness/run/decomposition-policy.ts'
import type { Project } from '../open.ts'
import { openPolicy } from './control-policy-file.ts'

export async function openDecompositionPolicy(
  project: Project,
  given: string | undefined,
): Promise<DecompositionPolicy> {
  const { document, shown } = await openPolicy(decompositionPolicyKind, project, given)
  return readDecompositionPolicy(document, shown, project.sha256)
}

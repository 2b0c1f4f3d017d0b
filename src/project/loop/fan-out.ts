/** Decides whether several workers may run, before anything is created or claimed. */

import { type Answer, refusedAnswer } from '../../answer.ts'
import { fanOutViolations } from '../../kernel/harness/run/decomposition-policy.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { Project } from '../open.ts'
import { openTrajectory } from '../open-trajectory.ts'
import { openDecompositionPolicy } from '../policies/control-policy.ts'
import { openExpansion } from './kpi-expansion.ts'

interface FanOutInput {
  readonly decompositionPolicy: string | undefined
  readonly trajectory: string | undefined
}

/** The command that asks, and its flag for the number of workers. */
interface FanOutCommand {
  readonly action: string
  readonly flag: string
}

/** Returns the refusal of the decomposition policy or of the KPI. */
export async function fanOutRefusal(
  workers: number,
  input: FanOutInput,
  project: Project,
  { action, flag }: FanOutCommand = { action: 'harness-loop coordinator', flag: '--parallel' },
): Promise<Answer<unknown> | undefined> {
  const policy = await openDecompositionPolicy(project, input.decompositionPolicy)
  const violations = fanOutViolations(policy, { pattern: 'orchestrator_workers', workers })
  if (violations.length > 0) {
    return refusal('coordination.decomposition_policy_violation', violations, {
      action,
      next: `Run fewer workers with ${flag}, or change the policy ${policy.policyId}.`,
      policyDigest: policy.policyDigest,
    })
  }
  const { log } = await openTrajectory(project, input.trajectory, '--trajectory')
  const { paused, workersAllowed = 1, reason } = await openExpansion(log)
  if (!paused || workers <= workersAllowed) return undefined
  return refusal(
    'kpi_rollback_unremediated',
    [
      `too few of the last steps passed (${reason}): at most ${workersAllowed} of ${workers} workers may run`,
    ],
    {
      action,
      next: `Run with ${flag} ${workersAllowed} until steps pass again, or record what you fixed: premath harness-kpi remediate --reason '…'.`,
    },
  )
}

function refusal(
  failureClass: string,
  diagnostics: readonly string[],
  {
    next,
    ...others
  }: { readonly action: string; readonly next: string; readonly policyDigest?: string },
): Answer<unknown> {
  const diagnostic = diagnostics.join('; ')
  const answer = refusedAnswer(others, { failureClasses: [failureClass], diagnostic, remedy: next })
  return {
    ...answer,
    message: `${visible(`error: ${diagnostic} (${failureClass})`)}\n  ${visible(next)}`,
  }
}

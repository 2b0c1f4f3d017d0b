/** By which way the command line is used here: by people, or by the work of a step. */
import type { MutationPolicy, Surface } from '../../kernel/authority/mutation-policy.ts'
import {
  type GrantRefusal,
  type MutationMode,
  OperatorGrant,
  stricter,
} from '../../kernel/authority/operator-grant.ts'
import type { OperationContext } from '../context.ts'
import { isStepWork } from './step-work.ts'

const surfaceHere = (context: OperationContext): Surface => (isStepWork(context) ? 'work' : 'cli')

/** Who says that a step runs gets in nowhere where others do not. */
export const modeHere = (
  { modes }: Pick<MutationPolicy, 'modes'>,
  context: OperationContext,
): MutationMode => (isStepWork(context) ? stricter(modes.cli, modes.work) : modes.cli)

/** The work of a step is an agent's, whoever started it: it comes by a way of its own. */
export function personUnder(
  policy: MutationPolicy,
  reason: string | undefined,
  context: OperationContext,
): OperatorGrant | GrantRefusal {
  const surface = surfaceHere(context)
  const mode = modeHere(policy, context)
  // Asking takes long, so only where it matters. A terminal that work has, it made itself.
  const isAtTerminal = mode === 'operator' && surface === 'cli' && context.isAtTerminal()
  const operator = operatorIn(context.env)
  return OperatorGrant.grant({ operator, surface, mode, reason, isAtTerminal })
}

/** Whoever acts, by name. */
export const operatorIn = (env: OperationContext['env']) =>
  env['PREMATH_OPERATOR'] || env['USER'] || env['LOGNAME'] || env['USERNAME'] || 'operator'

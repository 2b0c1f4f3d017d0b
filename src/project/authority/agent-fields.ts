/** What a change takes that an agent makes. */
import type { Fields } from '../../field.ts'
import type { OperationContext } from '../context.ts'

export const agentFields = {
  instruction: {
    type: 'text',
    describe: 'The accepted instruction to act under; without it, PREMATH_INSTRUCTION_ID.',
    placeholder: 'id',
  },
  joinWitness: {
    type: 'text',
    describe: 'The witness of the turn; without it, the one that the instruction’s names.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export interface AgentInput {
  readonly instruction?: string | undefined
  readonly joinWitness?: string | undefined
}

/** Who is named; `undefined` where nobody is, so that a person acts. */
export const instructionIn = (
  { instruction }: AgentInput,
  { env }: Pick<OperationContext, 'env'>,
): string | undefined => instruction ?? (env['PREMATH_INSTRUCTION_ID'] || undefined)

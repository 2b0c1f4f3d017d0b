/** Flags of the commands that run programs. */
import { Fault } from '../fault.ts'
import { choiceField, countField, type Fields, type InputOf, textField } from '../field.ts'
import { transports } from '../kernel/scheme/host/host-action.ts'
import type { Budget } from '../kernel/scheme/meter.ts'

export const schemeBudgetFields = {
  maxCalls: countField('n', 'The most calls of host functions.', { default: 32 }),
  maxSteps: countField('n', 'The most steps: calls of procedures, and items of lists and texts.', {
    default: 10_000_000,
  }),
  maxMemory: countField('MiB', 'The most memory for all values that the program makes.', {
    default: 256,
  }),
  timeoutSeconds: countField('seconds', 'The longest time of a program.', { default: 60 }),
} as const satisfies Fields

export const schemeHostFields = {
  hostActionTransport: choiceField(
    transports,
    'The surface whose policy mode counts: that of the caller (local-repl), or MCP (mcp).',
    { default: 'local-repl' },
  ),
  issueId: textField('id', 'The issue that the rows of the trajectory name.', { names: 'issue' }),
  policyDigest: textField(
    'digest',
    'The policy that the caller expects to be in force. Another one refuses every change.',
  ),
  instruction: textField(
    'id',
    'The accepted instruction to act under; without it, PREMATH_INSTRUCTION_ID.',
    { also: ['instruction-ref'] },
  ),
} as const satisfies Fields

/** Calls that wait for another. Each takes about 100 bytes. */
const depthMax = 100_000
const memoryMiBMax = 1024
const secondsMax = 86_400

interface SchemeLimits {
  readonly budget: Budget
  readonly timeoutMs: number
}

export function schemeLimits(input: InputOf<typeof schemeBudgetFields>): SchemeLimits {
  const { maxCalls, maxSteps, maxMemory, timeoutSeconds } = input
  mustBeWithin('--max-calls', maxCalls, 100_000)
  mustBeWithin('--max-steps', maxSteps, 1e12)
  mustBeWithin('--max-memory', maxMemory, memoryMiBMax)
  mustBeWithin('--timeout-seconds', timeoutSeconds, secondsMax)
  return {
    budget: { steps: maxSteps, bytes: maxMemory * 2 ** 20, calls: maxCalls, depth: depthMax },
    timeoutMs: timeoutSeconds * 1000,
  }
}

/** The budgets of a program that no flags limit. */
export const usualBudget: Budget = {
  steps: schemeBudgetFields.maxSteps.default,
  bytes: schemeBudgetFields.maxMemory.default * 2 ** 20,
  calls: schemeBudgetFields.maxCalls.default,
  depth: depthMax,
}

function mustBeWithin(flag: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return
  throw new Fault('usage', `${flag} is ${value}, which is out of range`, {
    hint: `Use 1 to ${most}.`,
  })
}

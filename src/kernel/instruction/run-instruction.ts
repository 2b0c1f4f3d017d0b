/** The instruction that a run is for its steps, where the policy demands one. */
import { RunInstruction } from '../../wire/instruction/run-instruction.ts'
import { documentOf, printDocument } from '../artifact/print.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { witnessFolder } from '../proof/witness.ts'
import type { Checks } from './checks.ts'
import type { RegisteredPolicy } from './instruction-policy.ts'

/** A check that a policy requires, with the command of the project. */
export interface RequiredCheck {
  readonly checkId: string
  readonly command: string
}

interface RunTerms
  extends Omit<
    RunInstruction,
    'schema' | 'instructionKind' | 'instructionPolicies' | 'requiredChecks'
  > {
  readonly policies: readonly RegisteredPolicy[]
  readonly checks: readonly RequiredCheck[]
}

interface WrittenInstruction {
  readonly instructionId: string
  /** Relative to the project folder. */
  readonly path: string
  readonly text: string
}

/** Named by its content: all workers of a run, and equal runs, have one instruction. */
export function runInstruction(
  { policies, checks, ...terms }: RunTerms,
  sha256: Sha256,
): WrittenInstruction {
  const document: RunInstruction = {
    schema: 1,
    instructionKind: 'premath.run_instruction.v1',
    ...terms,
    instructionPolicies: policies.map(({ policyDigest }) => policyDigest).sort(),
    requiredChecks: checks.map(({ checkId, command }) => ({
      checkId,
      commandDigest: `sha256:${sha256(command)}`,
    })),
  }
  const digest = sha256(canonicalJson(documentOf(RunInstruction, document)))
  const instructionId = `run-${digest}`
  return {
    instructionId,
    path: `${witnessFolder}/${instructionId}.json`,
    text: printDocument(RunInstruction, document),
  }
}

/** The checks that any of the policies requires, or the first one that has no command. */
export function requiredBy(
  policies: readonly RegisteredPolicy[],
  commands: Checks,
): readonly RequiredCheck[] | { readonly checkId: string; readonly policyId: string } {
  const required = new Map<string, string>()
  for (const { requiredChecks = [], policyId } of policies) {
    for (const checkId of requiredChecks) {
      const command = commands.get(checkId)
      if (command === undefined) return { checkId, policyId }
      required.set(checkId, command)
    }
  }
  return [...required].map(([checkId, command]) => ({ checkId, command }))
}

/** Records the instruction and the turn of an agent's change in the rows it made. */

import type { Issue } from '../issues/issue.ts'
import type { IssueChanged } from '../issues/issue-change.ts'
import { withMetadata } from '../issues/issue-metadata.ts'
import type { JsonObject } from '../json.ts'
import type { AgentGrant } from './agent-grant.ts'

const nanosPerMilli = 1_000_000n

export function withWriteWitness(
  changed: IssueChanged,
  grant: AgentGrant,
  { action, now }: { readonly action: string; readonly now: bigint },
): IssueChanged {
  const marked = new Map<Issue, Issue>()
  for (const row of changed.rows) {
    const premathWriteWitness = {
      schema: 1,
      witnessKind: 'bd.issue.write.v1',
      witnessId: `bdw1_${now}`,
      action,
      issueId: row.id,
      recordedAtUnixMs: Number(now / nanosPerMilli),
      mutationPolicy: 'instruction-linked',
      instruction: instructionOf(grant),
      ...(grant.origin && { call: grant.origin as JsonObject }),
    }
    marked.set(row, { ...row, metadata: withMetadata(row, { premathWriteWitness }) })
  }
  const issue = changed.issue && (marked.get(changed.issue) ?? changed.issue)
  return { ...changed, rows: [...marked.values()], issue }
}

function instructionOf({ instruction, witnessPath, turn, joinWitnessRef }: AgentGrant): JsonObject {
  const { instructionId, instructionDigest, policyDigest, witnessDigest } = instruction
  return {
    instructionId,
    witnessPath,
    witnessDigest,
    instructionDigest,
    policyDigest,
    capabilityClaims: instruction.capabilityClaims,
    requiredChecks: instruction.requiredChecks,
    executedChecks: instruction.executedChecks,
    failureClasses: instruction.failureClasses,
    joinGatePresent: turn !== undefined,
    joinClosed: turn === undefined ? null : true,
    joinFailureClasses: [],
    joinWitnessRef: joinWitnessRef ?? null,
  }
}

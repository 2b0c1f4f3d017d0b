/** Every kind of document that leaves or enters the process. One line per kind. */
import { z } from 'zod'
import { Attention } from './attention.ts'
import { Statement } from './attestation.ts'
import { Bootstrap } from './bootstrap.ts'
import { Checks } from './checks.ts'
import { DecompositionPolicy } from './decomposition-policy.ts'
import { Escalation } from './escalation.ts'
import { FeatureLedger } from './feature-ledger.ts'
import { GovernancePromotion } from './governance-promotion.ts'
import { HandoffPacket } from './handoff-packet.ts'
import { BootReport, StepJournal, StepReport } from './hook-reports.ts'
import { Instruction } from './instruction.ts'
import { InstructionPolicy } from './instruction-policy.ts'
import { InstructionRuntime, InstructionWitness } from './instruction-witness.ts'
import { IssueRow } from './issue.ts'
import { IssueEvent } from './issue-event.ts'
import { JoinReport, UnreadableLine } from './join-report.ts'
import { TurnWitness } from './join-witness.ts'
import { KpiReport } from './kpi-report.ts'
import { LedgerCheck } from './ledger-check.ts'
import { MutationPolicy } from './mutation-policy.ts'
import { NormalizedTurn } from './normalized-turn.ts'
import { OperatorGrantRecord } from './operator-grant.ts'
import { PolicyEntry } from './policy-entry.ts'
import { ProofBundle, ProofChain } from './proof-chain.ts'
import { Proposal } from './proposal.ts'
import { Relocation, TransportOutcome } from './relocation.ts'
import { RelocationCheck, RelocationWitness } from './relocation-witness.ts'
import { RetryDecision } from './retry-decision.ts'
import { RetryPolicy } from './retry-policy.ts'
import { RunEvent } from './run-event.ts'
import { Session } from './session.ts'
import { SpecConformance, SpecReport } from './spec-report.ts'
import { SpecWitness } from './spec-witness.ts'
import { StepRow } from './step-row.ts'
import { TrajectoryProjection } from './trajectory-projection.ts'
import { turnEvidenceKind, turnEvidenceSchema } from './turn-evidence-schema.ts'
import { ConformanceReport, VectorCase, VectorExpect } from './vector.ts'
import { VerifyWitness } from './verify-witness.ts'

export const wireKinds = [
  Attention,
  BootReport,
  Bootstrap,
  Checks,
  ConformanceReport,
  VectorCase,
  VectorExpect,
  DecompositionPolicy,
  Escalation,
  FeatureLedger,
  GovernancePromotion,
  HandoffPacket,
  Instruction,
  InstructionPolicy,
  InstructionRuntime,
  InstructionWitness,
  IssueEvent,
  IssueRow,
  JoinReport,
  KpiReport,
  LedgerCheck,
  MutationPolicy,
  NormalizedTurn,
  OperatorGrantRecord,
  PolicyEntry,
  ProofBundle,
  ProofChain,
  Proposal,
  Relocation,
  RelocationCheck,
  RelocationWitness,
  RetryDecision,
  RetryPolicy,
  RunEvent,
  Session,
  SpecConformance,
  SpecReport,
  SpecWitness,
  Statement,
  StepJournal,
  StepReport,
  StepRow,
  TrajectoryProjection,
  TransportOutcome,
  TurnWitness,
  UnreadableLine,
  VerifyWitness,
] as const

/** JSON Schemas by kind, as written to `schemas/` and printed by `premath schema`. */
export function jsonSchemas(): Record<string, unknown> {
  const ours = wireKinds.map(kind => [
    kind.meta()?.title,
    z.toJSONSchema(kind, { target: 'draft-2020-12' }),
  ])
  const schemas = Object.fromEntries([...ours, [turnEvidenceKind, turnEvidenceSchema()]])
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

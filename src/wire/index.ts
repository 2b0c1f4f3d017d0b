/** Every kind of document that leaves or enters the process. One line per kind. */
import { CoherenceReport } from './checks/check-report.ts'
import { Config } from './config/config.ts'
import { Bootstrap } from './harness/bootstrap.ts'
import { Escalation } from './harness/escalation.ts'
import { FeatureLedger } from './harness/feature-ledger.ts'
import { HandoffPacket } from './harness/handoff-packet.ts'
import { BootReport, StepReport } from './harness/hook-reports.ts'
import { LedgerCheck } from './harness/ledger-check.ts'
import { RetryDecision } from './harness/retry-decision.ts'
import { Session } from './harness/session.ts'
import { StepJournalLine } from './harness/step-journal.ts'
import { StepRequest } from './harness/step-request.ts'
import { StepRow } from './harness/step-row.ts'
import { TrajectoryProjection } from './harness/trajectory-projection.ts'
import { Checks } from './instruction/checks.ts'
import { Instruction } from './instruction/instruction.ts'
import { InstructionPolicy } from './instruction/instruction-policy.ts'
import { InstructionRuntime, InstructionWitness } from './instruction/instruction-witness.ts'
import { Proposal } from './instruction/proposal.ts'
import { RunInstruction } from './instruction/run-instruction.ts'
import { IssueRow } from './issue/issue.ts'
import { IssueEvent } from './issue/issue-event.ts'
import { dialect, jsonSchemaOf } from './json-schema.ts'
import { CloseRequest } from './landing/close-request.ts'
import { ObservationEvent, ObservationSurface } from './observation/surface.ts'
import { DecompositionPolicy } from './policy/decomposition-policy.ts'
import { GovernancePromotion } from './policy/governance-promotion.ts'
import { MutationPolicy } from './policy/mutation-policy.ts'
import { OperatorGrantRecord } from './policy/operator-grant.ts'
import { PolicyEntry } from './policy/policy-entry.ts'
import { RetryPolicy } from './policy/retry-policy.ts'
import { Statement } from './proof/attestation.ts'
import { TurnWitness } from './proof/join-witness.ts'
import { ProofBundle, ProofChain } from './proof/proof-chain.ts'
import { SpecWitness } from './proof/spec-witness.ts'
import { Trust } from './proof/trust.ts'
import { VerifyWitness } from './proof/verify-witness.ts'
import { Relocation, TransportOutcome } from './relocation/relocation.ts'
import { RelocationCheck, RelocationWitness } from './relocation/relocation-witness.ts'
import { RequiredDecision } from './required/decision.ts'
import { DeltaSnapshot, RequiredDelta } from './required/delta.ts'
import { GateWitness } from './required/gate-witness.ts'
import { RequiredChecks } from './required/required-checks.ts'
import { RequiredRuntime, RequiredWitness } from './required/required-witness.ts'
import { Attention } from './run/attention.ts'
import { KpiReport } from './run/kpi-report.ts'
import { RunEvent } from './run/run-event.ts'
import { HostEffect } from './scheme/host-effect.ts'
import { SchemeRequest } from './scheme/scheme-request.ts'
import { SchemeResult } from './scheme/scheme-result.ts'
import { SpecConformance, SpecReport } from './spec/spec-report.ts'
import { JoinReport, UnreadableLine } from './turn/join-report.ts'
import { NormalizedTurn } from './turn/normalized-turn.ts'
import { turnEvidenceKind, turnEvidenceSchema } from './turn/turn-evidence-schema.ts'
import { ConformanceReport, VectorCase, VectorExpect, VectorFile } from './turn/vector.ts'
export const wireKinds = [
  CoherenceReport,
  Attention,
  BootReport,
  Bootstrap,
  Checks,
  CloseRequest,
  Config,
  ConformanceReport,
  VectorCase,
  VectorExpect,
  VectorFile,
  DecompositionPolicy,
  DeltaSnapshot,
  Escalation,
  FeatureLedger,
  GateWitness,
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
  ObservationEvent,
  ObservationSurface,
  OperatorGrantRecord,
  PolicyEntry,
  ProofBundle,
  ProofChain,
  Proposal,
  Relocation,
  RelocationCheck,
  RelocationWitness,
  RequiredChecks,
  RequiredDecision,
  RequiredDelta,
  RequiredRuntime,
  RequiredWitness,
  RetryDecision,
  RetryPolicy,
  RunEvent,
  RunInstruction,
  HostEffect,
  SchemeRequest,
  SchemeResult,
  Session,
  SpecConformance,
  SpecReport,
  SpecWitness,
  Statement,
  StepJournalLine,
  StepReport,
  StepRequest,
  StepRow,
  TrajectoryProjection,
  TransportOutcome,
  Trust,
  TurnWitness,
  UnreadableLine,
  VerifyWitness,
] as const

/** JSON Schemas by kind. */
export function jsonSchemas(): Record<string, unknown> {
  const ours = wireKinds.map(kind => [kind.title, { $schema: dialect, ...jsonSchemaOf(kind) }])
  const schemas = Object.fromEntries([...ours, [turnEvidenceKind, turnEvidenceSchema()]])
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

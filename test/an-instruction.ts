/** An instruction, its policy and its run; tests change one member. */
import { createHash } from 'node:crypto'
import { type CheckedInstruction, checkEnvelope } from '../src/kernel/instruction/envelope.ts'
import {
  instructionPolicyDigest,
  instructionPolicyKind,
  readInstructionPolicy,
  registerPolicies,
} from '../src/kernel/instruction/instruction-policy.ts'
import { allRead, isRefused } from '../src/kernel/instruction/instruction-refusal.ts'
import {
  type InstructionRuntime,
  readRuntime,
} from '../src/kernel/instruction/instruction-runtime.ts'
import type { Json, JsonObject } from '../src/kernel/json.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const policyContent = {
  policyId: 'policy.test.v1',
  allowedChecks: ['ci-wiring-check', 'conformance-run', 'hk-check'],
  allowedNormalizers: ['normalizer.test.v1'],
}

/** The policy as earlier tools register it, with their digest. */
export const testPolicy = {
  schema: 1,
  policyKind: instructionPolicyKind,
  ...policyContent,
  policyDigest: 'pol1_1ab3e7f398a472c2cf0f3fbd7ead7ece7bd74e836cbde924f1e33f02895d18ab',
}

export const smokePolicy = {
  schema: 1,
  policyKind: instructionPolicyKind,
  policyId: 'policy.ci.instruction-smoke.v1',
  allowedChecks: ['ci-wiring-check'],
  allowedNormalizers: ['normalizer.ci.v1'],
  policyDigest: 'pol1_23a57a68a45e0c428868cce4b657206fc0bf100f4fd5b303eb0034ff29d92c9f',
}

/** A policy with changed members, under its own digest. */
export function aPolicy(
  change: Partial<typeof policyContent> & { readonly requiredChecks?: readonly string[] },
) {
  const changed = { ...policyContent, ...change }
  const policyDigest = instructionPolicyDigest(changed, sha256)
  return { schema: 1, policyKind: instructionPolicyKind, ...changed, policyDigest }
}

export const envelope = {
  schema: 1,
  intent: 'Prove that the wiring holds.',
  normalizerId: 'normalizer.test.v1',
  policyDigest: testPolicy.policyDigest,
  scope: { kind: 'repo', mutations: [{ action: 'issue_update', issueId: 'bd-1' }] },
  requestedChecks: ['hk-check'],
}

export const binding = {
  normalizerId: envelope.normalizerId,
  policyDigest: envelope.policyDigest,
}

export const proposal = {
  proposalKind: 'value',
  targetCtxRef: 'ctx:main',
  targetJudgment: { kind: 'obj', shape: 'wiring' },
  candidateRefs: ['obj:one'],
  binding,
}

export function registry(...documents: readonly Json[]) {
  const read = documents.map((policy, place) => readInstructionPolicy(policy, `p${place}`, sha256))
  const policies = allRead(read)
  return isRefused(policies) ? policies : registerPolicies(policies)
}

export const checked = (value: Json): CheckedInstruction => {
  const instruction = checkEnvelope(value, registry(testPolicy), sha256)
  if (isRefused(instruction)) throw new Error(instruction.message)
  return instruction
}

/** The document of a run in which every check passed. */
export const runtimeOf = ({ instructionDigest, requestedChecks }: CheckedInstruction) => ({
  instructionId: '20260221T000000Z-wiring',
  instructionRef: 'instructions/20260221T000000Z-wiring.json',
  instructionDigest,
  squeakSiteProfile: 'local',
  runStartedAt: '2026-02-21T00:00:00Z',
  runFinishedAt: '2026-02-21T00:00:02Z',
  runDurationMs: 2000,
  results: requestedChecks.map(checkId => ({
    checkId,
    status: 'passed',
    exitCode: 0,
    durationMs: 2000,
  })),
})

export const read = (runtime: JsonObject): InstructionRuntime => {
  const read = readRuntime(runtime)
  if (isRefused(read)) throw new Error(read.message)
  return read
}

/** The record of a run of required checks, and its verdict. */
import {
  type RequiredResult,
  RequiredRuntime,
  type RequiredWitness,
} from '../../wire/required/required-witness.ts'
import type { Sha256 } from '../canonical.ts'
import { type Member, membersOf } from '../instruction/instruction-field.ts'
import { type InstructionRefusal, isRefused, refused } from '../instruction/instruction-refusal.ts'
import { inOrder } from '../instruction/instruction-witness.ts'
import { isJsonObject, type Json } from '../json.ts'
import { instantOf } from '../timestamp.ts'
import { changedPathsOf } from './changed-paths.ts'
import { coreDigests } from './typed-core.ts'

export const requiredWitnessKind = 'ci.required.v1'

const failureClass = 'required_witness_runtime_invalid'
const bad = (why: string) => refused(failureClass, why)
const member = (at: string): Member => ({ at, failureClass })

export function readRequiredRuntime(value: Json): RequiredRuntime | InstructionRefusal {
  if (!isJsonObject(value)) return bad('the runtime is not an object')
  const { changedPaths: _paths, ...members } = RequiredRuntime.members
  const read = membersOf(members, value, member(''))
  if (isRefused(read)) return read
  const changedPaths = changedPathsOf(value['changedPaths'], member('changedPaths'))
  if (isRefused(changedPaths)) return changedPaths
  if (read.policyDigest !== read.projectionPolicy) {
    return bad('policyDigest is not the projectionPolicy')
  }
  const torn = read.results.find(result => !isCoherent(result))
  if (torn) return bad(`${torn.checkId} is ${torn.status} with exit code ${torn.exitCode}`)
  const [began, ended] = [instantOf(read.runStartedAt), instantOf(read.runFinishedAt)]
  if ((began ?? 0n) > (ended ?? 0n)) return bad('runFinishedAt is before runStartedAt')
  return { ...read, changedPaths }
}

export const isCoherent = ({ status, exitCode }: Pick<RequiredResult, 'status' | 'exitCode'>) =>
  (status === 'passed') === (exitCode === 0)

export function witnessRequired(runtime: RequiredRuntime, sha256: Sha256): RequiredWitness {
  const { projectionPolicy, projectionDigest, changedPaths, requiredChecks } = runtime
  const { normalizerId, policyDigest } = runtime
  return {
    ciSchema: 1,
    witnessKind: requiredWitnessKind,
    projectionPolicy,
    projectionDigest,
    changedPaths,
    requiredChecks,
    executedChecks: runtime.results.map(({ checkId }) => checkId),
    results: runtime.results.map(({ checkId, status, exitCode, durationMs }) => ({
      checkId,
      status,
      exitCode,
      durationMs,
    })),
    gateWitnessRefs: runtime.gateWitnessRefs,
    ...requiredVerdict(runtime),
    docsOnly: runtime.docsOnly,
    reasons: runtime.reasons,
    deltaSource: runtime.deltaSource,
    fromRef: runtime.fromRef,
    toRef: runtime.toRef,
    normalizerId,
    policyDigest,
    ...coreDigests({ projectionDigest, normalizerId, policyDigest }, sha256),
    squeakSiteProfile: runtime.squeakSiteProfile,
    runStartedAt: runtime.runStartedAt,
    runFinishedAt: runtime.runFinishedAt,
    runDurationMs: runtime.runDurationMs,
  }
}

interface Judged {
  readonly requiredChecks: readonly string[]
  readonly results: readonly Pick<RequiredResult, 'checkId' | 'exitCode'>[]
  readonly gateWitnessRefs: readonly { readonly failureClasses: readonly string[] }[]
}

/** A check that did not run has not passed, and a gate that lists failures does not accept. */
export function requiredVerdict({ requiredChecks, results, gateWitnessRefs }: Judged) {
  const executed = new Set(results.map(({ checkId }) => checkId))
  const hasFailed = results.some(({ exitCode }) => exitCode !== 0)
  const isIncomplete = requiredChecks.some(check => !executed.has(check))
  const operational = [
    ...(hasFailed ? ['check_failed'] : []),
    ...(isIncomplete ? ['check_not_executed'] : []),
  ]
  const semantic = inOrder(gateWitnessRefs.flatMap(({ failureClasses }) => failureClasses))
  const failureClasses = inOrder([...operational, ...semantic])
  return {
    verdictClass: failureClasses.length === 0 ? ('accepted' as const) : ('rejected' as const),
    operationalFailureClasses: operational,
    semanticFailureClasses: semantic,
    failureClasses,
  }
}

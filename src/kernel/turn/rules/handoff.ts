import { cleanRefs } from '../../text/clean.ts'
import { listed, rowAt, short } from '../evidence/read-row.ts'
import { documentOf, malformed, textList, yesOrNo } from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, none, type Violation, when } from './rule.ts'

export const handoffRules = defineRules({
  'handoff.required_artifact_missing': {
    means: 'A transfer lacks an artifact that it must carry.',
    gate: 'join',
    remedy: 'Write the artifact, record it, and list its ref in handoff.requiredArtifactRefs.',
    find: artifactViolations,
  },
  'handoff.target_not_allowed': {
    means: 'Work was handed over to a target that the contract does not list, or to none.',
    gate: 'join',
    remedy: 'Hand over to a listed target, or list this one in the handoff contract.',
    find: turn => {
      const { targets, flaws } = handoffDemand(turn)
      const target = turn.handoff?.target
      const broken = targets !== undefined && (target === undefined || !targets.includes(target))
      const named = target === undefined ? 'there is no target' : short(target)
      const message = `${named}; allowed are ${listed(targets ?? [], 'none')}`
      return [...flawsOf(flaws, 'targets'), ...when(broken, 'evidence.handoff.target', message)]
    },
  },
  'handoff.return_path_missing': {
    means: 'Work was handed over without a return path.',
    gate: 'join',
    remedy: 'Give the handoff a returnPathRef.',
    find: turn => {
      const { returnPath, flaws } = handoffDemand(turn)
      return [
        ...flawsOf(flaws, 'returnPath'),
        ...when(
          returnPath && turn.handoff?.returnPathRef === undefined,
          'evidence.handoff.returnPathRef',
          'a return path is required, and none is given',
        ),
      ]
    },
  },
})

/** Malformed contract members, reported by the class that reads them. */
const flawsOf = (flaws: readonly Violation[], member: string) =>
  flaws.filter(({ at }) => at.endsWith(`.${member}`))

function artifactViolations(turn: Turn): readonly Violation[] {
  const { flaws, artifacts } = handoffDemand(turn)
  const carried = new Set(turn.handoff?.requiredArtifactRefs)
  const rows = turn.extension.artifacts
  if (flaws.length === 0 && artifacts.length === 0 && !(rows && carried.size > 0)) return none
  const lacking = artifacts.filter(ref => !carried.has(ref))
  const written = new Set(rows?.map(row => row.ref))
  const unwritten = rows ? [...carried].filter(ref => !written.has(ref)) : []
  return [
    ...flawsOf(flaws, 'requiredArtifacts'),
    ...lacking.map(ref => ({
      at: 'evidence.handoff.requiredArtifactRefs',
      message: `${short(ref)} is required and not carried`,
    })),
    ...unwritten.map(ref => ({
      at: rowAt('evidence.artifacts', ref),
      message: `${short(ref)} is carried, but no artifact row records it`,
    })),
  ]
}

interface HandoffDemand {
  /** The allowed targets; `undefined` if nothing restricts them. */
  readonly targets: readonly string[] | undefined
  readonly artifacts: readonly string[]
  readonly returnPath: boolean
  /** Malformed members of the contract. */
  readonly flaws: readonly Violation[]
}

const nothing: HandoffDemand = { targets: undefined, artifacts: [], returnPath: false, flaws: [] }

/** Combines the declared constraints of a transfer with the bound handoff contract. */
function handoffDemand(turn: Turn): HandoffDemand {
  const declared = turn.claims.handoffConstraints
  const contract = documentOf(turn, 'handoffContractDigest')
  if (!declared && !contract) return nothing
  const targets = textList(contract, 'targets')
  const requiredArtifacts = textList(contract, 'requiredArtifacts')
  const returnPath = yesOrNo(contract, 'returnPath')
  return {
    targets: bothAdmit(declared?.allowedTargets ?? [], cleanRefs(targets.value ?? [])),
    artifacts: cleanRefs([
      ...(declared?.requiredArtifactRefs ?? []),
      ...(requiredArtifacts.value ?? []),
    ]),
    returnPath: declared?.requireReturnPath === true || returnPath.value === true,
    flaws: malformed('handoffContractDigest', { targets, requiredArtifacts, returnPath }),
  }
}

/** A target must be on both lists. An empty list restricts nothing. */
function bothAdmit(
  first: readonly string[],
  second: readonly string[],
): readonly string[] | undefined {
  if (first.length === 0) return second.length === 0 ? undefined : second
  if (second.length === 0) return first
  const admitted = new Set(second)
  return first.filter(target => admitted.has(target))
}

/** Combines the declared constraints of a transfer with the bound handoff contract. */
import { cleanRefs } from '../../text/clean.ts'
import { documentOf, malformed, textList, yesOrNo } from '../policy-document.ts'
import type { Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'

interface HandoffDemand {
  /** The allowed targets; `undefined` if nothing restricts them. */
  readonly targets: readonly string[] | undefined
  readonly artifacts: readonly string[]
  readonly returnPath: boolean
  /** Malformed members of the contract. */
  readonly flaws: readonly Violation[]
}

const nothing: HandoffDemand = { targets: undefined, artifacts: [], returnPath: false, flaws: [] }

export function handoffDemand(turn: Turn): HandoffDemand {
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

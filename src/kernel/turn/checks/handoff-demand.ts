/** What a transfer must carry: the declared constraints and the bound handoff contract together. */
import { cleanRefs } from '../../text/clean.ts'
import { documentOf, malformed, textList, yesOrNo } from '../policy-document.ts'
import type { Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'

export interface HandoffDemand {
  /** Who may be handed to; `undefined` when nothing says. */
  readonly targets: readonly string[] | undefined
  readonly artifacts: readonly string[]
  readonly returnPath: boolean
  /** Members of the contract that cannot be read. */
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

/** Where both lists speak a target must be on both; an empty list does not speak. */
function bothAdmit(
  first: readonly string[],
  second: readonly string[],
): readonly string[] | undefined {
  if (first.length === 0) return second.length === 0 ? undefined : second
  if (second.length === 0) return first
  const admitted = new Set(second)
  return first.filter(target => admitted.has(target))
}

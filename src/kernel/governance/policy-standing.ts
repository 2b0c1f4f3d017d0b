/** Decides whether policy and checks in the project's files are the ones in force. */
import type { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import type { Sha256 } from '../canonical.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import { shellWord } from '../text/shell-word.ts'
import { governanceProfileId } from '../turn/governance-claim.ts'
import { checksOf, type Governed, governedPaths } from './governed-document.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { promotionFindings } from './promotion.ts'

/**
 * `by-hand`: no document was ever put in force. `edited`: the file differs from the document in
 * force, because someone edited it or a crash came before it was written.
 */
export type Standing = 'in-force' | 'by-hand' | 'edited'

export interface PolicyLog {
  /** In the order in which they were put in force. */
  readonly entries: readonly PolicyEntry[]
  /** Profiles that the project's registry claims. */
  readonly registryClaims: readonly string[]
}

/** An entry whose document has one file in the project. */
export type FileEntry = PolicyEntry & { readonly what: Governed }

export const isGoverned = ({ registryClaims }: Pick<PolicyLog, 'registryClaims'>) =>
  registryClaims.includes(governanceProfileId)

/**
 * The last entry of a kind. In a governed project its evidence is checked again, so that a line
 * added by hand needs the same evidence as a line written by a command.
 */
export const lastInForce = (what: Governed, log: PolicyLog): FileEntry | undefined =>
  log.entries.findLast((entry): entry is FileEntry => entry.what === what && isPromoted(entry, log))

/** Whether a person put the instruction of this digest in force. */
export const isInstructionInForce = (digest: string, log: PolicyLog): boolean =>
  log.entries.some(
    entry => entry.what === 'instruction' && entry.digest === digest && isPromoted(entry, log),
  )

function isPromoted({ promotion, digest }: PolicyEntry, { registryClaims }: PolicyLog): boolean {
  const evidence = promotion?.evidence
  return (
    promotionFindings({ evidence, required: true, registryClaims, boundTo: digest }).length === 0
  )
}

export function standingOf(what: Governed, digest: string, log: PolicyLog): Standing {
  const last = lastInForce(what, log)
  if (last === undefined) return 'by-hand'
  return last.digest === digest ? 'in-force' : 'edited'
}

/** In a governed project, agents are refused while the file differs from the document in force. */
export function standingRefusal(
  what: Governed,
  digest: string,
  log: PolicyLog,
): IssueRefusal | undefined {
  const standing = isGoverned(log) ? standingOf(what, digest, log) : 'in-force'
  if (standing === 'in-force') return undefined
  const path = governedPaths[what]
  const last = lastInForce(what, log)
  if (last === undefined) {
    const why = `${path} was never put in force, and governance is claimed`
    return refuse('governance.policy_package_unpinned', why, remedyOf(path))
  }
  const why = `${path} is ${digest}, and ${last.digest} is in force`
  return refuse('governance.policy_package_mismatch', why, restoreRemedy(path))
}

/**
 * Why no step may start: its turn is bound to the worker's policy, which must be the one in force.
 * `standingRefusal` checks the file, for agents only.
 */
export function stepRefusal(digest: string, log: PolicyLog): IssueRefusal | undefined {
  const last = isGoverned(log) ? lastInForce('policy', log) : undefined
  if (last === undefined) return standingRefusal('policy', digest, log)
  if (last.digest === digest) return undefined
  const why = `${last.digest} was put in force after this had begun under ${digest}`
  return refuse(
    'governance.policy_package_mismatch',
    why,
    'Start it again. It then uses the new policy.',
  )
}

export const remedyOf = (path: string) =>
  `A person puts it in force: premath policy set --input ${path} --promotion <evidence> --reason <why>.`

/** Only a person knows whether the file or the document in force is the right one. */
export const restoreRemedy = (path: string) =>
  `To write the document in force back to the file, run premath policy restore. To keep the file: ${remedyOf(path)}`

/** Refuses an instruction whose check ran another command than the checks in force name. */
export function commandRefusal(
  { results, instructionId, instructionRef }: InstructionWitness,
  log: PolicyLog,
  sha256: Sha256,
): IssueRefusal | undefined {
  if (!isGoverned(log)) return undefined
  const last = lastInForce('checks', log)
  const commands = last === undefined ? new Map<string, string>() : checksOf(last)
  const other = results.find(({ checkId, commandDigest }) => {
    const command = commands.get(checkId)
    return command === undefined || commandDigest !== `sha256:${sha256(command)}`
  })
  if (other === undefined) return undefined
  const why = `${instructionId} was accepted by a check ${other.checkId} that is not the one in force`
  const remedy = `Run it again with the checks in force: premath instruction-run --instruction ${shellWord(instructionRef)}. ${remedyOf(governedPaths.checks)}`
  return refuse('governance.policy_package_mismatch', why, remedy)
}

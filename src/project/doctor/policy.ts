/** Finds policy and checks that are not the ones in force. */
import { type Governed, governedPaths } from '../../kernel/governance/governed-document.ts'
import { policyLogPath } from '../../kernel/governance/policy-entry.ts'
import {
  isGoverned,
  lastInForce,
  type PolicyLog,
  remedyOf,
  restoreRemedy,
  standingOf,
} from '../../kernel/governance/policy-standing.ts'
import type { Project } from '../open.ts'
import { digestInFile } from '../policies/governed-files.ts'
import { type DoctorFinding, type Examined, faultAsFinding, finding } from './finding.ts'

export async function examinePolicy(project: Project): Promise<Examined> {
  const looked = await faultAsFinding('policy', () => findingsIn(project), trusted)
  return 'found' in looked ? looked.found : { checks: ['policy'], findings: looked.value }
}

const trusted = 'premath cannot tell which policy is in force.'

async function findingsIn(project: Project) {
  const log = await project.policyLog()
  const found: DoctorFinding[] = [...tornLineFindings(log.torn), ...claimFindings(log)]
  for (const what of ['policy', 'checks'] as const) {
    const digest = await digestInFile(what, project)
    if (digest !== undefined) found.push(...standingFindings(what, digest, log))
    else if (lastInForce(what, log)) found.push(gone(what))
  }
  return found
}

/** A person may believe that its policy is in force. */
function tornLineFindings(torn: string | undefined): DoctorFinding[] {
  if (torn === undefined) return []
  return [
    finding(
      'policy',
      `the last line of ${policyLogPath} broke off after ${torn.length} characters`,
      'Its policy is not in force.',
      'Put it in force again: premath policy set. It keeps the broken line beside the log.',
    ),
  ]
}

const gone = (what: Governed) =>
  finding(
    'policy',
    `${governedPaths[what]} was put in force, and there is no such file`,
    'Its rules cannot be applied.',
    'premath policy restore writes what is in force back into the file.',
  )

function standingFindings(what: Governed, digest: string, log: PolicyLog): DoctorFinding[] {
  const standing = standingOf(what, digest, log)
  const path = governedPaths[what]
  const why = isGoverned(log)
    ? 'Until then agents may not change issues.'
    : 'The file applies, and the log has no reason for its change.'
  if (standing === 'edited') {
    const last = lastInForce(what, log)
    const text = `${path} is not what was put in force last, ${last?.digest}`
    return [finding('policy', text, why, restoreRemedy(path))]
  }
  const isMissed = standing === 'by-hand' && isGoverned(log)
  const text = `${path} was never put in force, and governance is claimed`
  return isMissed ? [finding('policy', text, why, remedyOf(path))] : []
}

/** Without the governance claim, no check requires promoted policies any more. */
function claimFindings(log: PolicyLog): DoctorFinding[] {
  const last = log.entries.findLast(({ what }) => what === 'policy')
  if (isGoverned(log) || last?.promotion === undefined) return []
  return [
    finding(
      'policy',
      `${policyLogPath} records a promoted policy, but the project no longer claims governance`,
      'Policies now apply without evidence.',
      'Restore .premath/capability-registry.json; or put a policy in force without it: premath policy set --input .premath/policy.json --reason <why>.',
    ),
  ]
}

/** Reads the witnesses that checks left. Those that closed an issue are copied to its proof. */
import type { Project } from '../open.ts'
import { openWitnesses } from '../open-witnesses.ts'
import { brokenWitnesses } from '../proofs/witness-listing.ts'
import { type DoctorFinding, type Examined, faultAsFinding, finding } from './finding.ts'

/** The newest ones, so that doctor is quick. witness list reads all. */
const lookedMax = 100

export async function examineWitnesses(
  project: Project,
  issues: string | undefined,
): Promise<Examined> {
  const opened = await faultAsFinding('witnesses', () => openWitnesses(project, { issues }))
  // The check of the rows reports rows that cannot be read.
  if ('found' in opened) return { checks: [], findings: [] }
  const { looked, of, broken } = await brokenWitnesses(opened.value, lookedMax)
  if (of === 0) return { checks: [], findings: [] }
  return {
    checks: ['witnesses'],
    findings: broken.map(damaged),
    looked: { witnesses: { looked, of } },
  }
}

const damaged = (path: string): DoctorFinding =>
  finding(
    'witnesses',
    `the witness ${path} is damaged: it is not what was recorded under its name`,
    'It proves nothing any more. The proof of a closed issue keeps its own copies.',
    'Restore it from version control, or delete it and run the check again.',
    5,
  )

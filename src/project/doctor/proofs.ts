/** Verifies the proofs of closed issues. */
import type { Issue } from '../../kernel/issues/issue.ts'
import { listed } from '../../kernel/issues/issue-import.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import {
  exitCodeOf,
  type ProofFinding,
  finding as proofFinding,
} from '../../kernel/proof/proof-classes.ts'
import { counted } from '../../kernel/text/counted.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import type { IssueStore } from '../../store/issue-store.ts'
import type { Project } from '../open.ts'
import { type OpenWitnesses, openWitnesses } from '../open-witnesses.ts'
import { importedIssues } from '../proofs/imported-issues.ts'
import { proofFilesIn } from '../proofs/proof-files.ts'
import { memoryFindings, proofVerdict } from '../proofs/proof-verdict.ts'
import { proofContextFindings } from '../proofs/step-context.ts'
import { proofFolders } from '../proofs/witness-inventory.ts'
import { bytesAttribute } from '../setup/init-files.ts'
import { type DoctorFinding, type Examined, faultAsFinding, finding, fixed } from './finding.ts'

/** The issues that were closed last, so that doctor is quick. witness verify looks at all. */
const lookedMax = 100

interface Asked {
  readonly issues: string | undefined
  /** Removes leftovers; without it they are only reported. */
  readonly tidied: Pick<IssueStore, 'tidyProofs'> | undefined
}

export async function examineProofs(
  project: Project,
  { issues, tidied }: Asked,
): Promise<Examined> {
  const opened = await faultAsFinding('proofs', () => openWitnesses(project, { issues }))
  // The check of the rows reports rows that cannot be read.
  if ('found' in opened) return { checks: [], findings: [] }
  const open = opened.value
  const all = (open.memory?.all() ?? []).filter(issue => issue.status === 'closed')
  const imported = await importedIssues(open)
  const closed = all
    .filter(issue => closeOf(issue)?.['chain'] !== undefined && !imported.has(issue.id))
    .sort((a, b) => (closedAt(a) < closedAt(b) ? 1 : -1))
  const last = closed.slice(0, lookedMax)
  const unproven = all.filter(issue => !closed.includes(issue) && !imported.has(issue.id))
  const findings = [...unprovenFindings(unproven)]
  const gone = await copiedElsewhere(last, open)
  if (gone.length > 0) findings.push(await goneFinding(gone, open, tidied))
  for (const issue of last) {
    if (!gone.includes(issue)) findings.push(...(await proofFindings(issue, open)))
  }
  const undone = (open.memory?.all() ?? []).filter(issue => issue.status !== 'closed')
  const folders = new Set(await proofFolders(open))
  for (const { id } of [...last, ...undone]) {
    if (folders.has(open.proofs.folderOf(id))) findings.push(...(await left(id, open, tidied)))
  }
  if (folders.size > 0) findings.push(...(await lineEndFindings(open)))
  const looked = { proofs: { looked: last.length, of: closed.length } }
  return { checks: ['proofs'], findings, looked }
}

/** Rows that nobody's close wrote. A project may have imported thousands by hand. */
const unprovenShownMax = 20

function unprovenFindings(issues: readonly Issue[]): readonly DoctorFinding[] {
  const more = issues.length - unprovenShownMax
  return [
    ...issues.slice(0, unprovenShownMax).map(({ id }) => unproven(id)),
    ...(more > 0 ? [moreUnproven(more)] : []),
  ]
}

const unproven = (id: string) =>
  finding(
    'proofs',
    `${id} is closed, and has no proof (proof_missing)`,
    'Its row was not written by a close. Nothing shows that the work was done.',
    `Open it, then close it with proof: premath reopen ${id}. If it came closed from another tool, import the file that it came from: premath issue import <file>.`,
  )

const moreUnproven = (count: number) =>
  finding(
    'proofs',
    `${counted(count, 'more closed issue')} without proof (proof_missing)`,
    'Nothing shows that their work was done.',
    'premath witness verify --all lists them.',
  )

/** A git that converts line ends gives a clone other bytes. */
async function lineEndFindings({ root, files }: OpenWitnesses): Promise<readonly DoctorFinding[]> {
  if (!(await isInRepository(root, files))) return []
  const bytes = await files.readIfPresent(`${root}/.premath/.gitattributes`)
  const lines = bytes ? new TextDecoder().decode(bytes).split('\n') : []
  if (lines.some(line => line.trim() === bytesAttribute)) return []
  return [
    finding(
      'proofs',
      `.premath/.gitattributes lacks the line ${bytesAttribute}`,
      'A git that converts line ends changes the bytes in a clone, which breaks every proof there.',
      'premath init adds it; commit it with the proofs.',
    ),
  ]
}

async function isInRepository(root: string, files: OpenWitnesses['files']): Promise<boolean> {
  for (let at = root; at !== '' && at !== '/'; at = at.slice(0, at.lastIndexOf('/'))) {
    if (await files.kindOf(`${at}/.git`)) return true
  }
  return false
}

async function left(
  id: string,
  { proofs }: OpenWitnesses,
  tidied: Asked['tidied'],
): Promise<readonly DoctorFinding[]> {
  const names = await proofs.leftovers(id)
  if (names.length === 0) return []
  const found = finding(
    'proofs',
    `${proofs.folderOf(id)} has ${counted(names.length, 'file')} of a close that was cut off`,
    'No chain names them. They only use disk space.',
    'premath doctor --fix removes them; so does the next close of the issue.',
  )
  if (tidied === undefined) return [found]
  await tidied.tidyProofs(id)
  return [fixed(found, 'They are removed.')]
}

/** The proof holds. The file beside it does not say any more what the step began with. */
const changedContext = ({ message }: ProofFinding) =>
  finding(
    'proofs',
    message,
    'It was changed after the gate had judged the step.',
    'Restore the file, or look for who changed it.',
  )

/** The issues whose proof a git clean or a reset took, and of which there is a copy beside git. */
async function copiedElsewhere(
  issues: readonly Issue[],
  { proofs }: OpenWitnesses,
): Promise<readonly Issue[]> {
  const found = await Promise.all(
    issues.map(issue => proofs.isCopiedOnly(issue.id, chainOf(issue))),
  )
  return issues.filter((_, at) => found[at])
}

/** One for all of them: a reset takes many at once. */
async function goneFinding(
  issues: readonly Issue[],
  { proofs }: OpenWitnesses,
  tidied: Asked['tidied'],
): Promise<DoctorFinding> {
  const found = finding(
    'proofs',
    `${counted(issues.length, 'closed issue')} ${issues.length === 1 ? 'has' : 'have'} no proof any more: ${listed(issues)}`,
    'A reset or git clean took it. Clones would have a close without proof.',
    'premath doctor --fix writes it again, from the copy beside git.',
  )
  if (tidied === undefined) return found
  for (const issue of issues) await proofs.restore(issue.id, chainOf(issue))
  return fixed(found, 'It is written again, from the copy beside git.')
}

const chainOf = (issue: Issue) => String(closeOf(issue)?.['chain'])

const closedAt = ({ closed_at }: Issue) => instantOf(closed_at ?? '') ?? 0n

async function proofFindings(
  { id }: Issue,
  open: OpenWitnesses,
): Promise<readonly DoctorFinding[]> {
  const folder = open.proofs.folderOf(id)
  const files = await proofFilesIn(folder, open)
  const { chain, parts, findings } = files
    ? await proofVerdict(files, open)
    : {
        chain: undefined,
        parts: [],
        findings: [proofFinding('proof_missing', id, 'it has no proof')],
      }
  const place = { folder: folder.slice(folder.lastIndexOf('/') + 1), others: files?.others ?? [] }
  const wrong = [...findings, ...(chain ? memoryFindings(chain, place, open) : [])]
  const [first] = wrong
  if (first === undefined) return (await proofContextFindings(parts, open)).map(changedContext)
  const { failureClass, at, message } = first
  const more = wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''
  return [
    finding(
      'proofs',
      `the proof of ${id}: ${at}: ${message} (${failureClass})${more}`,
      'The reason for the close cannot be verified any more.',
      `Restore ${folder} from version control; premath witness verify ${id} lists all findings. Otherwise open the issue again, and close it with proof.`,
      exitCodeOf(wrong),
    ),
  ]
}

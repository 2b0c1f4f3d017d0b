/** Whether what closed issues were closed by is still there, and still shows it. */
import type { Issue } from '../kernel/work/issue.ts'
import { closeOf } from '../kernel/work/proof-chain.ts'
import { exitCodeOf, finding as proofFinding } from '../kernel/work/proof-classes.ts'
import { instantOf } from '../kernel/work/timestamp.ts'
import { type DoctorFinding, type Examined, finding, noting } from './doctor-finding.ts'
import { type OpenWitnesses, openWitnesses } from './open-witnesses.ts'
import type { OperationContext } from './operation.ts'
import { proofFilesIn } from './proof-files.ts'
import { memoryFindings, proofVerdict } from './proof-verdict.ts'

/** Those that were closed last: a visit is to take a moment. The rest is for witness verify. */
const lookedMax = 100

export async function examineProofs(
  context: OperationContext,
  issues: string | undefined,
): Promise<Examined> {
  const opened = await noting('proofs', () => openWitnesses(context, { issues }))
  // Rows that cannot be read are told of already.
  if ('found' in opened) return { checks: [], findings: [] }
  const open = opened.value
  const closed = [...(open.memory?.all() ?? [])]
    .filter(issue => issue.status === 'closed' && closeOf(issue)?.['chain'] !== undefined)
    .sort((a, b) => (closedAt(a) < closedAt(b) ? 1 : -1))
  const last = closed.slice(0, lookedMax)
  const findings: DoctorFinding[] = []
  for (const issue of last) findings.push(...(await proofFindings(issue, open)))
  const looked = { proofs: { looked: last.length, of: closed.length } }
  return { checks: ['proofs'], findings, looked }
}

const closedAt = ({ closed_at }: Issue) => instantOf(closed_at ?? '') ?? 0n

async function proofFindings(
  { id }: Issue,
  open: OpenWitnesses,
): Promise<readonly DoctorFinding[]> {
  const folder = open.proofs.folderOf(id)
  const files = await proofFilesIn(folder, open)
  const { chain, findings } = files
    ? await proofVerdict(files, open)
    : { chain: undefined, findings: [proofFinding('proof_missing', id, 'it has no proof')] }
  const place = { folder: folder.slice(folder.lastIndexOf('/') + 1), others: files?.others ?? [] }
  const wrong = [...findings, ...(chain ? memoryFindings(chain, place, open) : [])]
  const [first] = wrong
  if (first === undefined) return []
  const { failureClass, at, message } = first
  const more = wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''
  return [
    finding(
      'proofs',
      `the proof of ${id}: ${at}: ${message} (${failureClass})${more}`,
      'Nobody can verify any more why the issue is closed.',
      `Restore ${folder} from version control; premath witness verify ${id} says all that is wrong. Otherwise open the issue again, and close it with proof.`,
      exitCodeOf(wrong),
    ),
  ]
}

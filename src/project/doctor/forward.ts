/** Compares issue memory with its high-water mark. */
import { ContradictingFences } from '../../kernel/issues/forward/fences.ts'
import { listed } from '../../kernel/issues/issue-import.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import type { FileIssueStore } from '../../store/file/file-issue-store.ts'
import { recordConfirmed } from '../authority/rewrite-authority.ts'
import type { OpenIssues } from '../open-issues.ts'
import {
  type DoctorFinding,
  type Examined,
  faultAsFinding,
  finding,
  fixed,
  singleFinding,
  type Visit,
} from './finding.ts'

export interface ForwardVisit extends Visit {
  readonly store: FileIssueStore
  readonly open: OpenIssues
  /** A person gives up the acknowledged rows that the file lacks, for this reason. */
  readonly acceptOlder: string | undefined
}

export async function examineForward(visit: ForwardVisit): Promise<Examined> {
  const { store, acceptOlder, fix } = visit
  const looked = await faultAsFinding('forward', () => store.findLacking())
  // The check of the rows reports a file that cannot be read.
  if ('found' in looked) return { checks: [], findings: [] }
  const found = differenceOf(looked.value, visit)
  if (!found) return { checks: ['forward'], findings: [] }
  if (acceptOlder !== undefined) return singleFinding(await giveUp(found, acceptOlder, visit))
  if (!fix) return singleFinding(found)
  if (looked.value instanceof ContradictingFences) await store.mend('merge', visit.project.sha256)
  else await store.goForward()
  return singleFinding(fixed(found, 'The rows are merged, and the larger fences are kept.'))
}

function differenceOf(
  lacking: Awaited<ReturnType<FileIssueStore['findLacking']>>,
  { path }: Visit,
): DoctorFinding | undefined {
  if (lacking instanceof ContradictingFences) {
    return finding(
      'forward',
      lacking.message,
      'A worker that lost its lease could write again, so no command uses this memory.',
      `premath doctor --fix merges the rows and keeps the larger fence. ${orAccept}`,
      5,
    )
  }
  if (lacking.length === 0) return undefined
  return finding(
    'forward',
    `${path} lacks ${counted(lacking.length, 'acknowledged row')}: ${listed(lacking)}`,
    'A branch switch, a reset or an edit took them out of the file. Answers have them.',
    `premath doctor --fix writes them now; the next change does so too. ${orAccept}`,
  )
}

const orAccept =
  'premath doctor --accept-older --reason <text> keeps the file as it is, and gives the other rows up.'

async function giveUp(
  found: DoctorFinding,
  reason: string,
  { store, open, project }: ForwardVisit,
): Promise<DoctorFinding> {
  const { askOverride } = await import('../authority/override.ts')
  const what = 'give up acknowledged rows'
  const by = await askOverride({ what, question: `${found.what}. Give them up?` }, project)
  if (isRefusal(by)) return { ...found, next: `${by.diagnostic}. ${by.remedy}` }
  await recordConfirmed(by, { action: 'doctor --accept-older', reason }, open)
  await store.mend('older', project.sha256)
  return fixed(found, 'The file is kept as it is. Fences go on from the largest.')
}

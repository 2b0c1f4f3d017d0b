/** Compares issue memory with its high-water mark. */
import { ContradictingFences } from '../../kernel/issues/forward/fences.ts'
import { listed } from '../../kernel/issues/issue-import.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import type { FileIssueStore } from '../../store/file/file-issue-store.ts'
import { NotCheckedOut } from '../../store/file/forward-issues.ts'
import { DamagedMark } from '../../store/file/high-water-mark.ts'
import { recordConfirmed } from '../authority/rewrite-authority.ts'
import type { OpenIssues } from '../open-issues.ts'
import {
  type DoctorFinding,
  type Examined,
  faultAsFinding,
  finding,
  fixed,
  type Visit,
} from './finding.ts'
import { wrongKind } from './places.ts'

export interface ForwardVisit extends Visit {
  readonly store: FileIssueStore
  readonly open: OpenIssues
  /** A person gives up the acknowledged rows that the file lacks, for this reason. */
  readonly acceptOlder: string | undefined
}

export async function examineForward(visit: ForwardVisit): Promise<Examined> {
  const { store, fix, acceptOlder } = visit
  const misplaced = await misplacedFiles(visit)
  if (misplaced.length > 0) return { checks: ['forward'], findings: misplaced }
  const unwritable = await faultAsFinding('forward', async () => await store.mark?.mustBeWritable())
  const looked = await faultAsFinding('forward', () => store.findLacking())
  // The check of the rows reports a file that cannot be read.
  if ('found' in looked) return 'found' in unwritable ? unwritable.found : none
  const found = differenceOf(looked.value, visit)
  const canResolve = !(looked.value instanceof NotCheckedOut) && (fix || acceptOlder !== undefined)
  const findings = [
    ...('found' in unwritable ? unwritable.found.findings : []),
    ...(found ? [canResolve ? await resolved(found, visit) : found] : await recordBehind(visit)),
  ]
  return { checks: ['forward'], findings }
}

const none: Examined = { checks: [], findings: [] }

async function resolved(found: DoctorFinding, visit: ForwardVisit): Promise<DoctorFinding> {
  const { store, project, acceptOlder } = visit
  const { mark } = store
  if (mark && (await store.findLacking()) instanceof DamagedMark) {
    await store.locked(() => mark.dropDamagedRows())
  }
  if (acceptOlder !== undefined) return await giveUp(found, acceptOlder, visit)
  if ((await store.findLacking()) instanceof ContradictingFences) {
    await store.mend('merge', project.sha256)
  } else await store.goForward()
  return fixed(found, 'The rows are merged, and the larger fences are kept.')
}

/** A disk error or a crash left it so, or somebody changed it. */
async function recordBehind({ store, path, fix }: ForwardVisit): Promise<readonly DoctorFinding[]> {
  const missing = await store.findMissingInMark()
  if (missing.length === 0) return []
  const found = finding(
    'forward',
    `the record of acknowledged rows lacks ${counted(missing.length, 'row')} of ${path}: ${listed(missing)}`,
    'A branch switch or a reset could take them back unseen.',
    'premath doctor --fix writes them there; the next change of issues does so too.',
  )
  if (!fix) return [found]
  await store.noteRows()
  return [fixed(found, 'They are in the record now.')]
}

/** Commands stop at a pipe or a folder in the place of a file of the record. */
async function misplacedFiles({ store, disk }: ForwardVisit): Promise<readonly DoctorFinding[]> {
  const found: DoctorFinding[] = []
  for (const path of store.mark?.files ?? []) {
    const there = await wrongKind(path, 'file', disk)
    if (there !== undefined) found.push(misplaced(path, there))
  }
  return found
}

const misplaced = (path: string, there: string) =>
  finding(
    'forward',
    `${path} ${there}`,
    'It belongs to the record of acknowledged rows, and commands that need it stop.',
    `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.before-repair`)}. The next change makes it again, and premath doctor checks the rest then.`,
    3,
  )

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
  if (lacking instanceof DamagedMark) {
    return finding(
      'forward',
      lacking.message,
      'Rows that git took out of issue memory may be missing in it. Commands that compare the two stop.',
      `premath doctor --fix keeps the rows that can be read, and writes those that the file lacks. ${orAccept}`,
      5,
    )
  }
  if (lacking instanceof NotCheckedOut) {
    return finding(
      'forward',
      lacking.message,
      'No command uses this memory, because new issues would get ids that others have.',
      `git checkout --ignore-skip-worktree-bits HEAD -- ${shellWord(path)} brings the rows back. To begin without them, commit their removal.`,
      5,
    )
  }
  if (lacking.length === 0) return undefined
  return finding(
    'forward',
    `${path} lacks ${counted(lacking.length, 'acknowledged row')}: ${listed(lacking)}`,
    'A branch switch, a reset or an edit took them out of the file. premath commands still show them.',
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

/** Examines session, ledger, journals and trajectory. A flaw there misleads, but stops no work. */
import { Fault } from '../../fault.ts'
import { fromRoot, journalFolder } from '../../harness/harness.ts'
import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { checkLedger } from '../../kernel/harness/ledger-check.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { openLedger, openSession } from '../harness-files.ts'
import { judgedTurnsOf } from '../judged-turns.ts'
import type { Project } from '../open.ts'
import { journalsIn } from '../open-harness.ts'
import { openIssues } from '../open-issues.ts'
import { openTrajectory } from '../open-trajectory.ts'
import {
  type DoctorFinding,
  type Examined,
  faultAsFinding,
  finding,
  fixed,
  type Visit,
} from './finding.ts'

type HarnessVisit = Pick<Visit, 'project' | 'fix' | 'now'>

export async function examineHarness(visit: HarnessVisit): Promise<Examined> {
  const { project } = visit
  const parts = [
    () => sessionFindings(project),
    () => ledgerFindings(project),
    () => journalFindings(project),
    () => trajectoryFindings(visit),
    () => evidenceFindings(project),
  ]
  const findings = await Promise.all(parts.map(faultsAsFindings))
  return { checks: ['harness'], findings: findings.flat() }
}

/** The fault of a document says what is wrong with it, and what to do. */
async function faultsAsFindings(look: () => Promise<readonly DoctorFinding[]>) {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const why = 'The next start cannot resume from it.'
    return [finding('harness', error.message, why, error.hint ?? 'Move the file away.')]
  }
}

async function sessionFindings(project: Project): Promise<readonly DoctorFinding[]> {
  await (await openSession(project, undefined)).cell.read()
  return []
}

async function ledgerFindings(project: Project): Promise<readonly DoctorFinding[]> {
  const ledger = await (await openLedger(project, undefined)).cell.read()
  if (!ledger || ledger.features.length === 0) return []
  return checkLedger(ledger, false).errors.map(({ class: name, featureId, message }) =>
    finding(
      'harness',
      `the feature ledger${featureId === undefined ? '' : `, ${featureId}`}: ${message} (${name})`,
      'premath cannot choose the next feature from it.',
      'Fix the row: premath harness-feature write.',
    ),
  )
}

/** A journal is there while a step runs, or after one was cut off. */
async function journalFindings(project: Project): Promise<readonly DoctorFinding[]> {
  // It reads no row, and the check of git reports a merge that is open.
  const { recordsFolder } = await openIssues(project, { isUnmergedToo: true }, 'ask')
  const disk = await project.disk()
  const why = 'Its issue waits until its lease expires, and its commands may still run.'
  const found: DoctorFinding[] = []
  for (const journal of await journalsIn(journalFolder({ recordsFolder }), project)) {
    const lock = await disk.lock(journal.replace(/\.jsonl$/, '.lock'), 0)
    if (!lock.held) continue
    await lock.release()
    if (!(await disk.stamp(journal))) continue
    found.push(
      finding('harness', `${journal} is the journal of a step that was cut off`, why, bootHint),
    )
  }
  return found
}

const bootHint = 'Run premath harness-boot, which finishes or undoes it.'

async function trajectoryFindings({
  project,
  fix,
  now,
}: HarnessVisit): Promise<readonly DoctorFinding[]> {
  const { log, path } = await openTrajectory(project, undefined)
  const { bad } = await log.query({ mode: 'latest', limit: 0 })
  if (bad.count === 0) return []
  const lines = bad.first.map(({ line }) => line).join(', ')
  const what = `${path} has lines that are not steps: ${lines}${bad.count > bad.first.length ? ' and more' : ''}`
  const why = 'Answers may lack steps, and every query exits with 1.'
  const next =
    'premath doctor --fix keeps them in a file beside it. Or restore the lines from a copy.'
  const found = finding('harness', what, why, next)
  if (!fix) return [found]
  const aside = `${log.path}.torn-${timestampOf(now).replaceAll(':', '')}`
  await log.setBadLinesAside(aside)
  return [
    fixed(found, `They are kept in ${fromRoot(project, aside)}, and blank in the trajectory.`),
  ]
}

class RowsWithEvidence {
  readonly rows: StepRow[] = []

  take(row: StepRow): void {
    if (row.evidence) this.rows.push(row)
  }
}

/** The turns that a row is bound to may not change afterwards. A removed file says nothing wrong. */
async function evidenceFindings(project: Project): Promise<readonly DoctorFinding[]> {
  const { log } = await openTrajectory(project, undefined)
  const { gathered } = await log.gather({ mode: 'latest' }, () => new RowsWithEvidence())
  const disk = await project.disk()
  const found: DoctorFinding[] = []
  for (const row of gathered.rows) {
    const turns = await judgedTurnsOf(row, { ...project, disk })
    if (!turns?.isChanged) continue
    const what = `${fromRoot(project, turns.path)} is not what the step ${row.stepId} was judged on`
    const why = 'Its turns were changed after the gate had judged them.'
    found.push(finding('harness', what, why, 'Restore the file, or look for who changed it.'))
  }
  return found
}

/** Runs git only where there is a folder of worktrees. */
export async function examineWorktrees(project: Project): Promise<Examined> {
  const isUsed = (await project.files.kindOf(project.at('.premath/worktrees'))) === 'folder'
  if (!isUsed) return { checks: ['worktrees'], findings: [] }
  const why = 'Workers cannot get their own worktrees.'
  const looked = await faultAsFinding('worktrees', () => findingsIn(project), why)
  return 'found' in looked ? looked.found : { checks: ['worktrees'], findings: looked.value }
}

async function findingsIn(project: Project): Promise<DoctorFinding[]> {
  const { root, env, files } = project
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const place = { root, disk, processes, env }
  const folder = await worktreesFolder(place)
  const listed = await listWorktrees(place)
  const entries = (await files.list(folder)).filter(({ isFolder }) => isFolder)
  const present = entries.map(({ name }) => `${folder}/${name}`)
  const known = new Set(listed.filter(one => !one.isPrunable).map(({ path }) => path))
  const gone = listed.filter(
    ({ path, isPrunable }) =>
      isPrunable && path.startsWith(`${folder}/`) && !present.includes(path),
  )
  return [
    ...present.filter(path => !known.has(path)).map(unknown),
    ...gone.map(({ path }) => goneFinding(path)),
  ]
}

const unknown = (path: string) =>
  finding(
    'worktrees',
    `${path} is not a worktree of this repository`,
    'A worker of that name cannot start, and its files are on no branch.',
    'If the project was moved, run git worktree repair with that path; otherwise save the files you need and remove it.',
  )

const goneFinding = (path: string) =>
  finding(
    'worktrees',
    `${path} is missing, but git still lists it`,
    'No other worktree can use its branch meanwhile.',
    'git worktree prune removes the entry and keeps the branch.',
  )

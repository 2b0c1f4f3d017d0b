/** Examines a whole project, from its files inwards. */

import { instructionClasses } from '../../kernel/instruction/instruction-classes.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { requiredChecksPath } from '../../kernel/required/paths.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { FileIssueStore } from '../../store/file/file-issue-store.ts'
import { ForeignIndex } from '../../store/file/issue-index.ts'
import { configPath } from '../../wire/config/config.ts'
import type { Asking } from '../authority/authority.ts'
import { rewriteRefusal } from '../authority/rewrite-authority.ts'
import type { Project } from '../open.ts'
import {
  defaultIssuesPath,
  fileStore,
  issuesPlace,
  type OpenIssues,
  openIssues,
} from '../open-issues.ts'
import { resolvePath } from '../paths.ts'
import { examineDrafts } from './drafts.ts'
import { examineEvents } from './events.ts'
import {
  combined,
  type DoctorFinding,
  type Examined,
  faultAsFinding,
  finding,
  fixed,
  singleFinding,
  type Visit,
} from './finding.ts'
import { examineForward } from './forward.ts'
import { examineGit } from './git.ts'
import { examineHarness, examineWorktrees } from './harness.ts'
import { examineLanded } from './landed.ts'
import { examineMemory, examineRows } from './memory.ts'
import { examinePlaces } from './places.ts'
import { examinePolicy } from './policy.ts'

interface Asked extends Asking {
  readonly issues: string | undefined
  readonly fix: boolean
  readonly acceptOlder: boolean
}

export async function examineProject(
  project: Project,
  { issues, fix, acceptOlder, ...asking }: Asked,
) {
  const { root } = project
  const disk = await project.disk()
  const { folder, issuesPath: given } = issuesPlace(project, issues)
  const places = await examinePlaces(project, resolvePath(folder, given), disk)
  if (places.findings.length > 0)
    return { ...places, issuesPath: issues ?? defaultIssuesPath, root }
  const policy = await faultAsFinding('policy', () => project.writtenPolicy())
  if ('found' in policy) return { ...policy.found, issuesPath: issues ?? defaultIssuesPath, root }
  const openAgain = () => openIssues(project, { issues, isUnmergedToo: true })
  const opened = await faultAsFinding('memory', openAgain)
  const refused =
    (fix || acceptOlder) && 'value' in opened
      ? await rewriteRefusal(opened.value, 'doctor', asking)
      : undefined
  const policed = combined(
    await examinePolicy(project),
    { checks: ['policy'], findings: refused ? [unfixed(refused)] : [] },
    await examineConfig(project),
    await examineTrust(project),
    await examineRequired(project),
  )
  if ('found' in opened) {
    return { ...combined(policed, opened.found), issuesPath: issues ?? defaultIssuesPath, root }
  }
  const { issuesPath } = opened.value
  const mayFix = fix && !refused
  const examined = async (open: OpenIssues) => {
    const store = fileStore(open)
    const visit = {
      path: store.files.rows,
      store,
      project,
      disk,
      fix: mayFix,
      now: project.clock.now(),
    }
    const older = acceptOlder && !refused ? asking.reason : undefined
    return await examineOpened(visit, { open, acceptOlder: older, issues })
  }
  const rest = await withFittingCache(
    () => examined(opened.value),
    async () => await examined(await openAgain()),
    { project, disk, fix: mayFix },
  )
  return { ...combined(places, policed, rest), issuesPath, root }
}

interface Opened {
  readonly open: OpenIssues
  readonly acceptOlder: string | undefined
  readonly issues: string | undefined
}

async function examineOpened(
  visit: MemoryVisit,
  { open, acceptOlder, issues }: Opened,
): Promise<Examined> {
  const { store, project } = visit
  const forward = await examineForward({ ...visit, open, acceptOlder })
  const isContradicted = forward.findings.some(({ exitCode, fixed }) => exitCode === 5 && !fixed)
  const inside = await examineInside({ ...visit, isContradicted }, forward)
  // Schemas are large, and the help of the command needs none.
  const { examineProofs } = await import('./proofs.ts')
  const proofs = await examineProofs(project, { issues, tidied: visit.fix ? store : undefined })
  const { examineWitnesses } = await import('./witnesses.ts')
  const witnesses = await examineWitnesses(project, issues)
  const landed = await examineLandings(visit)
  const git = await examineGit({ ...visit, issuesPath: visit.path })
  const remembered = await examineHarness(visit)
  const worktrees = await examineWorktrees(project)
  const memory: Examined = { checks: ['memory'], findings: [] }
  return combined(memory, git, forward, inside, proofs, witnesses, landed, remembered, worktrees)
}

/** No reader gets past a cache that belongs to another file, so it must go first. */
async function withFittingCache(
  examined: () => Promise<Examined>,
  examinedAgain: () => Promise<Examined>,
  place: CachePlace,
): Promise<Examined> {
  try {
    return await examined()
  } catch (error) {
    if (!(error instanceof ForeignIndex)) throw error
    const found = wrongCache(error.message)
    if (!place.fix) return singleFinding(found)
    await removeCache(place)
    return combined(singleFinding(fixed(found, 'It is removed.')), await examinedAgain())
  }
}

async function examineInside(visit: MemoryVisit, forward: Examined): Promise<Examined> {
  const { disk, path } = visit
  if (await disk.entry(path)) return await examineFiles(visit)
  // Somebody deleted the file, and the check of the acknowledged rows says so.
  return forward.findings.length === 0 ? noMemory(path) : none
}

const none: Examined = { checks: [], findings: [] }

async function examineLandings({ store, project }: MemoryVisit): Promise<Examined> {
  if (!(await store.exists())) return none
  const read = await faultAsFinding('landed', () => store.read())
  // The check of the rows reports rows that cannot be read.
  return 'found' in read ? none : await examineLanded(read.value, project)
}

async function examineConfig(project: Project): Promise<Examined> {
  const isThere = (await project.files.kindOf(project.at(configPath))) !== undefined
  if (!isThere) return { checks: [], findings: [] }
  const why = 'Until it is fixed, no command can run an agent.'
  const read = await faultAsFinding('config', () => project.config(), why)
  return 'found' in read ? read.found : { checks: ['config'], findings: [] }
}

async function examineTrust(project: Project): Promise<Examined> {
  const { trustPath, trustRoot } = await import('../proofs/trust-root.ts')
  const isThere = (await project.files.kindOf(project.at(trustPath))) !== undefined
  if (!isThere) return { checks: [], findings: [] }
  const why = 'Until it is fixed, no proof can be verified here.'
  const read = await faultAsFinding('trust', () => trustRoot(undefined, project), why)
  return 'found' in read ? read.found : { checks: ['trust'], findings: [] }
}

async function examineRequired(project: Project): Promise<Examined> {
  const isThere = (await project.files.kindOf(project.at(requiredChecksPath))) !== undefined
  if (!isThere) return { checks: [], findings: [] }
  const { openPathRules } = await import('../required/open-rules.ts')
  const rules = await openPathRules(project)
  if (!isRefused(rules)) return { checks: ['required'], findings: [] }
  const why = 'Until it is fixed, no change passes the required checks.'
  const { remedy } = instructionClasses[rules.failureClass]
  return singleFinding(finding('required', rules.message, why, remedy))
}

const unfixed = ({ diagnostic, remedy }: IssueRefusal) =>
  finding('policy', diagnostic, 'So nothing was fixed.', remedy)

interface MemoryVisit extends Visit {
  readonly store: FileIssueStore
  /** The fences contradict each other, and that finding says what to do. */
  readonly isContradicted?: boolean
}

const noMemory = (path: string) =>
  singleFinding(
    finding(
      'memory',
      `no issue memory at ${path}`,
      'There are no issues to work on.',
      'Check the path. premath issue add creates it; premath init sets up a project.',
    ),
  )

/**
 * Under the lock if possible: a row that another process is writing looks torn, and its file looks
 * left behind. Without `--fix`, no lock file is made where there is none.
 */
async function examineFiles(visit: MemoryVisit): Promise<Examined> {
  const { path, disk, fix } = visit
  const isLockThere = async () => (await disk.stamp(`${path}.lock`)) !== undefined
  if (!fix && !(await isLockThere())) {
    const seen = combined(await examineLockable(visit), await examineAlone(visit))
    if (!(await isLockThere())) return seen
  }
  const tried = await faultAsFinding('permissions', () => disk.lock(`${path}.lock`, lockWaitMs))
  if ('found' in tried) return combined(tried.found, await examineContent(visit, false))
  const lock = tried.value
  if (!lock.held) return combined(busy(path, lock.holder), await examineContent(visit, false))
  try {
    return await examineAlone(visit)
  } finally {
    await lock.release()
  }
}

/** Whether a change could take the lock. */
async function examineLockable({ path, disk }: Visit): Promise<Examined> {
  const tried = await faultAsFinding('permissions', () => disk.checkWritable(folderOf(path)))
  return 'found' in tried ? tried.found : { checks: [], findings: [] }
}

async function examineAlone(visit: MemoryVisit): Promise<Examined> {
  return combined(
    { checks: ['lock'], findings: [] },
    await examineWriting(visit),
    await examineContent(visit, true),
    await examineDrafts(visit),
  )
}

/** Longer than any change takes, and short enough to wait for. */
const lockWaitMs = 1_000

const busy = (path: string, holder: string) =>
  singleFinding(
    finding(
      'lock',
      `${path}.lock is held by ${holder}`,
      'No other process can change issue memory meanwhile.',
      'Check that process; its end releases the lock. Do not delete the file: without it two processes could write at once. An unused lock file does no harm.',
      4,
    ),
  )

async function examineWriting({ path, disk }: Visit): Promise<Examined> {
  const tried = await faultAsFinding('permissions', async () => {
    const file = await disk.openToAppend(path)
    await file.close()
  })
  return 'found' in tried ? tried.found : { checks: ['permissions'], findings: [] }
}

async function examineContent(visit: MemoryVisit, locked: boolean): Promise<Examined> {
  const { path, project, now } = visit
  const read = await faultAsFinding('permissions', () => project.files.read(path))
  if ('found' in read) return read.found
  const { bad, torn, memory, end } = examineRows(read.value, path)
  if (!memory) return { checks: ['rows'], findings: bad }
  const rows = { checks: ['rows'], findings: bad } as const
  const tail = { checks: ['torn'], findings: await keepTornTail(visit, torn, end) } as const
  // Its remedy would forget the fences of the log.
  const events = async () => (visit.isContradicted ? none : await examineEvents(visit, memory))
  return combined(
    rows,
    ...(locked ? [tail, await examineCache(visit, memory), await events()] : []),
    examineMemory(memory, now),
  )
}

/** Keeps the torn tail beside the rows, as the next change would do. No command acknowledged it. */
async function keepTornTail(
  { path, disk, fix, now }: Visit,
  torn: readonly DoctorFinding[],
  end: number,
): Promise<readonly DoctorFinding[]> {
  if (!fix || torn.length === 0) return torn
  const file = await disk.openToAppend(path)
  try {
    const { size } = await file.stamp()
    const aside = `${path}.torn-${timestampOf(now).replaceAll(':', '')}`
    await disk.replace(aside, await file.read(end, size - end))
    await file.cut(end)
    await file.sync()
    return torn.map(found => fixed(found, `It is kept in ${aside}.`))
  } finally {
    await file.close()
  }
}

/** Compares the memory that the cache gives with the rows. */
async function examineCache(visit: MemoryVisit, memory: IssueMemory): Promise<Examined> {
  const { store, project, fix } = visit
  const ref = await faultAsFinding('cache', async () =>
    (await store.readFile()).snapshotRef(project.sha256),
  )
  if ('value' in ref && ref.value === memory.snapshotRef(project.sha256)) {
    return { checks: ['cache'], findings: [] }
  }
  const found = wrongCache(
    'found' in ref ? (ref.found.findings[0]?.what ?? '') : 'the cache differs from the rows',
  )
  if (!fix) return singleFinding(found)
  await removeCache(visit)
  return singleFinding(fixed(found, 'It is removed.'))
}

const wrongCache = (what: string) =>
  finding(
    'cache',
    what,
    'Answers may be wrong. The rows are right.',
    'premath doctor --fix removes it. The next command builds it again.',
    5,
  )

type CachePlace = Pick<Visit, 'project' | 'disk' | 'fix'>

async function removeCache({ project: { at, files }, disk }: CachePlace): Promise<void> {
  const folder = at('.premath/cache')
  if ((await files.kindOf(folder)) !== 'folder') return
  for (const { name, isFolder } of await files.list(folder)) {
    if (!isFolder) await disk.remove(`${folder}/${name}`)
  }
}

const folderOf = (path: string) => path.replace(/\/[^/]*$/, '') || '/'

/** A whole project, looked at from its files inwards. */

import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { IssueStore } from '../../store/issue-store.ts'
import type { Disk } from '../../world/world.ts'
import { refusalAtDoor } from '../authority/refusal-at-door.ts'
import type { OperationContext } from '../context.ts'
import { defaultIssuesPath, fileStore, openIssues } from '../open-issues.ts'
import { resolvePath } from '../paths.ts'
import { mutationPolicy } from '../policy-file.ts'
import { projectRoot } from '../root.ts'
import { examineDrafts } from './drafts.ts'
import { examineEvents } from './events.ts'
import {
  type DoctorFinding,
  type Examined,
  finding,
  fixed,
  noting,
  only,
  together,
} from './finding.ts'
import { examineHarness } from './harness.ts'
import { examineMemory } from './memory.ts'
import { examinePolicy } from './policy.ts'
import { examineRows } from './rows.ts'
import { examineWorktrees } from './worktrees.ts'

interface Asked {
  readonly issues: string | undefined
  readonly fix: boolean
  readonly reason: string | undefined
}

export async function examineProject(context: OperationContext, { issues, fix, reason }: Asked) {
  const root = await projectRoot(context)
  const policy = await noting('policy', () => mutationPolicy(root, context))
  if ('found' in policy) return { ...policy.found, issuesPath: issues ?? defaultIssuesPath, root }
  const opened = await noting('memory', () => openIssues(context, { issues }))
  const refused =
    fix && 'value' in opened
      ? await refusalAtDoor(opened.value, { action: 'doctor', reason }, context)
      : undefined
  const policed = together(await examinePolicy(root, context), {
    checks: ['policy'],
    findings: refused ? [unfixed(refused)] : [],
  })
  if ('found' in opened) {
    return { ...together(policed, opened.found), issuesPath: issues ?? defaultIssuesPath, root }
  }
  const { issuesPath, now } = opened.value
  const store = fileStore(opened.value)
  const disk = await context.disk()
  const visit: Visit = {
    path: store.files.rows,
    root,
    store,
    context,
    disk,
    fix: fix && !refused,
    now: now(),
  }
  const inside = (await store.exists()) ? await examineFiles(visit) : noMemory(store.location)
  // Schemas are large, and help needs none.
  const { examineProofs } = await import('./proofs.ts')
  const proofs = await examineProofs(context, { issues, tidied: visit.fix ? store : undefined })
  const remembered = await examineHarness(context)
  const worktrees = await examineWorktrees(context, root)
  const memory: Examined = { checks: ['memory'], findings: [] }
  return { ...together(policed, memory, inside, proofs, remembered, worktrees), issuesPath, root }
}

const unfixed = ({ diagnostic, remedy }: IssueRefusal) =>
  finding('policy', diagnostic, 'So nothing was set right.', remedy)

interface Visit {
  /** Of the rows. */
  readonly path: string
  readonly root: string
  readonly store: IssueStore
  readonly context: OperationContext
  readonly disk: Disk
  readonly fix: boolean
  readonly now: bigint
}

const noMemory = (path: string) =>
  only(
    finding(
      'memory',
      `there is no issue memory at ${path}`,
      'There is nothing to work on.',
      'Check the path. premath issue add begins one there; premath init sets up a project.',
    ),
  )

/**
 * Under the lock where we get it: a row that somebody is just writing looks torn, and a file that
 * somebody is just writing looks left behind. A lock that nobody ever took is not made by looking.
 */
async function examineFiles(visit: Visit): Promise<Examined> {
  const { path, disk, fix } = visit
  const isLockThere = async () => (await disk.stamp(`${path}.lock`)) !== undefined
  if (!fix && !(await isLockThere())) {
    const seen = together(await examineLockable(visit), await examineAlone(visit))
    if (!(await isLockThere())) return seen
  }
  const tried = await noting('permissions', () => disk.lock(`${path}.lock`, lockWaitMs))
  if ('found' in tried) return together(tried.found, await examineContent(visit, false))
  const lock = tried.value
  if (!lock.held) return together(busy(path, lock.holder), await examineContent(visit, false))
  try {
    return await examineAlone(visit)
  } finally {
    await lock.release()
  }
}

/** Whether who changes something could take the lock. */
async function examineLockable({ path, disk }: Visit): Promise<Examined> {
  const tried = await noting('permissions', () => disk.checkWritable(folderOf(path)))
  return 'found' in tried ? tried.found : { checks: [], findings: [] }
}

async function examineAlone(visit: Visit): Promise<Examined> {
  return together(
    { checks: ['lock'], findings: [] },
    await examineWriting(visit),
    await examineContent(visit, true),
    await examineDrafts(visit),
  )
}

/** Longer than any change takes, shorter than anybody waits. */
const lockWaitMs = 1_000

const busy = (path: string, holder: string) =>
  only(
    finding(
      'lock',
      `${path}.lock is held by ${holder}`,
      'Nobody else can change issue memory meanwhile.',
      'Look at that process; the lock ends with it. Leave the file there: without it a second process could write beside the first. A lock file that nobody holds does no harm.',
      4,
    ),
  )

async function examineWriting({ path, disk }: Visit): Promise<Examined> {
  const tried = await noting('permissions', async () => {
    const file = await disk.openToAppend(path)
    await file.close()
  })
  return 'found' in tried ? tried.found : { checks: ['permissions'], findings: [] }
}

async function examineContent(visit: Visit, locked: boolean): Promise<Examined> {
  const { path, context, now } = visit
  const read = await noting('permissions', () => context.files.read(path))
  if ('found' in read) return read.found
  const { bad, torn, memory, end } = examineRows(read.value, path)
  if (!memory) return { checks: ['rows'], findings: bad }
  const rows = { checks: ['rows'], findings: bad } as const
  const tail = { checks: ['torn'], findings: await setAside(visit, torn, end) } as const
  return together(
    rows,
    ...(locked
      ? [tail, await examineCache(visit, memory), await examineEvents(visit, memory)]
      : []),
    examineMemory(memory, now),
  )
}

/** What was never acknowledged is kept beside the store, as the next change would do. */
async function setAside(
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

/** Whether memory that is read with the help of the cache is what the rows say. */
async function examineCache(visit: Visit, memory: IssueMemory): Promise<Examined> {
  const { store, context, fix } = visit
  const ref = await noting('cache', async () => (await store.read()).snapshotRef(context.sha256))
  if ('value' in ref && ref.value === memory.snapshotRef(context.sha256)) {
    return { checks: ['cache'], findings: [] }
  }
  const found = finding(
    'cache',
    'found' in ref
      ? (ref.found.findings[0]?.what ?? '')
      : 'the cache does not say what the rows say',
    'Answers may be wrong. The rows are right, and the cache is made from them.',
    'premath doctor --fix removes it; it is made again when it is needed.',
    5,
  )
  if (!fix) return only(found)
  await removeCache(visit)
  return only(fixed(found, 'It is removed.'))
}

async function removeCache({ root, context, disk }: Visit): Promise<void> {
  const folder = resolvePath(root, '.premath/cache')
  if ((await context.files.kindOf(folder)) !== 'folder') return
  for (const { name, isFolder } of await context.files.list(folder)) {
    if (!isFolder) await disk.remove(`${folder}/${name}`)
  }
}

const folderOf = (path: string) => path.replace(/\/[^/]*$/, '') || '/'

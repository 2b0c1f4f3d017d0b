/** Files of issue memory that git has not merged: their index holds several versions. */
import { Fault } from '../../fault.ts'
import type { Repository } from '../../harness/worktree/repository.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import type { IssueFiles } from '../../store/file/issue-files.ts'
import type { Project } from '../open.ts'

/** In git's folder while a merge of any kind is open. */
const openMerge = new Set([
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'MERGE_HEAD',
  'REVERT_HEAD',
  'rebase-apply',
  'rebase-merge',
])

export interface UnmergedFile {
  readonly path: string
  /** The versions in the index: 1 is the base, 2 ours and 3 theirs. A side that deleted the file has none. */
  readonly stages: ReadonlySet<string>
}

/** The file may hold the rows of one side only, and look whole. */
export async function mustBeMerged(
  files: IssueFiles,
  { own }: Repository,
  project: Project,
): Promise<void> {
  const names = await (await project.disk()).names(own)
  if (!names.some(name => openMerge.has(name))) return
  const open = await unmergedIn(files, project)
  if (open.length === 0) return
  const paths = open.map(({ path }) => path)
  throw new Fault('corrupt', `git has not merged ${paths.join(' and ')}`, {
    hint: remergeHint(open),
    detail: { paths },
  })
}

export async function unmergedIn(
  { rows, events, folder }: IssueFiles,
  { root, env, processes, disk }: Project,
): Promise<readonly UnmergedFile[]> {
  const place = { root, env, processes: await processes(), disk: await disk() }
  const names = [rows, events].map(path => path.slice(folder.length + 1))
  const asked = ['--literal-pathspecs', 'ls-files', '--unmerged', '-z', '--', ...names]
  // Loaded while a merge is open: every question would load the code that starts git.
  const { askGit } = await import('../../harness/worktree/git.ts')
  const entries = (await askGit(place, folder, asked)).stdout.split('\0')
  return [rows, events].flatMap((path, at) => {
    const versions = entries.filter(entry => entry.endsWith(`\t${names[at]}`))
    // An entry is: mode, object and stage, then a tab and the path.
    const stages = new Set(versions.map(entry => entry.charAt(entry.indexOf('\t') - 1)))
    return stages.size > 0 ? [{ path, stages }] : []
  })
}

/** The commands work in a merge, a rebase, a cherry-pick and a stash. */
export function remergeHint(files: readonly UnmergedFile[], hasDriver = false): string {
  const kept = files.filter(({ stages }) => stages.has('2') !== stages.has('3'))
  const merged = files.filter(file => !kept.includes(file))
  const ours = kept.filter(({ stages }) => stages.has('2'))
  const theirs = kept.filter(({ stages }) => stages.has('3'))
  return [
    ...(merged.length > 0 ? [mergeAgain(wordsOf(merged), hasDriver)] : []),
    ...(ours.length > 0 ? [keepSide('--ours', wordsOf(ours))] : []),
    ...(theirs.length > 0 ? [keepSide('--theirs', wordsOf(theirs))] : []),
  ].join(' ')
}

const wordsOf = (files: readonly UnmergedFile[]) =>
  files.map(({ path }) => shellWord(path)).join(' ')

const mergeAgain = (words: string, hasDriver: boolean) =>
  hasDriver
    ? `Run git checkout --merge -- ${words}, which merges again, then git add -- ${words}.`
    : `Run premath init --merge-driver, then git checkout --merge -- ${words}, which merges again, and git add -- ${words}.`

/** Git cannot merge a file again that one side deleted. The other side has its rows. */
const keepSide = (side: '--ours' | '--theirs', words: string) =>
  `One side deleted rows that the other has. Run git checkout ${side} -- ${words}, which takes them from the other side, then git add -- ${words}.`

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

/** The file may hold the rows of one side only, and look whole. */
export async function mustBeMerged(
  files: IssueFiles,
  { own }: Repository,
  project: Project,
): Promise<void> {
  const names = await (await project.disk()).names(own)
  if (!names.some(name => openMerge.has(name))) return
  const paths = await unmergedIn(files, project)
  if (paths.length === 0) return
  throw new Fault('corrupt', `git has not merged ${paths.join(' and ')}`, {
    hint: remergeHint(paths),
    detail: { paths },
  })
}

export async function unmergedIn(
  { rows, events, folder }: IssueFiles,
  { root, env, processes, disk }: Project,
): Promise<readonly string[]> {
  const place = { root, env, processes: await processes(), disk: await disk() }
  const names = [rows, events].map(path => path.slice(folder.length + 1))
  const asked = ['--literal-pathspecs', 'ls-files', '--unmerged', '-z', '--', ...names]
  // Loaded while a merge is open: every question would load the code that starts git.
  const { askGit } = await import('../../harness/worktree/git.ts')
  const { stdout } = await askGit(place, folder, asked)
  return [rows, events].filter((_, at) => stdout.includes(`\t${names[at]}\0`))
}

/** It works in a merge, a rebase, a cherry-pick and a stash. */
export function remergeHint(paths: readonly string[], hasDriver = false): string {
  const words = paths.map(shellWord).join(' ')
  return hasDriver
    ? `Run git checkout --merge -- ${words}, which merges again, then git add -- ${words}.`
    : `Run premath init --merge-driver, then git checkout --merge -- ${words}, which merges again, and git add -- ${words}.`
}

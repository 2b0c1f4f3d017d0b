/**
 * Takes the files of a worktree into a commit that no branch holds, and verifies that commit as a
 * candidate is verified. The index of the worktree has no say, and ignored files stay out.
 */
import { Fault } from '../../fault.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { workMessage } from '../../kernel/landing/commit-message.ts'
import {
  type FileState,
  indexInfo,
  leftFiles,
  printLeftWork,
  readLeftWork,
  readStates,
  stateName,
} from '../../kernel/landing/left-work.ts'
import type { Protection } from '../../kernel/landing/protected-paths.ts'
import type { LeftWork } from '../../wire/landing/left-work.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { shown } from '../../world/system-error.ts'
import { type Harness, journalFolder } from '../harness.ts'
import { repositoryOf, toldRepository } from '../worktree/repository.ts'
import { type Candidate, memoryPath, treeOf } from './candidate.ts'
import {
  CandidateVerifier,
  type CandidateVerifierParts,
  type Submission,
} from './candidate-verifier.ts'
import { CleanWorktree, copyFiles } from './clean-worktree.ts'
import { filterComplaint, filteredChanges } from './filtered-paths.ts'
import { judgeChange } from './judge-change.ts'
import { noChangeLabel, type Submitted } from './landing.ts'
import {
  askLanding,
  commitOf,
  type LandingPlace,
  landingGit,
  landingLine,
  landingPaths,
} from './landing-git.ts'
import { makeCandidate } from './make-candidate.ts'
import { issuesOf } from './revert.ts'
import { filesToCopy } from './run-worktrees.ts'
import {
  type StartUp,
  VerificationWorktree,
  VerificationWorktrees,
} from './verification-worktrees.ts'
import { type Kept, lacking, refusedWork, unverified, type WorkCheckout } from './work-checkout.ts'

export interface GitCheckoutParts extends Omit<CandidateVerifierParts, 'verification'> {
  /** The folder of the project in the worktree of the work. */
  readonly folder: string
  /** A free path for the checkout. */
  readonly path: string
  /** The commit that judges the work; without it, the files at the beginning do. */
  readonly base?: string | undefined
  readonly copyFiles: readonly string[]
  /** Files that are not a part of the work, as they are in the commit or not at all. */
  readonly leftOut?: readonly string[]
  readonly startUp: StartUp
  readonly protection: Protection
  readonly verifyCommand: string
}

/** The worktree of the work, as it was before the work ran. */
interface WorkPlace {
  readonly top: string
  /** Names its git folder, since the work may replace `.git`. */
  readonly env: Readonly<Record<string, string>>
}

interface Pinned {
  readonly work: WorkPlace
  /** The commit that was checked out; `undefined` before the first one. */
  readonly head: string | undefined
  /** The files before the work. */
  readonly base: string
  /** `undefined` if the work began before the checkout was opened. */
  readonly left: LeftWork | undefined
}

/** The files of the work, and the commit that they stand on. */
interface Taken {
  readonly tree: string
  readonly head: string | undefined
}

export class GitCheckout implements WorkCheckout {
  readonly #parts: GitCheckoutParts
  #pinned: Pinned | undefined
  #place: WorkPlace | undefined
  #verifier: CandidateVerifier | undefined
  #isMade = false
  /** Untracked files for the checkout, kept as they were before the work. */
  readonly #copies: { readonly folder: string; paths: readonly string[] }
  /** The files that the last attempt left. */
  #tree: string | undefined

  constructor(parts: GitCheckoutParts) {
    this.#parts = parts
    this.#copies = { folder: `${parts.path}.copies`, paths: [] }
  }

  async begin(harness: Harness, _issue: Issue): Promise<void> {
    const { place } = this.#parts
    const work = await this.#workPlace()
    const [head, headTree] = await commitsAndTree(place, work)
    await place.disk.remove(this.#index)
    await this.#ask(work, head === undefined ? ['read-tree', '--empty'] : ['read-tree', head])
    await this.#keepCopies()
    const { base: judging } = this.#parts
    if (judging !== undefined) {
      this.#pinned = { work, head, base: judging, left: undefined }
      return
    }
    const complaint = await this.#addAll(work)
    if (complaint !== undefined) throw untakeable(work.top, complaint)
    const tree = await landingLine(place, work.top, ['write-tree'], this.#env(work))
    const before = await this.#readLeft(harness, work)
    const from = before ? before.head : (head ?? null)
    const states = tree === headTree && !before ? [] : await this.#statesSince(from, tree)
    const left = before ? await this.#leftIn(before, states, head, tree) : []
    const others = states.filter(state => !left.includes(state))
    const base = left.length === 0 ? tree : await this.#without(work, left)
    const pinned: LeftWork = {
      head: left.length === 0 ? (head ?? null) : from,
      kept: others.map(stateName),
      left: null,
      headAfter: head ?? null,
    }
    this.#pinned = { work, head, base, left: pinned }
    this.#tree = undefined
    await this.#writeLeft(harness, work, pinned)
  }

  async submit(harness: Harness, submission: Submission): Promise<Submitted> {
    const { place, protection, verifyCommand } = this.#parts
    const pinned = this.#pinned
    if (!pinned) throw new TypeError('the work was not begun')
    const { work, base } = pinned
    const { issue, journal } = submission
    const taken = await this.#taken(pinned, submission.commit)
    if ('complaint' in taken) {
      return unverified('check_failed', `git could not take the work: ${taken.complaint}`)
    }
    const { tree, head } = taken
    this.#tree = tree
    if (submission.landing && submission.commit !== undefined) {
      return await this.#submitCandidate(harness, submission, pinned, submission.commit)
    }
    const judged = { issue, base, tree, protection, verifyCommand }
    const judgeChanged = await judgeChange(place, judged)
    if (judgeChanged) return refusedWork(judgeChanged)
    const commit = submission.commit ?? (await this.#commit(taken, issue, journal.stepId))
    const verifier = await this.#verifierFor(commit)
    const candidate = { commit, tree, base: head ?? commit }
    const seen = { ...candidate, before: base }
    const submitted = await verifier.verify(harness, seen, submission)
    return submitted.verification.passed
      ? { ...submitted, candidate }
      : lacking(submitted, await this.#ignoredFiles(work))
  }

  /** Verifies the work as it would be on the target, which is at the base. */
  async #submitCandidate(
    harness: Harness,
    submission: Submission,
    { work: place, base }: Pinned,
    work: string,
  ): Promise<Submitted> {
    const { protection, verifyCommand } = this.#parts
    const { issue, journal, landing } = submission
    if (!landing) throw new TypeError('the work does not land')
    const made = await makeCandidate(landing.place, {
      issue,
      stepId: journal.stepId,
      work,
      base,
      mayStay: issue.labels.includes(noChangeLabel),
      protection,
      verifyCommand,
      sign: landing.sign,
    })
    if ('judgeChanged' in made) return refusedWork(made.judgeChanged)
    if ('conflict' in made) {
      const names = made.conflict.map(shown).join(', ')
      return unverified('landing_conflict', `the work conflicts with the target in ${names}`)
    }
    const candidate =
      'nothing' in made ? await this.#committed(landing.place, base, issue) : made.candidate
    if (candidate === undefined) return unverified('work_changed_nothing', nothingNew(issue))
    const { before, tree } = candidate
    const judged = { issue, base: before ?? base, tree, protection, verifyCommand }
    const judgeChanged = before ? await judgeChange(landing.place, judged) : undefined
    if (judgeChanged) return refusedWork(judgeChanged)
    const verifier = await this.#verifierFor(candidate.commit)
    const submitted = await verifier.verify(harness, candidate, submission)
    return submitted.verification.passed
      ? { ...submitted, candidate }
      : lacking(submitted, await this.#ignoredFiles(place))
  }

  /**
   * The work, if whoever holds the issue committed it on the target. The trailer names the issue, and
   * commits from before the claim are work that was there already.
   */
  async #committed(
    place: LandingPlace,
    base: string,
    { id, lease }: Issue,
  ): Promise<Candidate | undefined> {
    const since = lease ? [`--since=${lease.acquired_at}`] : []
    const args = ['log', '--format=%H', '--no-merges', `--grep=^Premath-Issue: `, ...since, base]
    const named = (await landingGit(place, place.top, args)).split('\n').filter(Boolean)
    for (const commit of named) {
      if (!(await issuesOf(place, commit)).includes(id)) continue
      const before = (await commitOf(place, `${commit}^`)) ?? null
      return { commit, base: commit, tree: await treeOf(place, commit), before }
    }
    return undefined
  }

  async keep(issue: Issue, stepId: string, ref: string): Promise<Kept> {
    const { place } = this.#parts
    const pinned = this.#pinned
    if (!pinned) throw new TypeError('the work was not begun')
    const taken = await this.#taken(pinned, undefined)
    if ('complaint' in taken) return taken
    const commit = await this.#commit(taken, issue, stepId)
    await landingGit(place, place.top, ['update-ref', ref, commit])
    return { commit }
  }

  /** The files of the worktree as they are now, or those of a commit that was taken before. */
  async #taken(
    { work, head }: Pinned,
    commit: string | undefined,
  ): Promise<Taken | { readonly complaint: string }> {
    const { place } = this.#parts
    if (commit !== undefined) {
      const parent = ['rev-parse', '--verify', '--quiet', `${commit}^1`]
      const { stdout } = await askLanding(place, place.top, parent)
      const tree = await landingLine(place, place.top, ['rev-parse', `${commit}^{tree}`])
      return { tree, head: stdout.trim() || undefined }
    }
    const complaint = (await this.#unmerged(work)) ?? (await this.#addAll(work))
    if (complaint !== undefined) return { complaint }
    return { tree: await landingLine(place, work.top, ['write-tree'], this.#env(work)), head }
  }

  /** Files of a merge that nobody has resolved have marks of the conflict in them. */
  async #unmerged({ top, env }: WorkPlace): Promise<string | undefined> {
    const asked = ['diff', '--name-only', '--diff-filter=U', '-z']
    const paths = await landingPaths(this.#parts.place, top, asked, { env })
    if (paths.length === 0) return undefined
    return `a merge is not resolved in ${paths.slice(0, namedMax).map(shown).join(', ')}`
  }

  async #commit({ tree, head }: Taken, { id, title }: Issue, stepId: string): Promise<string> {
    const { place } = this.#parts
    const parents = head === undefined ? [] : ['-p', head]
    const args = ['commit-tree', ...parents, '-F', '-', tree]
    const message = workMessage({ issueId: id, stepId, title })
    return await landingLine(place, place.top, args, { stdin: message })
  }

  async end(harness: Harness, isClosed: boolean): Promise<void> {
    const pinned = this.#pinned
    if (!pinned) return
    this.#pinned = undefined
    const { place } = this.#parts
    const { work, left: before } = pinned
    if (before === undefined) return
    if (isClosed) return await place.disk.remove(leftPath(harness, work))
    if (this.#tree === undefined) return
    const states = await this.#statesSince(before.head, this.#tree)
    const [headAfter] = await commitsAndTree(place, work)
    const kept = new Set(before.kept)
    const left = states.map(stateName).filter(name => !kept.has(name))
    await this.#writeLeft(harness, work, { ...before, left, headAfter: headAfter ?? null })
  }

  /** Removes the checkout. */
  async close(): Promise<void> {
    const { place, path } = this.#parts
    await place.disk.remove(this.#index)
    await place.disk.removeFolder(this.#copies.folder)
    if (!this.#isMade) return
    await removeCheckout(place, path)
  }

  async #keepCopies(): Promise<void> {
    const { place, copyFiles: patterns } = this.#parts
    const { folder } = this.#copies
    const paths = await filesToCopy(place, patterns)
    await place.disk.removeFolder(folder)
    if (paths.length > 0) await place.disk.makeFolderLoosely(folder)
    await copyFiles(place.disk, { folder: place.top, paths }, folder)
    this.#copies.paths = paths
  }

  get #index(): string {
    return `${this.#parts.path}.index`
  }

  #env({ env }: WorkPlace) {
    return { env: { ...env, GIT_INDEX_FILE: this.#index } }
  }

  async #ask(work: WorkPlace, args: readonly string[], stdin?: string): Promise<void> {
    const options = { ...this.#env(work), ...(stdin !== undefined && { stdin }) }
    await landingGit(this.#parts.place, work.top, args, options)
  }

  /** The work may have planted a repository of its own in an earlier step, so the record is asked. */
  async #workPlace(): Promise<WorkPlace> {
    if (this.#place) return this.#place
    const { place, folder } = this.#parts
    const repository = await repositoryOf(place, folder)
    if (repository === undefined) throw lostRepository(folder)
    this.#place = { top: repository.top, env: toldRepository(repository) }
    return this.#place
  }

  /** Returns why git could not take a file. Records of premath stay as they are in the commit. */
  async #addAll(work: WorkPlace): Promise<string | undefined> {
    const { place } = this.#parts
    const at = this.#env(work)
    const filtered = await filteredChanges(place, work.top, at)
    const paths = [
      ...recordPaths(place),
      ...(this.#parts.leftOut ?? []).map(path => `${place.prefix}${path}`),
      ...filtered.map(({ path }) => path),
    ]
    const others = paths.map(path => `:(top,exclude,literal)${path}`)
    const add = ['add', '--all', '--ignore-errors', '--', ':/', ...others]
    const { exitCode, complaint } = await askLanding(place, work.top, [...withHint, ...add], at)
    // Git complains that records are ignored, although they are left out.
    return exitCode === 0 || complaint.startsWith('hint: ') ? filterComplaint(filtered) : complaint
  }

  async #statesSince(head: string | null, tree: string): Promise<readonly FileState[]> {
    const { place } = this.#parts
    const from = head ?? (await emptyTree(place))
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none']
    return readStates(await landingPaths(place, place.top, [...args, from, tree]))
  }

  /** The files that the work of an earlier step left. */
  async #leftIn(
    before: LeftWork,
    states: readonly FileState[],
    head: string | undefined,
    tree: string,
  ): Promise<readonly FileState[]> {
    const sinceHead = await this.#statesSince(head ?? null, tree)
    const uncommitted = new Set(sinceHead.map(({ path }) => path))
    const isCommitted = (path: string) => !uncommitted.has(path)
    return leftFiles(before, states, { head: head ?? null, isCommitted })
  }

  /** The tree with these files as they are in the commit. */
  async #without(work: WorkPlace, states: readonly FileState[]): Promise<string> {
    const { place } = this.#parts
    await this.#ask(work, ['update-index', '-z', '--index-info'], indexInfo(states))
    return await landingLine(place, work.top, ['write-tree'], this.#env(work))
  }

  async #readLeft(harness: Harness, work: WorkPlace): Promise<LeftWork | undefined> {
    const text = await readTextIfPresent(harness.disk, leftPath(harness, work))
    return text === undefined ? undefined : readLeftWork(text)
  }

  async #writeLeft(harness: Harness, work: WorkPlace, left: LeftWork): Promise<void> {
    const bytes = new TextEncoder().encode(printLeftWork(left))
    await harness.disk.replaceLoosely(leftPath(harness, work), bytes)
  }

  async #verifierFor(commit: string): Promise<CandidateVerifier> {
    if (this.#verifier) return this.#verifier
    const { place: given, path, startUp, copyFiles: _patterns, ...parts } = this.#parts
    const place: LandingPlace = { ...given, isNeutral: true }
    await removeCheckout(place, path)
    const add = ['worktree', 'add', '--quiet', '--detach', '--no-checkout', '--', path, commit]
    await landingGit(place, place.top, add)
    this.#isMade = true
    const files = new CleanWorktree(place, path, this.#copies, { isEmpty: true })
    const verification = new VerificationWorktrees([
      new VerificationWorktree(place, files, startUp),
    ])
    this.#verifier = new CandidateVerifier({ ...parts, place, verification, remembers: false })
    return this.#verifier
  }

  /** Ignored files of the worktree. A folder is named instead of its files. */
  async #ignoredFiles(work: WorkPlace): Promise<readonly string[]> {
    const { place } = this.#parts
    const asked = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
    const ignored = await landingPaths(place, work.top, asked, this.#env(work))
    const own = recordPaths(place)
    return ignored.filter(path => !own.some(folder => path.startsWith(`${folder}/`)))
  }
}

/** Not in the digest of the tree either. */
const recordPaths = (place: LandingPlace): readonly string[] => [
  memoryPath(place),
  `${place.prefix}artifacts`,
]

/** The hint is the last line of a complaint about ignored files, and of no other. */
const withHint = ['-c', 'advice.addIgnoredFile=true']

/** One file for each worktree, beside the journals. */
const leftPath = (harness: Harness, { top }: WorkPlace): string =>
  `${journalFolder(harness)}/left-${harness.sha256(top).slice(0, 16)}.json`

/** The commit that is checked out and its tree. */
async function commitsAndTree(
  place: LandingPlace,
  { top, env }: WorkPlace,
): Promise<readonly [head: string | undefined, tree: string | undefined]> {
  const stdin = 'HEAD^{commit}\nHEAD^{tree}\n'
  const asked = ['cat-file', '--batch-check=%(objectname)']
  const { stdout } = await askLanding(place, top, asked, { stdin, env })
  const [head, tree] = stdout.split('\n').map(line => (/^[0-9a-f]+$/.test(line) ? line : undefined))
  return [head, tree]
}

const emptyTree = async (place: LandingPlace): Promise<string> =>
  await landingLine(place, place.top, ['hash-object', '-t', 'tree', '-w', '--stdin'], { stdin: '' })

/** Removes the folder, and git's record of it. */
export async function removeCheckout(
  { disk, commonFolder }: Pick<LandingPlace, 'disk' | 'commonFolder'>,
  path: string,
): Promise<void> {
  await disk.removeFolder(path)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const record = `${commonFolder}/worktrees/${name}`
  const named = await readTextIfPresent(disk, `${record}/gitdir`)
  if (named?.trimEnd() === `${path}/.git`) await disk.removeFolder(record)
}

/** How many files a complaint names. */
const namedMax = 5

const nothingNew = ({ id }: Issue) =>
  `the work changed no file that the target lacks, and no commit there since the claim names ${id}`

const lostRepository = (folder: string) =>
  new Fault('unavailable', `${shown(folder)} is in no worktree of the repository`, {
    hint: 'List its worktrees with git worktree list, and run git worktree repair if one was moved.',
    detail: { folder },
  })

const untakeable = (top: string, complaint: string) =>
  new Fault('unavailable', `git could not read the files of ${shown(top)}: ${complaint}`, {
    hint: 'Run git add --all --dry-run there to see why.',
    detail: { top },
  })

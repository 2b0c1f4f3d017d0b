/**
 * Runs the verification of closed issues again, each on its commit in a clean checkout. The commit
 * before it says how: its verify command and its specs. So neither the work nor the proof decides.
 */
import { Fault } from '../../fault.ts'
import { CleanClone } from '../../harness/landing/clean-clone.ts'
import type { LandingPlace } from '../../harness/landing/landing-git.ts'
import { askGit } from '../../harness/worktree/git.ts'
import type { Digest } from '../../kernel/canonical.ts'
import { allowancesOf } from '../../kernel/issues/allowances.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { forcedReason } from '../../kernel/proof/close-kind.ts'
import type { ProvenDocument } from '../../kernel/proof/close-proof.ts'
import { landedOf } from '../../kernel/proof/proof-chain.ts'
import { commandNotes, type Rerun } from '../../kernel/proof/rerun.ts'
import { readRows, rowsStart } from '../../store/issue-rows.ts'
import type { Config } from '../../wire/config/config.ts'
import type { LandedCommit, ProofChain } from '../../wire/proof/proof-chain.ts'
import type { SandboxMode } from '../../wire/sandbox-mode.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { SandboxInput } from '../loop/open-sandbox.ts'
import { type Project, projectAt } from '../open.ts'
import { defaultIssuesPath } from '../open-issues.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { specCommand, specCommandText } from '../specs/spec-verifier.ts'
import { contentsOf, treeDigestOf } from './close-proof.ts'
import { proofFilesIn } from './proof-files.ts'
import { proofVerdict } from './proof-verdict.ts'
import { type JudgingCommand, type RanAgain, RerunCommands } from './rerun-command.ts'
import { baseOf, notRerunnable, openInHistory, type Unrun } from './rerun-commit.ts'
import { RerunSandbox } from './rerun-sandbox.ts'

export interface RerunOptions extends SandboxInput {
  /** Runs instead of the command in the configuration. */
  readonly verifyCmd: string | undefined
  /** Runs the required checks of each commit too, whatever the configuration says. */
  readonly verifyRequired: boolean
  /** For each command; without it, the configuration decides. */
  readonly timeoutMs: number | undefined
}

interface AskedIssues {
  readonly issues: readonly Issue[]
  /** Issues that came closed, by their rows. */
  readonly imported: readonly Issue[]
}

/** What runs, for the status line. */
export interface RerunProgress {
  readonly total: number
  done: number
  issueId: string
  what: string
}

export async function rerunIssues(
  { issues, imported }: AskedIssues,
  options: RerunOptions,
  {
    open,
    project,
    progress,
  }: { readonly open: OpenWitnesses; readonly project: Project; readonly progress: RerunProgress },
): Promise<readonly Rerun[]> {
  const processes = await project.processes()
  const inGit = await askGit({ processes, env: project.env }, project.root, ['rev-parse'])
  if (inGit.exitCode !== 0) {
    const why = notRerunnable(`${project.root} is not in a git repository`)
    return issues.map(issue => unrun(issue, why))
  }
  const place = await landingPlaceOf(project)
  const reruns: Rerun[] = []
  for (const issue of imported) {
    const commit = await openInHistory(issue.id, place)
    const why = `its row says that it was imported closed, and it was open in commit ${commit}`
    if (commit !== undefined) reruns.push(unrun(issue, { result: 'failed', why }))
  }
  if (issues.length === 0) return reruns
  const clone = await CleanClone.make(place)
  let sandbox: RerunSandbox | undefined
  let unlisten = () => {}
  try {
    sandbox = await RerunSandbox.open(clone, options, { open, project })
    if (sandbox.note !== undefined) project.progress(`note: ${sandbox.note}`)
    const commands = new RerunCommands(processes, sandbox)
    unlisten = processes.onStopSignal(() => commands.stop())
    for (const issue of issues) {
      Object.assign(progress, { issueId: issue.id, what: 'checkout' })
      const { mode } = sandbox
      const parts = { clone, commands, issue, mode, open, options, place, progress, project }
      reruns.push(await new IssueRerun(parts).run())
      progress.done++
    }
    return reruns
  } finally {
    unlisten()
    await sandbox?.remove()
    await clone.remove()
  }
}

const unrun = ({ id }: Issue, { result, why }: Unrun): Rerun => ({
  issueId: id,
  result,
  why,
  commit: null,
  base: null,
  commands: [],
  sandbox: 'off',
  lastLines: [],
  notes: [],
})

interface RerunParts {
  readonly clone: CleanClone
  readonly commands: RerunCommands
  readonly issue: Issue
  readonly mode: SandboxMode
  readonly open: OpenWitnesses
  readonly options: RerunOptions
  readonly place: LandingPlace
  readonly progress: RerunProgress
  readonly project: Project
}

/** How the base commit says that the work is verified. */
interface Judge {
  readonly startup: string | undefined
  /** The required checks of the change. */
  readonly required: readonly JudgingCommand[]
  readonly verify: JudgingCommand | undefined
  /** The specs of the issue. */
  readonly specs: JudgingCommand | undefined
  readonly documents: readonly ProvenDocument[]
  /** Documents of the work that judge it, because a person allowed the issue to bring its specs. */
  readonly written: readonly string[]
  readonly timeouts: Config['timeouts']
}

class IssueRerun {
  readonly #parts: RerunParts
  readonly #notes: string[] = []
  readonly #ran: RanAgain[] = []

  constructor(parts: RerunParts) {
    this.#parts = parts
  }

  async run(): Promise<Rerun> {
    const { issue, place, clone, commands } = this.#parts
    if (commands.isStopped) return unrun(issue, notRerunnable('the command was stopped'))
    const landed = landedOf(issue)
    if (landed === undefined) return unrun(issue, notRerunnable(whyNotLanded(issue)))
    const base = await baseOf(issue, landed, place)
    if (typeof base !== 'string') return { ...unrun(issue, base), commit: landed.commit }
    await clone.checkOut(base)
    const judge = await this.#judgeAt(landed, base)
    const end = 'why' in judge ? judge : await this.#judged(judge, landed, base)
    return {
      issueId: issue.id,
      ...(end ?? { result: 'reproduced', why: null }),
      commit: landed.commit,
      base,
      commands: this.#ran.map(({ role, command, exitCode, durationMs }) => ({
        role,
        command,
        exitCode,
        durationMs,
      })),
      sandbox: this.#parts.mode,
      lastLines: end ? (this.#ran.at(-1)?.lastLines ?? []) : [],
      notes: this.#notes,
    }
  }

  /** Reads the base commit, which is checked out. */
  async #judgeAt({ commit }: LandedCommit, base: string): Promise<Judge | Unrun> {
    const { clone, issue, options, project } = this.#parts
    const own = await this.#configAt(clone.folder)
    if ('why' in own) return own
    const caller = (await project.config()).config
    const config = hasVerification(own) ? own : caller
    const then = await this.#rowThen()
    const rowSpecs = [...new Set([...specsOf(issue), ...specsOf(then)])]
    const shared = await documentsAt(clone.folder, config.verifySpecs, project)
    if ('why' in shared) return shared
    const verify = this.#verifyCommand(config, shared.paths)
    const isRequired = options.verifyRequired || config.verifyRequired
    const isAlone = verify === undefined
    const required = isRequired ? await this.#requiredChecks({ base, commit }, isAlone) : []
    if ('why' in required) return required
    const sharedContents = await contentsOf(shared.paths, clone.folder, project)
    const { writesSpecs } = allowancesOf(then)
    if (writesSpecs) await clone.checkOut(commit)
    const documents = await documentsAt(clone.folder, rowSpecs, project)
    if ('why' in documents) return documents
    const isOwn = (path: string) => !shared.paths.includes(path)
    const ownContents = await contentsOf(documents.paths.filter(isOwn), clone.folder, project)
    if (verify === undefined && required.length === 0 && documents.paths.length === 0) {
      return notRerunnable(
        'neither the commit before it nor this project says how it is verified; give --verify-cmd',
      )
    }
    if (options.verifyCmd === undefined && hasVerification(own) && isOther(own, caller)) {
      this.#notes.push(
        'this project now has another verify command than the commit before the work',
      )
    }
    return {
      startup: (hasVerification(own) ? own : caller).startup,
      required,
      verify,
      specs: documents.paths.length > 0 ? this.#specs(documents.paths, specsOf(issue)) : undefined,
      documents: [...sharedContents, ...ownContents],
      written: writesSpecs ? documents.paths.filter(isOwn) : [],
      timeouts: config.timeouts,
    }
  }

  async #configAt(folder: string): Promise<Config | Unrun> {
    try {
      // The variables of the environment are for the caller's project.
      return (await projectAt(folder, { ...this.#parts.project, env: {} }).config()).config
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return notRerunnable(
        `the configuration of the commit before it cannot be read: ${error.message}`,
      )
    }
  }

  /**
   * The row before the work landed, where memory is committed. Its specs and its allowances count, so
   * that nobody passes by editing the row.
   */
  async #rowThen(): Promise<Issue> {
    const { clone, issue, project } = this.#parts
    const path = `${clone.folder}/${defaultIssuesPath}`
    const bytes = await project.files.readIfPresent(path)
    let then: Issue | undefined
    if (bytes) {
      readRows(bytes, rowsStart, path, row => {
        if (row.issue.id === issue.id) then = row.issue
      })
    }
    if (then === undefined) return issue
    if (specsOf(then).join('\n') !== specsOf(issue).join('\n')) {
      this.#notes.push('the issue named other specs before the work; the specs of both times run')
    }
    if (allowancesOf(issue).writesSpecs && !allowancesOf(then).writesSpecs) {
      this.#notes.push('the commit before the work does not let the issue bring its specs')
    }
    return then
  }

  #verifyCommand(
    { verify, verifySpecs }: Config,
    shared: readonly string[],
  ): JudgingCommand | undefined {
    const text = this.#parts.options.verifyCmd ?? verify
    if (text !== undefined) return { role: 'verify', shown: text, command: text, recordedAs: text }
    return shared.length > 0 ? { ...this.#specs(shared, verifySpecs), role: 'verify' } : undefined
  }

  /** By the rules of the base commit; those of the caller's checkout count where it has none. */
  async #requiredChecks(
    { base, commit }: { readonly base: string; readonly commit: string },
    isAlone: boolean,
  ): Promise<readonly JudgingCommand[] | Unrun> {
    const { place, project } = this.#parts
    const { checksAgain } = await import('./rerun-required.ts')
    return await checksAgain({ base, commit, isAlone }, place, project)
  }

  /** Runs these documents. A proof records the names that they were found by. */
  #specs(paths: readonly string[], names: readonly string[]): JudgingCommand {
    const shown = `premath spec run ${paths.join(' ')}`
    const command = specCommand(paths, this.#parts.project)
    return { role: 'specs', shown, command, recordedAs: specCommandText(names) }
  }

  /** Runs everything on the commit. `undefined` if all of it passed. */
  async #judged(judge: Judge, landed: LandedCommit, base: string): Promise<Unrun | undefined> {
    const { clone, project } = this.#parts
    await clone.checkOut(landed.commit)
    if ((await project.files.kindOf(`${clone.folder}/.gitmodules`)) !== undefined) {
      return notRerunnable('its commit has submodules, which a rerun does not fetch')
    }
    const changed = await this.#compare(judge)
    if (changed) return changed
    await clone.takeSpecs(
      base,
      judge.documents.map(({ path }) => path),
      judge.written,
    )
    const { startup, required, verify, specs } = judge
    const prepare =
      startup === undefined
        ? []
        : [{ role: 'startup', shown: startup, command: startup, recordedAs: startup } as const]
    const judging = [...required, ...(verify ? [verify] : []), ...(specs ? [specs] : [])]
    for (const command of [...prepare, ...judging]) {
      const end = await this.#run(command, judge)
      if (end) return end
    }
    return undefined
  }

  async #run(command: JudgingCommand, { timeouts }: Judge): Promise<Unrun | undefined> {
    const { clone, commands, issue, options, progress, project } = this.#parts
    const isStartup = command.role === 'startup'
    const seconds = isStartup ? timeouts.startupSeconds : timeouts.verifySeconds
    const ownMs = command.check?.timeoutMs ?? seconds * 1000
    Object.assign(progress, { what: command.shown })
    const ran = await commands.run(command, {
      folder: clone.folder,
      issue,
      env: project.env,
      timeoutMs: options.timeoutMs ?? ownMs,
    })
    this.#ran.push(ran)
    if (ran.how === 'passed') return undefined
    const why = `${command.shown} ${ran.ended}`
    if (commands.isStopped || isStartup || ran.how === 'not started') return notRerunnable(why)
    return { result: 'failed', why }
  }

  /** Compares the checkout with the proof, and tells if the proof names another command. */
  async #compare({ required, verify, specs, documents }: Judge): Promise<Unrun | undefined> {
    const { clone, issue, open, project } = this.#parts
    const files = await proofFilesIn(open.proofs.folderOf(issue.id), open)
    const { chain, parts } = files
      ? await proofVerdict(files, open)
      : { chain: undefined, parts: [] }
    if (chain === undefined) return undefined
    const recorded = parts.flatMap(({ value: { commandDigest } }) => commandDigest ?? [])
    const digests = [...required, verify, specs].flatMap((one): Digest[] =>
      one ? [`sha256:${open.sha256(one.recordedAs)}`] : [],
    )
    this.#notes.push(...commandNotes(recorded as Digest[], digests))
    const isKnown = ({ path, sha256 }: ProofChain['documents'][number]) =>
      documents.some(one => one.path === path && one.sha256 === sha256)
    if (!chain.documents.every(isKnown)) {
      this.#notes.push(
        'the proof was made with other specs than those of the commit before the work',
      )
    }
    const tree = await treeDigestOf(clone.folder, project)
    if (tree === chain.treeDigest) return undefined
    return {
      result: 'failed',
      why: `the files of its commit are ${tree}, and the proof is about ${chain.treeDigest}`,
    }
  }
}

function whyNotLanded(issue: Issue): string {
  const forced = forcedReason(issue)
  if (issue.status !== 'closed') return `it is ${issue.status}`
  return forced === undefined
    ? 'it was closed without a commit, so there is nothing to check out'
    : `it was closed by force: ${forced}`
}

const hasVerification = ({ verify, verifySpecs, verifyRequired }: Config) =>
  verify !== undefined || verifySpecs.length > 0 || verifyRequired

const isOther = (one: Config, other: Config) =>
  one.verify !== other.verify ||
  one.verifyRequired !== other.verifyRequired ||
  one.verifySpecs.join('\n') !== other.verifySpecs.join('\n')

/** The documents that the patterns name in the checkout. */
async function documentsAt(
  folder: string,
  specs: readonly string[],
  project: Project,
): Promise<{ readonly paths: readonly string[] } | Unrun> {
  if (specs.length === 0) return { paths: [] }
  const { discover } = await import('../../runner/discover.ts')
  const { files, problems } = await discover(specs, ['md'], { ...project, cwd: () => folder })
  const [problem] = problems
  if (problem === undefined && files.length > 0 && !files.some(file => file.startsWith('/'))) {
    return { paths: files }
  }
  const name = problem?.place.file ?? specs.join(', ')
  return notRerunnable(`the commit before it does not have its specs: ${name}`)
}

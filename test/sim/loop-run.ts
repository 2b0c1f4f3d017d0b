/** One run of the loop by one program, put together as the command does it. */

import type { Harness } from '../../src/harness/harness.ts'
import { CopiedCheckout } from '../../src/harness/landing/copied-checkout.ts'
import { Attention } from '../../src/harness/loop/attention.ts'
import { Loop, type LoopEnd } from '../../src/harness/loop/loop.ts'
import type { LoopWorker } from '../../src/harness/loop/pool-worker.ts'
import { RunBudget } from '../../src/harness/loop/run-budget.ts'
import type { LoopOptions } from '../../src/harness/loop/worker-pool.ts'
import { commandVerifier } from '../../src/harness/step/command-verifier.ts'
import type { RunEvent } from '../../src/kernel/harness/run/run-event.ts'
import { openContext } from '../../src/project/context.ts'
import { exists, worktreeDocuments } from '../../src/project/harness-files.ts'
import { openProject, type Project, projectFrom } from '../../src/project/open.ts'
import { asWorker, openHarness } from '../../src/project/open-harness.ts'
import { type OpenIssues, openIssues } from '../../src/project/open-issues.ts'
import { openRetryPolicy } from '../../src/project/policies/control-policy.ts'
import { stepProofs } from '../../src/project/proofs/step-proofs.ts'
import { makeGitignoredFolder } from '../../src/store/gitignored-folder.ts'
import { LineLog } from '../../src/store/line-log.ts'
import { SharedIssueStore } from '../../src/store/shared-issue-store.ts'
import { type Asking, IssueWatch } from './issue-watch.ts'
import type { Program } from './program.ts'
import { verifyCommand, workCommand, workTimeoutMs } from './scripted-work.ts'

/** The workers of one simulated process. */
export interface WorkerGroup {
  readonly mode: LoopOptions['mode']
  readonly name: string
  /** A worker of mode `worker` runs alone, without a coordinator. */
  readonly workers: readonly string[]
}

export const projectFolder = '/p'
export const leaseTtlSeconds = 120

export const worktreeOf = (worker: string) => `${projectFolder}/trees/${worker}`

/** Frequent events that are only displayed. */
const untold: readonly RunEvent['event'][] = ['output', 'phase', 'pass', 'lease.renewed']

export class LoopRun {
  readonly group: WorkerGroup
  readonly program: Program
  readonly events: RunEvent[] = []
  end: LoopEnd | undefined
  failure: unknown
  readonly #asking: Asking

  constructor(group: WorkerGroup, program: Program, asking: Asking) {
    this.group = group
    this.program = program
    this.#asking = asking
  }

  get isOver(): boolean {
    return !this.program.isAlive || this.end !== undefined || this.failure !== undefined
  }

  /** Comes when it has ended by itself; never where its program was killed. */
  async live(): Promise<void> {
    try {
      await this.#run()
    } catch (error) {
      // The errors of a dying program are ignored.
      if (this.program.isAlive) this.failure = error
    }
    this.program.over()
  }

  async #run(): Promise<void> {
    const { mode, name } = this.group
    const context = openContext(this.program.world({ PREMATH_ROOT: projectFolder }))
    const project = await openProject(context)
    const issues = await this.#issues(project)
    const own = mode === 'worker' ? worktreeOf(name) : `${projectFolder}/.premath/${name}`
    await makeGitignoredFolder(worktreeDocuments(own).folder, this.program.disk)
    const open = await openHarness(standingIn(own, project), inputOf(name, own), issues)
    const coordinator = { ...open.harness, emit: () => {} }
    const workers =
      mode === 'worker'
        ? [
            {
              harness: coordinator,
              hold: (act: () => Promise<void>) => act(),
              isThere: async () => true,
            },
          ]
        : await this.#workers(project, issues)
    await asWorker(open, () => this.#loop(coordinator, workers, project))
  }

  /** Several workers share a store. */
  async #issues(project: Project): Promise<OpenIssues> {
    const issues = await openIssues(project, {})
    const store = IssueWatch.asking(issues.store, this.#asking)
    return { ...issues, store: this.group.mode === 'worker' ? store : new SharedIssueStore(store) }
  }

  async #workers(project: Project, issues: OpenIssues): Promise<readonly LoopWorker[]> {
    const workers: LoopWorker[] = []
    for (const worker of this.group.workers) {
      const path = worktreeOf(worker)
      const open = await openHarness(standingIn(path, project), inputOf(worker, path), issues)
      await makeGitignoredFolder(worktreeDocuments(path).folder, this.program.disk)
      await this.program.disk.replaceLoosely(`${path}/.git`, new Uint8Array())
      workers.push({
        harness: open.harness,
        hold: act => asWorker(open, act),
        isThere: () => exists(path, project),
      })
    }
    return workers
  }

  async #loop(
    coordinator: Harness,
    workers: readonly LoopWorker[],
    project: Project,
  ): Promise<void> {
    const { mode, name } = this.group
    const emit = (event: RunEvent) => {
      if (this.program.isAlive && !untold.includes(event.event)) this.events.push(event)
    }
    const log = new LineLog(coordinator.disk, `${projectFolder}/.premath/attention.jsonl`)
    const attention = new Attention(log, coordinator.clock, name, emit)
    const budget = await RunBudget.open(coordinator, { limits: {}, afresh: false })
    const retryPolicy = await openRetryPolicy(project, undefined)
    const options: LoopOptions = {
      runId: name,
      mode,
      parallel: workers.length,
      idleMs: 0,
      startupTimeoutMs: workTimeoutMs,
      workOptions: harness => ({
        workCommand,
        workTimeoutMs,
        ...verifiersAt(harness),
        checkout: new CopiedCheckout({
          files: project.files,
          folder: harness.proofs.folder,
          path: `${projectFolder}/.premath/checkouts/${harness.workerId}`,
          protection: { frozen: [], append: [] },
          verifyCommand,
          verifyTimeoutMs: workTimeoutMs,
          verifiersAt,
          proofsAt: folder => stepProofs(standingIn(folder, project)),
        }),
        verifyTimeoutMs: workTimeoutMs,
        retryPolicy,
        leaseTtlSeconds,
        quietWarningMs: 600_000,
      }),
    }
    const parts = { coordinator, workers, budget, attention, options, emit }
    this.end = await new Loop(parts).run()
  }
}

const verifiersAt = (harness: Harness) => ({
  verifier: commandVerifier(verifyCommand, () => harness),
  specVerifier: () => commandVerifier(verifyCommand, () => harness),
})

const standingIn = (folder: string, project: Project) =>
  projectFrom(project, { cwd: () => folder, env: project.env })

const inputOf = (worker: string, folder: string) => {
  const { session, ledger } = worktreeDocuments(folder)
  return { worker, session, ledger, trajectory: undefined, issues: undefined, reason: undefined }
}

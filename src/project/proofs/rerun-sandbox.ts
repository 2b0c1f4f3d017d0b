/**
 * The sandbox of a rerun. Its private files lie in a temporary folder, because a rerun writes nothing
 * to the project.
 */
import type { CleanClone } from '../../harness/landing/clean-clone.ts'
import type { Contained, SandboxPlace, SandboxState } from '../../harness/sandbox/sandbox.ts'
import { StepFolder } from '../../harness/step/step-folder.ts'
import type { SandboxRole } from '../../kernel/sandbox/home.ts'
import type { SandboxMode } from '../../wire/sandbox-mode.ts'
import { type SandboxInput, sandboxNote, sandboxOf } from '../loop/open-sandbox.ts'
import type { Project } from '../open.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { stepProofs } from './step-proofs.ts'

interface SandboxedRerun {
  readonly role: SandboxRole
  readonly text: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export class RerunSandbox {
  readonly #place: SandboxPlace
  readonly #state: SandboxState
  readonly #folder: StepFolder
  readonly #temporary: string

  private constructor(
    place: SandboxPlace,
    state: SandboxState,
    made: { readonly folder: StepFolder; readonly temporary: string },
  ) {
    this.#place = place
    this.#state = state
    this.#folder = made.folder
    this.#temporary = made.temporary
  }

  /** Faults if the input requires a sandbox, and none works here. */
  static async open(
    clone: CleanClone,
    input: SandboxInput,
    { open, project }: { readonly open: OpenWitnesses; readonly project: Project },
  ): Promise<RerunSandbox> {
    const { root, env, sha256 } = project
    const [disk, processes] = await Promise.all([project.disk(), project.processes()])
    const temporary = await disk.realPath(await disk.makeTemporaryFolder())
    try {
      const folder = new StepFolder({ root: temporary, disk, sha256 }, 'rerun')
      await folder.make()
      const recordsFolder = open.proofs.folder.slice(0, open.proofs.folder.lastIndexOf('/'))
      const proofs = await stepProofs(project)
      const own = { root, worktree: clone.folder, recordsFolder }
      const place = { ...own, disk, processes, env, sha256, proofs }
      // The checkout borrows the objects of the repository.
      const needs = { folder, readable: [clone.objects] }
      const state = await sandboxOf(place, needs, input, project)
      return new RerunSandbox(place, state, { folder, temporary })
    } catch (error) {
      await disk.removeFolder(temporary)
      throw error
    }
  }

  get mode(): SandboxMode {
    return this.#state.mode
  }

  /** Says that there is none, and why. */
  get note(): string | undefined {
    return sandboxNote({ sandbox: this.#state })
  }

  /** `undefined` without a sandbox. */
  async contain({ role, text, env }: SandboxedRerun): Promise<Contained | undefined> {
    if (this.#state.mode === 'off') return undefined
    const command = { role, name: role, text, env, folder: this.#folder }
    return await this.#state.sandbox.contain(this.#place, command)
  }

  async remove(): Promise<void> {
    await this.#place.disk.removeFolder(this.#temporary)
  }
}

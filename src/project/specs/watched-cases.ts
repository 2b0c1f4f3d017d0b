/** The state of watched cases: their files and last verdicts. */
import { Fault } from '../../fault.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import { CaseFiles } from '../../runner/case-files.ts'
import { below } from '../../runner/contract-roots.ts'
import { isDocumentName } from '../../runner/discover.ts'
import type { PlannedOutcome } from '../../runner/run-plan.ts'
import type { OperationContext } from '../context.ts'
import type { ChosenSpecs } from './outcomes.ts'

type WatchWorld = Pick<OperationContext, 'files' | 'sha256'>

interface Touched {
  readonly cases: readonly RawCase[]
  /** The changed paths; a changed document may have no case left. */
  readonly paths: readonly string[]
}

export class WatchedCases {
  readonly #world: WatchWorld
  /** By case, so that a case with a broken chain keeps the files it had before. */
  #filesByCase: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  #files: ReadonlySet<string> = new Set()
  #documents: ReadonlySet<string> = new Set()
  /** Cases without a verdict, because their round was interrupted. */
  #undecided: ReadonlySet<string> = new Set()
  readonly #failed = new Map<string, boolean>()
  /** Cases that should have run and have no verdict since. */
  readonly #unseen = new Set<string>()
  /** Problems per case: another document can take over its id. */
  #flaws: ReadonlyMap<string, string> = new Map()
  readonly #digests = new Map<string, string>()

  constructor(world: WatchWorld) {
    this.#world = world
  }

  /** Every document, and every file that a case depends on. */
  get files(): ReadonlySet<string> {
    return this.#files
  }

  /** Whether cases must run again, whatever changes. */
  get isOwing(): boolean {
    return this.#undecided.size > 0
  }

  /** The number of failing cases by last verdict. */
  get failing(): number {
    return [...this.#failed.values()].filter(Boolean).length
  }

  /** Whether cases without a known outcome remain. */
  get areSomeUnseen(): boolean {
    return this.#unseen.size > 0
  }

  /** Whether the path may matter: a document may be new. */
  mayConcern(path: string): boolean {
    return this.#files.has(path) || isDocumentName(path)
  }

  /** Files whose content changed since the last report: a run may write them itself. */
  async reallyChanged(paths: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const changed = new Set<string>()
    for (const path of paths) {
      const digest = await this.#digestOf(path)
      if (this.#digests.get(path) !== digest) changed.add(path)
      this.#digests.set(path, digest)
    }
    return changed
  }

  /** Whether a loaded document has changed. */
  async isOtherDocument(path: string): Promise<boolean> {
    return this.#documents.has(path) && this.#digests.get(path) !== (await this.#digestOf(path))
  }

  /** Reads the current cases and returns those that the changes affect. */
  async touched({ specs, all }: ChosenSpecs, changed: ReadonlySet<string>): Promise<Touched> {
    const found = new CaseFiles({ ...specs, files: this.#world.files })
    const filesByCase = new Map<string, ReadonlySet<string>>()
    const isTouched = (files: ReadonlySet<string> = new Set()) =>
      [...changed].some(path => files.has(path))
    const flaws = flawsOf(all, specs)
    const cases: RawCase[] = []
    for (const raw of all) {
      const key = keyOf(raw)
      const files = await found.filesOf(raw)
      filesByCase.set(key, files)
      const isLeft = this.#undecided.has(key) || this.#flaws.get(key) !== flaws.get(key)
      if (isLeft || isTouched(files) || isTouched(this.#filesByCase.get(key))) cases.push(raw)
    }
    this.#flaws = flaws
    const documents = new Set(specs.documents.map(({ root, path }) => below(root, path)))
    this.#documents = documents
    this.#undecided = new Set()
    const before = this.#files
    this.#filesByCase = filesByCase
    this.#files = new Set([...documents, ...[...filesByCase.values()].flatMap(one => [...one])])
    for (const known of [this.#failed, this.#unseen]) {
      for (const key of known.keys()) if (!filesByCase.has(key)) known.delete(key)
    }
    const paths = [...changed].filter(path => this.#files.has(path) || before.has(path))
    return { cases, paths }
  }

  /** A stopped case has no verdict and does not pass. */
  ended(outcomes: readonly PlannedOutcome[]): void {
    for (const { raw, outcome } of outcomes) {
      if (outcome === undefined || outcome.failure?.stopped) {
        this.#unseen.add(keyOf(raw))
        continue
      }
      this.#unseen.delete(keyOf(raw))
      this.#failed.set(keyOf(raw), outcome.status === 'fail')
    }
  }

  /** The same for an interrupted round: cases without a verdict run again. */
  cutOff(outcomes: readonly PlannedOutcome[]): void {
    this.ended(outcomes)
    const left = outcomes.filter(({ outcome }) => outcome === undefined)
    this.#undecided = new Set(left.map(({ raw }) => keyOf(raw)))
  }

  async #digestOf(path: string): Promise<string> {
    const { files, sha256 } = this.#world
    try {
      if ((await files.kindOf(path)) !== 'file') return 'no file'
      return sha256(new TextDecoder('latin1').decode(await files.read(path)))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.message
    }
  }
}

/** By case; two cases of a document can share an id. */
function flawsOf(
  cases: readonly RawCase[],
  { problemsOf }: ChosenSpecs['specs'],
): ReadonlyMap<string, string> {
  const flaws = new Map<string, string>()
  for (const raw of cases) {
    const messages = problemsOf(raw).map(({ message }) => message)
    flaws.set(keyOf(raw), [flaws.get(keyOf(raw)) ?? '', ...messages].join('\n'))
  }
  return flaws
}

const keyOf = ({ file, id }: RawCase) => `${file}\0${id}`

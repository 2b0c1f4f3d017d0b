/**
 * The last attempts of a worker, in git's folder. `git clean` removes the folders of the steps and the
 * trajectory while a lease is held, and the next attempt would get an id that was given out before.
 */
import { stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { isJsonObject, jsonIn, numberOf } from '../../kernel/json.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { Harness } from '../harness.ts'
import { repositoryOf } from '../worktree/repository.ts'

type Place = Pick<Harness, 'disk' | 'root' | 'sha256' | 'workerId'>

type Lease = Pick<StepJournal, 'issueId' | 'fence'>

export class LastAttempts {
  readonly #disk: Place['disk']
  readonly #path: string
  readonly #byLease: Map<string, number>

  private constructor(disk: Place['disk'], path: string, byLease: Map<string, number>) {
    this.#disk = disk
    this.#path = path
    this.#byLease = byLease
  }

  /** `undefined` without git, where nothing cleans the folder. The caller holds the worker's lock. */
  static async read({ disk, root, sha256, workerId }: Place): Promise<LastAttempts | undefined> {
    const repository = await repositoryOf({ disk, root }, root)
    if (repository === undefined) return undefined
    const below = (await disk.realPath(root)).slice(repository.top.length)
    const folder = `${repository.common}/premath/attempts${below && `-${sha256(below).slice(0, 16)}`}`
    const path = `${folder}/${stepFolderName(workerId, sha256)}.json`
    return new LastAttempts(disk, path, numbersIn(await readTextIfPresent(disk, path)))
  }

  of(lease: Lease): number {
    return this.#byLease.get(keyOf(lease)) ?? 0
  }

  /** Written before the step begins. */
  async note(begun: Lease & Pick<StepJournal, 'attempt'>): Promise<void> {
    this.#byLease.delete(keyOf(begun))
    const kept = [...this.#byLease, [keyOf(begun), begun.attempt] as const].slice(-keptMax)
    const text = `${JSON.stringify(Object.fromEntries(kept))}\n`
    await this.#disk.makeFolderLoosely(this.#path.slice(0, this.#path.lastIndexOf('/')))
    await this.#disk.replaceLoosely(this.#path, new TextEncoder().encode(text))
  }
}

/** More than one worker holds. A lease that ended gets a new fence, so its entry is not needed. */
const keptMax = 100

const keyOf = ({ issueId, fence }: Lease) => `${issueId}.${fence}`

/** A crash of the machine may have cut the file off: it is written without a sync. */
function numbersIn(text: string | undefined): Map<string, number> {
  const value = jsonIn(text ?? '')
  const attempts = isJsonObject(value) ? value : {}
  return new Map(Object.entries(attempts).map(([key, attempt]) => [key, numberOf(attempt) ?? 0]))
}

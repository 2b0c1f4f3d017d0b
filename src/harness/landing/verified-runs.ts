/**
 * Keeps the verifications that passed in git's folder, so that the same files are not verified again:
 * after a restack, or after a crash before the commit landed.
 */
import { parentsOf } from '../../kernel/landing/in-the-way.ts'
import { findRun, printRuns, readRuns, withRun } from '../../kernel/landing/verified-run.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { SerialQueue } from '../../store/lock.ts'
import type { VerifiedRun } from '../../wire/landing/verified-run.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { memoryPath } from './candidate.ts'
import { type LandingPlace, landingPaths } from './landing-git.ts'

export class VerifiedRuns {
  readonly #place: LandingPlace
  readonly #writes = new SerialQueue()

  constructor(place: LandingPlace) {
    this.#place = place
  }

  async find(key: string): Promise<VerifiedRun | undefined> {
    return findRun(await this.#read(), key, this.#place.clock.now())
  }

  /** Another process may write at the same time. A run that is lost is verified again. */
  async add(run: Omit<VerifiedRun, 'at'>): Promise<void> {
    const { disk, clock, commonFolder } = this.#place
    await this.#writes.run(async () => {
      const now = clock.now()
      const runs = withRun(await this.#read(), { ...run, at: timestampOf(now) }, now)
      await disk.makeFolderLoosely(`${commonFolder}/premath`)
      await disk.replaceLoosely(this.#path, new TextEncoder().encode(printRuns(runs)))
    })
  }

  async #read(): Promise<readonly VerifiedRun[]> {
    return readRuns((await readTextIfPresent(this.#place.disk, this.#path)) ?? '')
  }

  get #path(): string {
    return `${this.#place.commonFolder}/premath/verified.jsonl`
  }
}

/**
 * The entries of a tree without issue memory, which changes all the time: those beside `.premath`,
 * and those beside each folder that contains it.
 */
export async function entriesWithoutMemory(
  place: LandingPlace,
  tree: string,
): Promise<readonly string[]> {
  const own = memoryPath(place)
  const entries: string[] = []
  for (const path of [...parentsOf(own), own]) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const below = folder === '' ? [] : ['--', folder]
    const listed = await landingPaths(place, place.top, ['ls-tree', '-z', tree, ...below])
    entries.push(...listed.filter(entry => !entry.endsWith(`\t${path}`)))
  }
  return entries
}

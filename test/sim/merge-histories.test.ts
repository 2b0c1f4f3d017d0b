/**
 * Random histories of five clones: they edit, and merge, squash, rebase, cherry-pick, stash and merge
 * without a driver. An oracle that knows only the acknowledged changes decides (`merge-oracle.ts`).
 * `SEED=… MERGE_HISTORIES=1` runs one again.
 */
import { expect, test } from 'vitest'
import { runHistory, stepsMax } from './merge-history.ts'
import { isTorture, seedOf } from './seeded.ts'

const histories = Number(process.env['MERGE_HISTORIES'] ?? (isTorture ? 10_000 : 300))
const first = seedOf(process.env)

/** The shortest beginning of the history that breaks a law. */
function shortest(seed: number): string | undefined {
  for (let steps = 0; steps <= stepsMax; steps++) {
    const broken = runHistory(seed, steps)
    if (broken) return `SEED=${seed} MERGE_HISTORIES=1, after ${steps} steps:\n${broken}`
  }
  return undefined
}

test(`[memory.2.converge] any history loses nothing, and the clones converge (SEED=${first})`, () => {
  for (let seed = first; seed < first + histories; seed++) {
    if (runHistory(seed) !== undefined) expect(shortest(seed)).toBeUndefined()
  }
})

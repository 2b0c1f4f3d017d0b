/** Chance that can be had again: mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `SEED=7` runs one again; otherwise a new one, printed with whatever fails. */
export function seedOf(env: NodeJS.ProcessEnv): number {
  return env['SEED'] ? Number(env['SEED']) : Math.floor(Math.random() * 2 ** 31)
}

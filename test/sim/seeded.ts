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

/** True in torture runs, which have many more rounds. */
export const isTorture = process.env['TORTURE_KILLS'] !== undefined

/** Torture breaks every call of the disk, `npm test` every third: a crash before one is a crash after another. */
export const callStep = isTorture ? 1 : 3

/**
 * All rows in torture, and the first ones in `npm test`: for rows that show the same behaviour in
 * several ways. None of them may be the only one that cites a requirement.
 */
export const fewOf = <Row>(rows: readonly Row[], count = 1): readonly Row[] =>
  isTorture ? rows : rows.slice(0, count)

/** All rows in torture, and every third in `npm test`: for rows that another suite shows too. */
export const everyThird = <Row>(rows: readonly Row[]): readonly Row[] =>
  isTorture ? rows : rows.filter((_, at) => at % 3 === 0)

/** All rows in torture, and in `npm test` the one whose turn it is: for each row of another table. */
export const inTurn = <Row>(rows: readonly Row[], turn: number): readonly Row[] =>
  isTorture ? rows : rows.filter((_, at) => at === turn % rows.length)

/** All rows in torture, and every second in `npm test`: for moments that follow each other closely. */
export const everySecond = <Row>(rows: readonly Row[]): readonly Row[] =>
  isTorture ? rows : rows.filter((_, at) => at % 2 === 0)

/** The same in every `npm test`, which says the same of the same code. */
const usual = 20_261_115

/** `SEED=7` runs one again; torture draws a new one, printed with whatever fails. */
export function seedOf(env: NodeJS.ProcessEnv): number {
  if (env['SEED']) return Number(env['SEED'])
  return isTorture ? Math.floor(Math.random() * 2 ** 31) : usual
}

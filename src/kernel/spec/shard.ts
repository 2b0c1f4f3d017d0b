/** One part of the cases, to split a run over several machines. */

export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

const written = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/

/** Parses `2/5`; `undefined` if invalid. */
export function readShard(text: string): Shard | undefined {
  const [, index = '', count = ''] = written.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined
}

/**
 * Contiguous parts, because cases of one document share prerequisites. Sizes differ by one at most,
 * and each item is in exactly one part.
 */
export function shardOf<T>(items: readonly T[], { index, count }: Shard): readonly T[] {
  const start = (part: number) => Math.ceil((part * items.length) / count)
  return items.slice(start(index - 1), start(index))
}

/** A part of the cases, so that several machines run all of them between them. */

export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

const written = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/

/** `2/5`; `undefined` where that is not what it says. */
export function readShard(text: string): Shard | undefined {
  const [, index = '', count = ''] = written.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  return shard.index >= 1 && shard.index <= shard.count ? shard : undefined
}

/**
 * Neighbours stay together, as those of one document share what runs before them. Sizes differ by
 * one at most; each item is in one part and in no other.
 */
export function shardOf<T>(items: readonly T[], { index, count }: Shard): readonly T[] {
  const start = (part: number) => Math.ceil((part * items.length) / count)
  return items.slice(start(index - 1), start(index))
}

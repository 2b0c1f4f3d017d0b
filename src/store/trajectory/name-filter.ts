/**
 * A Bloom filter for names. It never denies a name that was added; of other names it lets a few in a
 * thousand through.
 */
export const filterBytes = 512

const bitsOf = 8 * filterBytes
const probes = 4

export function filterOf(names: Iterable<string>): Uint8Array {
  const filter = new Uint8Array(filterBytes)
  for (const name of names) {
    const { hash, step } = hashOf(name)
    for (let probe = 0; probe < probes; probe++) {
      const bit = (hash + probe * step) % bitsOf
      filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7))
    }
  }
  return filter
}

/** A test of one name against many filters. */
export function mayHold(name: string): (filter: Uint8Array) => boolean {
  const { hash, step } = hashOf(name)
  const bits = Array.from({ length: probes }, (_, probe) => (hash + probe * step) % bitsOf)
  return filter => bits.every(bit => ((filter[bit >> 3] as number) >> (bit & 7)) & 1)
}

/** FNV-1a over UTF-16 units, and the step from one probe to the next. */
function hashOf(name: string) {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return { hash: hash >>> 8, step: (Math.imul(hash, 0x9e3779b1) >>> 16) | 1 }
}

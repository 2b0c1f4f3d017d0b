import type { Sha256 } from '../kernel/canonical.ts'

const textsMax = 4096
/** Above this the hash itself is cheaper than finding out that it is known. */
const textCharsMax = 128

/** Turns of one loop repeat their call spec, protocol state and empty sets: hash those once. */
export function rememberedHash(sha256: Sha256): Sha256 {
  const known = new Map<string, string>()
  return text => {
    if (text.length > textCharsMax) return sha256(text)
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= textsMax) known.clear()
    const made = sha256(text)
    known.set(text, made)
    return made
  }
}

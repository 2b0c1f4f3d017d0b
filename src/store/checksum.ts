/** Finds what a broken disk or a half-written file does; nobody's malice. */
export function checksum(bytes: Uint8Array): number {
  const whole = bytes.length - (bytes.length % 4)
  // A copy where words would not be aligned; `slice` is no copy of a `Buffer`.
  const start = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const words = new Int32Array(start.buffer, start.byteOffset, whole / 4)
  let [low, high] = [0x811c9dc5, bytes.length]
  for (let at = 0; at < words.length; at++) {
    low = Math.imul(low ^ (words[at] as number), 0x01000193)
    high = (Math.imul(high, 31) + low) | 0
  }
  for (let at = whole; at < bytes.length; at++) {
    low = Math.imul(low ^ (bytes[at] ?? 0), 0x01000193)
    high = (Math.imul(high, 31) + low) | 0
  }
  return (low ^ high) >>> 0
}

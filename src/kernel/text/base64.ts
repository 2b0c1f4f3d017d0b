/** Encodes text as base64. The kernel has no Buffer. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Encodes the UTF-8 bytes of a text. */
export function base64(text: string): string {
  const bytes = utf8Bytes(text)
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3)
    const word = (a << 16) | (b << 8) | c
    const four = [18, 12, 6, 0].map(shift => digits.charAt((word >> shift) & 63)).join('')
    const used = Math.min(3, bytes.length - at) + 1
    encoded += four.slice(0, used).padEnd(4, '=')
  }
  return encoded
}

const utf8Bytes = (text: string): readonly number[] =>
  [...encodeURIComponent(text.toWellFormed()).matchAll(/%([0-9A-F]{2})|(.)/g)].map(
    ([, hex, one = '']) => (hex === undefined ? one.charCodeAt(0) : Number.parseInt(hex, 16)),
  )

/** Base32 with the extended hex alphabet (RFC 4648 §7), lower case, without padding. */
const alphabet = '0123456789abcdefghijklmnopqrstuv'

/** Of bytes that are given as hexadecimal digits. */
export function base32Hex(hex: string): string {
  const bits = [...hex]
    .map(digit => Number.parseInt(digit, 16).toString(2).padStart(4, '0'))
    .join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map(group => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** The character sets of `\d`, `\w` and `\s`, the same in every engine. */

export type SetName = 'd' | 'w' | 's'

const bodies: Record<SetName, string> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  // Unicode white space and four control separators, which one engine omits.
  s: '\\t-\\r\\x1c-\\x20\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000',
}

/** The set as class content, between brackets. */
export const classBody = (name: SetName) => bodies[name]

export const notClass = (name: SetName) => `[^${bodies[name]}]`

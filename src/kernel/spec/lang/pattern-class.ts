/** The sets of characters that `\d`, `\w` and `\s` stand for, in every engine. */

export type SetName = 'd' | 'w' | 's'

const bodies: Record<SetName, string> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  // Unicode's white space and four old separators; one engine would leave these out.
  s: '\\t-\\r\\x1c-\\x20\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000',
}

/** What stands for the set between brackets. */
export const classBody = (name: SetName) => bodies[name]

export const notClass = (name: SetName) => `[^${bodies[name]}]`

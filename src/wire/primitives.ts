import { z } from 'zod'

// Only checks JSON Schema can express: `.trim()` would make the published schema accept blanks
// that the code refuses.
/** Not blank as `kernel/clean.ts` sees it: unlike `\s`, U+0085 is a space and U+FEFF is none. */
export const NonEmpty = z.string().regex(/[^\s\u0085]|\ufeff/)
export const Refs = z.array(NonEmpty)
export const Timestamp = z.iso.datetime({ offset: true })
export const Digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])
export const PolicyDigest = z.templateLiteral(['pol1_', z.string().regex(/^[0-9a-f]{64}$/)])
export const Bytes = z.int().nonnegative()

/** For values that are made once and handed around, whole or in part. */
export type Immutable<T> = T extends object ? { readonly [Name in keyof T]: Immutable<T[Name]> } : T

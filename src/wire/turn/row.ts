/**
 * The contract of rows that foreign programs send. A table of fields says what each may hold and
 * how it is brought to normal form; the kernel reads rows by it, and the published JSON Schema is
 * made from it. The tables are not shapes (`wire/shape.ts`): a defect in such a row is a finding of
 * the gate, not a parse error, and text is normalized before it is judged.
 */

/** How one field is read. `null` counts as absent wherever the field is optional. */
export type Field =
  /** Identity of a row: text of bounded length. */
  | { readonly kind: 'id' }
  /** Text, trimmed; blank counts as absent. */
  | { readonly kind: 'text' }
  /** Text, trimmed and ASCII lower-cased, one of `values` when they are given. */
  | { readonly kind: 'token'; readonly values?: readonly string[] }
  /** Text kept to the byte. */
  | { readonly kind: 'verbatim' }
  /** Yes or no. Where a missing value decides something, `null` is not an answer. */
  | { readonly kind: 'flag'; readonly notNull?: boolean }
  /** A whole number from `min` (0 when not given). */
  | { readonly kind: 'count'; readonly min?: number }
  | { readonly kind: 'number' }
  /** A list of text: trimmed, without blanks and repeats, sorted. `null` is not a list. */
  | { readonly kind: 'refs'; readonly dropEmpty?: boolean }
  /** Anything; somebody's free-form data. `digested`: normal form keeps only its digest. */
  | { readonly kind: 'json'; readonly digested?: boolean }
  | { readonly kind: 'object'; readonly fields: Fields }
  /** Rows in a row, sorted by their text. */
  | { readonly kind: 'rows'; readonly fields: Fields }

export interface Fields {
  readonly [name: string]: Field & { readonly required?: boolean; readonly about?: string }
}

/** What a field reads as. Everything is optional: a refused row keeps what could be read. */
type ValueOf<F extends Field> = F extends { kind: 'id' | 'text' | 'token' | 'verbatim' }
  ? string
  : F extends { kind: 'flag' }
    ? boolean
    : F extends { kind: 'count' }
      ? number
      : F extends { kind: 'refs' }
        ? readonly string[]
        : F extends { kind: 'object'; fields: infer Inner extends Fields }
          ? RowOf<Inner>
          : F extends { kind: 'rows'; fields: infer Inner extends Fields }
            ? readonly RowOf<Inner>[]
            : unknown

export type RowOf<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> }

/** Characters in an identity, the longest seen in the wild being 450. */
export const idCharsMax = 4096

export const id = { kind: 'id', required: true } as const
export const text = { kind: 'text' } as const
export const requiredText = { kind: 'text', required: true } as const
export const token = { kind: 'token' } as const
export const requiredToken = { kind: 'token', required: true } as const
export const verbatim = { kind: 'verbatim' } as const
export const flag = { kind: 'flag' } as const
export const firmFlag = { kind: 'flag', notNull: true } as const
export const requiredFlag = { kind: 'flag', required: true } as const
export const count = { kind: 'count' } as const
export const number = { kind: 'number' } as const
export const refs = { kind: 'refs' } as const
/** For lists whose emptiness says nothing: the normal form leaves them out. */
export const refsIfAny = { kind: 'refs', dropEmpty: true } as const
export const json = { kind: 'json' } as const
export const digestedJson = { kind: 'json', digested: true } as const

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return { kind: 'token', values } as const
}

export function object<const F extends Fields>(fields: F) {
  return { kind: 'object', fields } as const
}

export function rows<const F extends Fields>(fields: F) {
  return { kind: 'rows', fields } as const
}

export function required<const F extends Field>(field: F) {
  return { ...field, required: true } as const
}

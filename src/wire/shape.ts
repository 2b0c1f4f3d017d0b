/**
 * Shapes: each artifact is declared once, as plain data. Its type is inferred from the shape, its
 * JSON Schema is made from it (`json-schema.ts`), and the kernel checks, reads and prints by it.
 * Plain data because every command loads some of it at start.
 */

export type Shape = (
  | { readonly is: 'any' }
  | { readonly is: 'nothing' }
  | { readonly is: 'flag' }
  | TextShape
  /** A number without a fraction, no further from zero than JavaScript counts exactly. */
  | { readonly is: 'whole'; readonly least?: number; readonly most?: number }
  | { readonly is: 'number'; readonly least?: number; readonly above?: number }
  | { readonly is: 'literal'; readonly value: string | number | boolean }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | ListShape
  /** An object whose keys the author chooses. */
  | { readonly is: 'map'; readonly of: Shape }
  | RecordShape
  | { readonly is: 'nullable'; readonly of: Shape }
  /** The first shape that fits. */
  | { readonly is: 'union'; readonly of: readonly Shape[] }
  /** The record whose literal member `by` has the value that is given. */
  | { readonly is: 'variant'; readonly by: string; readonly of: readonly RecordShape[] }
) & { readonly title?: string; readonly about?: string }

export interface TextShape {
  readonly is: 'text'
  readonly pattern?: string
  readonly format?: 'date-time'
  readonly leastChars?: number
  /** What every such text begins with, for the inferred type. */
  readonly prefix?: string
}

export interface ListShape {
  readonly is: 'list'
  readonly of: Shape
  readonly least?: number
  readonly most?: number
  /** A set of texts: the reader drops repeats and sorts. */
  readonly isSet?: boolean
}

export interface RecordShape {
  readonly is: 'record'
  readonly members: Members
  /** Whether members that it does not name are kept; otherwise they are refused. */
  readonly isOpen: boolean
  readonly title?: string
  readonly about?: string
}

/** In the order in which files list them. */
export interface Members {
  readonly [name: string]: Member
}

export type Member = Shape & {
  readonly isOptional?: boolean
  /** The value that the reader gives to a member that is absent. */
  readonly whenAbsent?: unknown
  /** Left out of the file when its text or list is empty. */
  readonly omitsEmpty?: boolean
  /** The reader takes any text, or any list of texts: a check of its own reports what is wrong. */
  readonly isUnchecked?: boolean
  /** The reader keeps whatever is there: its users check it. */
  readonly isUntouched?: boolean
}

/** The type of the values that fit a shape; of any shape, they are unknown. */
export type ValueOf<S> = Shape extends S
  ? unknown
  : S extends { isUnchecked: true; is: 'text' | 'word' }
    ? string
    : S extends { isUnchecked: true; is: 'list' }
      ? readonly string[]
      : S extends { isUntouched: true }
        ? unknown
        : CheckedOf<S>

type CheckedOf<S> = S extends { is: 'flag' }
  ? boolean
  : S extends { is: 'text'; prefix: infer Prefix extends string }
    ? `${Prefix}${string}`
    : S extends { is: 'text' }
      ? string
      : S extends { is: 'whole' | 'number' }
        ? number
        : S extends { is: 'literal'; value: infer Value }
          ? Value
          : S extends { is: 'word'; words: readonly (infer Word)[] }
            ? Word
            : S extends { is: 'list'; of: infer Inner }
              ? readonly ValueOf<Inner>[]
              : S extends { is: 'map'; of: infer Inner }
                ? Readonly<Record<string, ValueOf<Inner>>>
                : S extends { is: 'record'; members: infer M extends Members }
                  ? keyof M extends never
                    ? Readonly<Record<string, unknown>>
                    : RecordOf<M>
                  : S extends { is: 'nullable'; of: infer Inner }
                    ? ValueOf<Inner> | null
                    : S extends { is: 'union' | 'variant'; of: readonly (infer Inner)[] }
                      ? ValueOf<Inner>
                      : S extends { is: 'nothing' }
                        ? never
                        : unknown

export type RecordOf<M extends Members> = Flat<
  { readonly [Name in keyof M as Required<M, Name>]: ValueOf<M[Name]> } & {
    readonly [Name in keyof M as Optional<M, Name>]?: ValueOf<M[Name]> | undefined
  }
>
type Required<M extends Members, Name extends keyof M> = M[Name] extends MayBeAbsent ? never : Name
type Optional<M extends Members, Name extends keyof M> = M[Name] extends MayBeAbsent ? Name : never
type MayBeAbsent = { isOptional: true; whenAbsent?: never }
type Flat<T> = { [Name in keyof T]: T[Name] }

export const any = { is: 'any' } as const
export const nothing = { is: 'nothing' } as const
export const flag = { is: 'flag' } as const
export const text = { is: 'text' } as const
export const number = { is: 'number' } as const
/** A number from 0, with or without a fraction. */
export const amount = { is: 'number', least: 0 } as const
export const whole = { is: 'whole' } as const
export const count = { is: 'whole', least: 0 } as const
export const positive = { is: 'whole', least: 1 } as const

/**
 * Matches text with something but white space in it. White space is what `kernel/text/clean.ts`
 * trims: unlike `\s`, U+0085 is a space and U+FEFF is none.
 */
export const filledPattern = '[^\\s\\u0085]|\\ufeff'

/** Text that matches the source of a regular expression. */
export const matching = (pattern: string) => ({ is: 'text', pattern }) as const

/** A prefix and 64 lower-case hexadecimal digits. */
export const digest = <const Prefix extends string>(prefix: Prefix) =>
  ({ is: 'text', pattern: `^${prefix}[0-9a-f]{64}$`, prefix }) as const

export const literal = <const Value extends string | number | boolean>(value: Value) =>
  ({ is: 'literal', value }) as const

export const word = <const Words extends readonly string[]>(words: Words) =>
  ({ is: 'word', words }) as const

export const list = <const S extends Shape>(
  of: S,
  limits: { readonly least?: number; readonly most?: number } = {},
) => ({ is: 'list', of, ...limits }) as const

export const map = <const S extends Shape>(of: S) => ({ is: 'map', of }) as const

export const nullable = <const S extends Shape>(of: S, about?: string) =>
  ({ is: 'nullable', of, ...(about !== undefined && { about }) }) as const

export const union = <const S extends readonly Shape[]>(of: S) => ({ is: 'union', of }) as const

export const variant = <const S extends readonly RecordShape[]>(by: string, of: S) =>
  ({ is: 'variant', by, of }) as const

/** Exactly these members. */
export const record = <const M extends Members>(members: M) =>
  ({ is: 'record', members, isOpen: false }) as const

/** These members, and whatever other tools add. */
export const openRecord = <const M extends Members>(members: M) =>
  ({ is: 'record', members, isOpen: true }) as const

/** The same members, all of them optional. */
export const partial = <const M extends Members>({ members }: { readonly members: M }) => {
  const all = Object.entries(members).map(([name, member]) => [name, optional(member)])
  return record(
    Object.fromEntries(all) as {
      readonly [Name in keyof M]: M[Name] & { readonly isOptional: true }
    },
  )
}

export const optional = <const S extends Shape>(shape: S, about?: string) =>
  ({ ...shape, isOptional: true, ...(about !== undefined && { about }) }) as const

/** Required, but the reader gives `value` where it is absent: a check of its own reports that. */
export const absentAs = <const S extends Shape, const Value>(shape: S, value: Value) =>
  ({ ...shape, whenAbsent: value }) as const

/** Optional, and the reader gives `value` where it is absent. */
export const orElse = <const S extends Shape, const Value>(
  shape: S,
  value: Value,
  about?: string,
) => absentAs(optional(shape, about), value)

/** Optional text that reads as blank where it is absent; files leave it out when it is blank. */
export const orBlank = <const S extends Shape>(shape: S, about?: string) =>
  ({ ...orElse(shape, '', about), omitsEmpty: true }) as const

/** An optional list that reads as empty where it is absent; files leave it out when it is empty. */
export const orNone = <const S extends Shape>(shape: S, about?: string) =>
  ({ ...orElse(shape, [], about), omitsEmpty: true }) as const

/** The reader takes any text, absent as blank: a check of its own says what is wrong with it. */
export const unchecked = <const S extends Shape>(shape: S) =>
  ({ ...shape, isUnchecked: true, whenAbsent: shape.is === 'list' ? [] : '' }) as const

/** Optional, and the reader keeps whatever is there: its users check it. */
export const untouched = <const S extends Shape>(shape: S, about?: string) =>
  ({ ...optional(shape, about), isUntouched: true }) as const

export const about = <const S extends Shape>(shape: S, text: string) =>
  ({ ...shape, about: text }) as const

/** A shape with the kind that it goes by and a sentence for people. */
export const artifact = <const S extends Shape>(title: string, text: string, shape: S) =>
  ({ ...shape, title, about: text }) as const

/** How a command declares its input. Flags, help, completions and the reference come from it. */

/** What a value may name in the project. Completions offer the names that exist. */
export type Names = 'issue' | 'status' | 'label'

interface AnyField {
  /** One line, for help and the reference page. */
  readonly describe: string
  /** Other names of the flag, as it is written: `worker-id`. */
  readonly also?: readonly string[]
  /** The flag is accepted and changes nothing. This says why, whenever somebody passes it. */
  readonly noEffect?: string
}

interface FieldBase extends AnyField {
  /** The name of the value in help: `file` is printed as `<file>`. */
  readonly placeholder?: string
  readonly required?: boolean
  /** May be given any number of times; the operation receives a list. */
  readonly many?: boolean
  /** Given by place instead of by name. Fields fill up in order; only the last may be `many`. */
  readonly positional?: boolean
  /** A flag whose name may be left out: a word without a place of its own is its value. */
  readonly mayBeBare?: boolean
  /**
   * The key in `.premath/config.json` for a flag that is absent. The operation receives `undefined`
   * and reads the setting: a `default` here is for help, and that of the setting applies.
   */
  readonly setting?: string
}

export interface TextField extends FieldBase {
  readonly type: 'text'
  readonly default?: string
  /** The value names a file or folder, so the shell completes paths. */
  readonly path?: boolean
  /** The file holds one JSON document. A surface that carries JSON takes the document itself. */
  readonly document?: boolean
  /** The value names something in the project, so the shell completes the names. */
  readonly names?: Names
  /** The value is a sentence, whose quotes a person may forget. Only the last field by place. */
  readonly sentence?: boolean
  /** The value is a command, whose words a person may give without the flag and the quotes. */
  readonly isCommand?: boolean
  /** The words behind `--`, whatever they look like: a command to run. By place, and `many`. */
  readonly behindDashes?: boolean
}

export interface CountField extends FieldBase {
  readonly type: 'count'
  readonly default?: number
}

/** A decimal number that is not negative. */
interface NumberField extends FieldBase {
  readonly type: 'number'
  readonly default?: number
}

interface ChoiceField extends FieldBase {
  readonly type: 'choice'
  readonly values: readonly string[]
  readonly default?: string
}

interface FlagField extends AnyField {
  readonly type: 'flag'
}

export type Field = TextField | CountField | NumberField | ChoiceField | FlagField

/** By name in camelCase; the flag is the same words with dashes. */
export type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field> = F extends FlagField
  ? boolean
  : F extends CountField | NumberField
    ? number
    : F extends ChoiceField
      ? F['values'][number]
      : string

type Given<F extends Field> = F extends { readonly many: true }
  ? readonly ValueOf<F>[]
  : F extends { readonly setting: string }
    ? ValueOf<F> | undefined
    : F extends FlagField | { readonly required: true } | { readonly default: string | number }
      ? ValueOf<F>
      : ValueOf<F> | undefined

/** The input of an operation, derived from its fields. */
export type InputOf<F extends Fields> = { readonly [Name in keyof F]: Given<F[Name]> }

type Named = 'type' | 'describe' | 'placeholder'

export const textField = <const More extends Omit<TextField, Named> = object>(
  placeholder: string,
  describe: string,
  more?: More,
) => ({ type: 'text', describe, placeholder, ...(more as More) }) as const

export const countField = <const More extends Omit<CountField, Named> = object>(
  placeholder: string,
  describe: string,
  more?: More,
) => ({ type: 'count', describe, placeholder, ...(more as More) }) as const

export const choiceField = <
  const Values extends readonly string[],
  const More extends Omit<ChoiceField, 'type' | 'describe' | 'values'> = object,
>(
  values: Values,
  describe: string,
  more?: More,
) => ({ type: 'choice', values, describe, ...(more as More) }) as const

export const flagField = (describe: string) => ({ type: 'flag', describe }) as const

/** A flag of the earlier loop without a counterpart. Commands that pass it still run. */
export const noEffectField = <const Type extends 'text' | 'flag'>(type: Type, why: string) =>
  ({ type, describe: `Has no effect: ${why}.`, noEffect: why }) as const

/** What an operation receives for a field that is not given. */
export function absentValue(field: Field): string | number | boolean | readonly [] | undefined {
  if (field.type === 'flag') return false
  if (field.many) return []
  return field.setting === undefined ? field.default : undefined
}

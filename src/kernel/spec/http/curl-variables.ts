/** The variables that a case made from a curl line refers to, instead of containing credentials. */

import { base64 } from '../../text/base64.ts'
import { templatesIn } from '../template/template.ts'

export interface CurlVariable {
  /** The kind of value, to follow "the": `Authorization header`. */
  readonly what: string
  /** Its value as the line spells it; `undefined` if only the environment has it. */
  readonly value: CurlValue | undefined
  /** False for a part of an address, which may be shown. */
  readonly isSecret: boolean
}

interface CurlValue {
  /** May refer to variables of the shell. */
  readonly text: string
  /** `name:password`, to be sent as an `Authorization` header. */
  readonly isLogin: boolean
}

/** The way a case refers to a variable of the run. */
export const reference = (name: string) => `{{var.${name}}}`

const namesIn = (text: string): readonly string[] =>
  templatesIn(text).flatMap(({ space, inner }) => (space === 'var' ? [inner] : []))

export const hasReference = (text: string): boolean => namesIn(text).length > 0

/** Every reference replaced by its name, or by what `shown` makes of it. */
export const withReferences = (text: string, shown: (name: string) => string): string =>
  templatesIn(text).reduce(
    (rest, one) => (one.space === 'var' ? rest.replace(one.text, () => shown(one.inner)) : rest),
    text,
  )

/** Headers whose values are credentials. */
const secretHeader =
  /^(?:(?:proxy-)?authorization|cookie|.*(?:token|secret|api-?key|password|credential).*)$/i

/** Fields and parameters whose values are credentials. */
const secretField =
  /^(?:.*(?:password|passwd|passphrase|secret|api[_-]?key|(?:access|refresh|id|auth|session)[_-]?token)|token|pwd)$/i

export const isSecretField = (name: string): boolean => secretField.test(name)

/** The first word of an `Authorization` header, which is no secret. */
const scheme = /^(?:basic|bearer|token|apikey|api-key|jwt|negotiate)\s+/i

/** True if the value has no text that could be a credential, beside references. */
export function isWithoutSecret(header: string, value: string): boolean {
  if (!secretHeader.test(header)) return true
  if (!hasReference(value)) return false
  const rest = withReferences(value, () => '')
  if (header.toLowerCase() === 'cookie') {
    return rest.split(';').every(pair => /^\s*(?:[^=\s]+=)?\s*$/.test(pair))
  }
  return `${rest.trim()} `.replace(scheme, '').trim() === ''
}

export class CurlVariables {
  readonly #known = new Map<string, Omit<CurlVariable, 'isSecret'>>()
  /** Variables of the shell that stand where a credential does. */
  readonly #credentials = new Set<string>()

  /** A variable of the shell keeps its name. */
  shell(name: string): string {
    this.#known.set(name, { what: `variable ${name}`, value: undefined })
    return reference(name)
  }

  /** A credential becomes a reference. `wanted` is what the variable is called if it is free. */
  hidden(wanted: string, what: string, text: string, isLogin = false): string {
    const base = wanted.toUpperCase().replace(/[^A-Z0-9]+/g, '_') || 'SECRET'
    let name = /^\d/.test(base) ? `_${base}` : base
    for (let number = 2; this.#isTaken(name, text); number++) name = `${base}_${number}`
    this.#known.set(name, { what, value: { text, isLogin } })
    return reference(name)
  }

  #isTaken(name: string, text: string): boolean {
    const known = this.#known.get(name)
    return known !== undefined && known.value?.text !== text
  }

  header(name: string, value: string): string {
    return isWithoutSecret(name, value) ? value : this.hidden(name, `${name} header`, value)
  }

  /** A field of a form, a parameter of an address, or a member of a JSON body. */
  field(name: string, value: string): string {
    if (!isSecretField(name) || value === '') return value
    for (const one of namesIn(value)) this.#credentials.add(one)
    if (hasReference(value)) return value
    return this.hidden(name, `field ${name}`, value)
  }

  /** The variables that occur in the request. */
  used(url: string, others: readonly unknown[]): ReadonlyMap<string, CurlVariable> {
    const elsewhere = new Set(others.flatMap(one => namesIn(JSON.stringify(one) ?? '')))
    const names = new Set([...namesIn(url), ...elsewhere])
    return new Map(
      [...names].map(name => {
        const known = this.#known.get(name) ?? { what: `variable ${name}`, value: undefined }
        const isNamedSecret = secretHeader.test(name) || isSecretField(name)
        const isHidden = known.value !== undefined || this.#credentials.has(name)
        const isSecret = elsewhere.has(name) || isHidden || isNamedSecret
        return [name, { ...known, isSecret }]
      }),
    )
  }
}

/** The value to send; `undefined` if the environment lacks a part of it. */
export function curlValue(
  name: string,
  { value }: CurlVariable,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (value === undefined) return env[name]
  if (namesIn(value.text).some(one => env[one] === undefined)) return undefined
  const text = withReferences(value.text, one => env[one] ?? '')
  return value.isLogin ? `Basic ${base64(text)}` : text
}

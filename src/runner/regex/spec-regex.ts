/**
 * Matches the patterns of specs, in linear time where possible and in a worker thread otherwise.
 */
import { invalidPattern, translatePattern } from '../../kernel/spec/lang/pattern.ts'
import type { Regex } from '../../kernel/spec/lang/regex.ts'
import { budgetExceeded, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import { BoundedRegex } from './bounded-regex.ts'
import { type LinearPattern, linearPattern } from './linear-regex.ts'

/** Characters times program size. Beyond this, the linear engine is too slow as well. */
const linearCostMax = 1_000_000
/** Size of the cache of compiled patterns. */
const keptMax = 1024

interface Ready {
  readonly linear: LinearPattern | undefined
  readonly native: { readonly source: string; readonly flags: string } | undefined
}

export class SpecRegex implements Regex {
  readonly #kept = new Map<string, Ready | SpecError>()
  readonly #bounded = new BoundedRegex()

  test(pattern: string, text: string, limitMs: number): boolean | SpecError {
    const ready = this.#ready(pattern)
    if ('category' in ready) return ready
    const { linear, native } = ready
    const quick = linear !== undefined && linear.size * text.length <= linearCostMax
    if (linear !== undefined && (quick || native === undefined)) return linear.test(text)
    if (native === undefined) return invalidPattern(pattern, 'no engine supports it')
    const answer = this.#bounded.test(native.source, native.flags, text, limitMs)
    if (answer === 'too late') {
      const { category, message, hint } = budgetExceeded('timeout')
      return { category, message, ...(hint !== undefined && { hint }) }
    }
    return answer === 'too large' ? invalidPattern(pattern, 'it is too large') : answer === 'yes'
  }

  /** Ends the thread, if one was started. */
  close(): void {
    this.#bounded.close()
  }

  #ready(pattern: string): Ready | SpecError {
    const known = this.#kept.get(pattern)
    if (known !== undefined) return known
    if (this.#kept.size >= keptMax) this.#kept.clear()
    const made = prepare(pattern)
    this.#kept.set(pattern, made)
    return made
  }
}

function prepare(pattern: string): Ready | SpecError {
  const translated = translatePattern(pattern)
  if ('category' in translated) return translated
  const { linear, native } = translated
  const ready: Ready = {
    linear: linear === undefined ? undefined : linearPattern(linear),
    native,
  }
  const why = native === undefined ? undefined : nativeComplaint(native)
  if (why === undefined) return ready
  return ready.linear === undefined ? invalidPattern(pattern, why) : { ...ready, native: undefined }
}

/** The syntax error JavaScript reports for a pattern. It parses the pattern only. */
function nativeComplaint({ source, flags }: { source: string; flags: string }): string | undefined {
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    return String(error).replace(/^.*: /s, '').toLowerCase()
  }
}

/** Replaces the volatile parts of a case's texts, as its masks say. */
import { isSubjectError, type Subject } from '../kernel/spec/assert/subject.ts'
import { type Mask, masksOf, withMask } from '../kernel/spec/case/masks.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import type { ExecutionContext } from './execution-context.ts'

export class Masking {
  readonly #value: ReadonlyMap<string, SpecValue>
  readonly #context: ExecutionContext

  /** `value` is the case with its templates filled. */
  constructor(value: ReadonlyMap<string, SpecValue>, context: ExecutionContext) {
    this.#value = value
    this.#context = context
  }

  /** Finds a mask that cannot be applied, before anything runs. */
  check(): SpecError | undefined {
    const result = this.#replaced('')
    return typeof result === 'string' ? undefined : result
  }

  /** Values that are not text stay as they are. */
  masked(subject: Subject): Subject {
    if (isSubjectError(subject) || typeof subject.value !== 'string') return subject
    const value = this.#replaced(subject.value)
    return typeof value === 'string' ? { value } : value
  }

  #replaced(text: string): string | SpecError {
    let masked = text
    for (const mask of this.#masks()) {
      const next = this.#withMask(masked, mask)
      if (typeof next !== 'string') return next
      masked = next
    }
    return masked
  }

  /** Read when needed, because the case makes its temporary folder while it runs. */
  #masks(): readonly Mask[] {
    const { document, temporaryFolder } = this.#context
    return masksOf(this.#value, () => ({ root: document.root, temp: temporaryFolder.path }))
  }

  #withMask(text: string, mask: Mask): string | SpecError {
    if ('known' in mask) return withMask(text, mask)
    const next = this.#context.run.regex.replaceAll(mask.pattern, text, mask.as)
    return typeof next === 'string' ? next : { ...next, path: mask.path }
  }
}

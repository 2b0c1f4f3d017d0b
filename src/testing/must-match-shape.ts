import { expect } from 'vitest'
import { flawIn } from '../kernel/artifact/flaw.ts'
import type { Shape, ValueOf } from '../wire/shape.ts'

/** The value with the type of its shape; a flaw fails the test. */
export function mustMatchShape<const S extends Shape>(shape: S, value: unknown): ValueOf<S> {
  expect(String(flawIn(shape, value) ?? '')).toBe('')
  return value as never
}

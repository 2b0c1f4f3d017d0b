/** The waiting time before a retry. A policy names one of these classes. */
import type { BackoffClass } from '../../../wire/policy/retry-policy.ts'

interface Backoff {
  readonly firstMs: number
  readonly factor: number
}

const backoffs: Readonly<Record<BackoffClass, Backoff>> = {
  none: { firstMs: 0, factor: 1 },
  fixed_short: { firstMs: 1_000, factor: 1 },
  exponential_short: { firstMs: 1_000, factor: 2 },
}

/** A worker that sleeps longer than this looks as if it crashed. */
export const backoffMsMax = 60_000

/** The wait after an attempt. The first attempt is 1. */
export function backoffMs(backoffClass: BackoffClass, attempt: number): number {
  const { firstMs, factor } = backoffs[backoffClass]
  return Math.min(firstMs * factor ** (attempt - 1), backoffMsMax)
}

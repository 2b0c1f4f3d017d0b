/** How long to wait before the next attempt. Classes are data: a policy names one. */
import type { BackoffClass } from '../../../wire/policy/retry-words.ts'

interface Backoff {
  readonly firstMs: number
  /** What each further wait is multiplied by. */
  readonly factor: number
}

const backoffs: Readonly<Record<BackoffClass, Backoff>> = {
  none: { firstMs: 0, factor: 1 },
  fixed_short: { firstMs: 1_000, factor: 1 },
  exponential_short: { firstMs: 1_000, factor: 2 },
}

/** A worker that sleeps longer than this looks like one that died. */
export const backoffMsMax = 60_000

/** The wait after the attempt of that number, counted from 1. */
export function backoffMs(backoffClass: BackoffClass, attempt: number): number {
  const { firstMs, factor } = backoffs[backoffClass]
  return Math.min(firstMs * factor ** (attempt - 1), backoffMsMax)
}

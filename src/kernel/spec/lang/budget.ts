/** How much one expression may use. Each limit ends it with a runtime error, whatever it does. */
import { numberOf } from './float.ts'
import type { SpecError } from './spec-error.ts'
import type { SpecValue } from './value.ts'

export interface Budget {
  /** Forms evaluated, and work inside builtins: some hundred nanoseconds each. */
  readonly maxSteps: number
  /** Nodes of the expression as written. */
  readonly maxNodes: number
  /** Bytes of all text in the expression as written. */
  readonly maxLiteralBytes: number
  /** Milliseconds; 0 for no limit. */
  readonly timeoutMs: number
  /** Calls within calls that are not tail calls. */
  readonly maxDepth: number
  /** List items and characters that builtins make, all together. */
  readonly maxSize: number
}

interface Limit {
  readonly field: keyof Budget
  readonly usual: number
  readonly least: number
  readonly most?: number
}

/**
 * What `max_size` may be at most. A list of so many items takes 270 MB, and what is made of it as
 * much again; so many characters are far from the longest text there can be. Neither ends the run.
 */
export const sizeCeiling = 33_554_432

/** What `max_depth` may be at most: a call that waits takes some hundred bytes. */
export const depthCeiling = 1_000_000

/** Each limit under the name it has in `harness.spec_lang`. */
const limits = {
  max_steps: { field: 'maxSteps', usual: 20_000, least: 1 },
  max_nodes: { field: 'maxNodes', usual: 20_000, least: 1 },
  max_literal_bytes: { field: 'maxLiteralBytes', usual: 262_144, least: 1 },
  timeout_ms: { field: 'timeoutMs', usual: 200, least: 0 },
  max_depth: { field: 'maxDepth', usual: 10_000, least: 1, most: depthCeiling },
  max_size: { field: 'maxSize', usual: 16_777_216, least: 1, most: sizeCeiling },
} as const satisfies Record<string, Limit>

/** The keys of `harness.spec_lang` that are budgets. */
export const budgetKeys: readonly string[] = Object.keys(limits)

export const defaultBudget: Budget = {
  maxSteps: limits.max_steps.usual,
  maxNodes: limits.max_nodes.usual,
  maxLiteralBytes: limits.max_literal_bytes.usual,
  timeoutMs: limits.timeout_ms.usual,
  maxDepth: limits.max_depth.usual,
  maxSize: limits.max_size.usual,
}

/** Reads the limits of `harness.spec_lang`; other keys there are not its business. */
export function readBudget(
  config: ReadonlyMap<string, SpecValue>,
  path = 'harness.spec_lang',
): Budget | SpecError[] {
  const errors: SpecError[] = []
  const budget: Record<keyof Budget, number> = { ...defaultBudget }
  for (const [key, { field, least, most }] of Object.entries<Limit>(limits)) {
    const value = config.get(key)
    if (value === undefined) continue
    const limit = numberOf(value)
    const fits = limit !== undefined && Number.isSafeInteger(limit) && limit >= least
    if (fits && limit <= (most ?? limit)) budget[field] = limit
    else {
      const upTo = most === undefined ? '' : ` and at most ${most}`
      const message = `${path}.${key} must be an integer of at least ${least}${upTo}`
      errors.push({ category: 'schema', message, path: `${path}.${key}` })
    }
  }
  return errors.length > 0 ? errors : budget
}

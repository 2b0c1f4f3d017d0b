/** Limits of one expression. Exceeding one ends it with a runtime error. */
import { numberOf } from './float.ts'
import type { SpecError } from './spec-error.ts'
import type { SpecValue } from './value.ts'

export interface Budget {
  /** Evaluated forms and work inside builtins, about a hundred nanoseconds each. */
  readonly maxSteps: number
  /** Nodes in the source of the expression. */
  readonly maxNodes: number
  /** Bytes of all text in the source. */
  readonly maxLiteralBytes: number
  /** Milliseconds; 0 for the upper bound. */
  readonly timeoutMs: number
  /** Depth of calls that are not tail calls. */
  readonly maxDepth: number
  /** Total of list items and characters made by builtins. */
  readonly maxSize: number
}

interface Limit {
  readonly field: keyof Budget
  readonly usual: number
  readonly least: number
  readonly most?: number
}

/**
 * Upper bound of `max_size`. A list of this many items takes 270 MB, and a copy as much again.
 * Neither ends the process.
 */
export const sizeCeiling = 33_554_432

/** Upper bound of `max_depth`: a waiting call takes some hundred bytes. */
export const depthCeiling = 1_000_000

/** Upper bound of `timeout_ms`. It also ends an expression whose other limits are huge. */
export const expressionMsCeiling = 60_000

/** Limits by their key in `harness.spec_lang`. */
const limits = {
  max_steps: { field: 'maxSteps', usual: 20_000, least: 1 },
  max_nodes: { field: 'maxNodes', usual: 20_000, least: 1 },
  max_literal_bytes: { field: 'maxLiteralBytes', usual: 262_144, least: 1 },
  timeout_ms: { field: 'timeoutMs', usual: 200, least: 0, most: expressionMsCeiling },
  max_depth: { field: 'maxDepth', usual: 10_000, least: 1, most: depthCeiling },
  max_size: { field: 'maxSize', usual: 16_777_216, least: 1, most: sizeCeiling },
} as const satisfies Record<string, Limit>

export const defaultBudget: Budget = {
  maxSteps: limits.max_steps.usual,
  maxNodes: limits.max_nodes.usual,
  maxLiteralBytes: limits.max_literal_bytes.usual,
  timeoutMs: limits.timeout_ms.usual,
  maxDepth: limits.max_depth.usual,
  maxSize: limits.max_size.usual,
}

/** Reads the limits of `harness.spec_lang` and ignores other keys. */
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

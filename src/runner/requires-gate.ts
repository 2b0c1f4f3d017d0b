/** Decides the outcome of a case that requires capabilities this runner lacks. */
import { checkValue } from '../kernel/spec/case/check-shape.ts'
import { commonKeys } from '../kernel/spec/case/common-keys.ts'
import { missingCapabilities, requiresOf } from '../kernel/spec/case/requires.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { type CaseOutcome, nothingExported } from './case-outcome.ts'

export interface Offer {
  /** The implementation's name, for messages. */
  readonly implementation: string
  readonly capabilities: ReadonlySet<string>
}

/**
 * Returns `undefined` if the case can run. Checked first, because the case may have a type that only
 * other runners know. The shape check reports malformed requirements.
 */
export function unmetRequirement(raw: RawCase, offer: Offer): CaseOutcome | undefined {
  const written = raw.value.get('requires')
  const shape = commonKeys['requires']?.is ?? 'any'
  if (written === undefined || checkValue(written, shape, 'requires').length > 0) return undefined
  const requires = requiresOf(raw)
  const missing = missingCapabilities(requires, offer.capabilities)
  if (missing.length === 0) return undefined
  if (requires.whenMissing === 'skip') return { status: 'skip', ...nothingDone }
  const message = `${offer.implementation} lacks required capabilities: ${missing.join(', ')}`
  const failure = { category: 'runtime', message, path: 'requires.capabilities' } as const
  return { status: 'fail', failure, ...nothingDone }
}

const nothingDone = {
  evaluated: 0,
  warnings: [],
  trace: [],
  durationMs: 0,
  exported: nothingExported,
}

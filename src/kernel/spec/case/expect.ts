/** Reads the expected outcome of a case. */
import type { RawCase } from '../document/raw-case.ts'
import type { SpecValue } from '../lang/value.ts'
import { mappingIn, textsIn } from './requires.ts'

export interface ExpectedOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly category: 'schema' | 'assertion' | 'runtime' | null
  readonly messageTokens: readonly string[]
}

/** The case must have a valid shape. `undefined` if it has no `expect`. */
export function expectedOutcome(
  { value }: Pick<RawCase, 'value'>,
  implementation: string,
): ExpectedOutcome | undefined {
  const expect = mappingIn(value, 'expect')
  if (expect.size === 0) return undefined
  const portable = expect.has('portable') ? mappingIn(expect, 'portable') : expect
  const overlay = new Map([
    ...mappingIn(mappingIn(expect, 'impl'), implementation),
    ...overrides(expect, implementation),
  ])
  const of = (key: string) => (overlay.has(key) ? overlay : portable)
  return {
    status: (of('status').get('status') ?? 'pass') as ExpectedOutcome['status'],
    category: (of('category').get('category') ?? null) as ExpectedOutcome['category'],
    messageTokens: textsIn(of('message_tokens'), 'message_tokens'),
  }
}

/** True if every implementation, or this one, is expected to fail. */
export const isMeantToFail = (raw: Pick<RawCase, 'value'>, implementation: string): boolean =>
  ['', implementation].some(one => expectedOutcome(raw, one)?.status === 'fail')

/** A later entry for the same runner overrides an earlier one, key by key. */
function overrides(expect: ReadonlyMap<string, SpecValue>, implementation: string) {
  const entries = expect.get('overrides')
  if (!Array.isArray(entries)) return []
  return (entries as readonly SpecValue[])
    .filter(entry => entry instanceof Map)
    .filter(entry => entry.get('runner') === implementation)
    .flatMap(entry => [...entry])
}

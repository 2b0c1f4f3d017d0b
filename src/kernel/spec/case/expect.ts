/** How a run of a case must end, as the case itself says. */
import type { RawCase } from '../document/raw-case.ts'
import type { SpecValue } from '../lang/value.ts'
import { mappingIn, textsIn } from './requires.ts'

export interface ExpectedOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly category: 'schema' | 'assertion' | 'runtime' | null
  readonly messageTokens: readonly string[]
}

/** Of a case whose shape is right; `undefined` where it expects nothing. */
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

/** For everybody, or for this implementation. */
export const isMeantToFail = (raw: Pick<RawCase, 'value'>, implementation: string): boolean =>
  ['', implementation].some(one => expectedOutcome(raw, one)?.status === 'fail')

/** Of several entries for one runner a later one wins, key by key. */
function overrides(expect: ReadonlyMap<string, SpecValue>, implementation: string) {
  const entries = expect.get('overrides')
  if (!Array.isArray(entries)) return []
  return (entries as readonly SpecValue[])
    .filter(entry => entry instanceof Map)
    .filter(entry => entry.get('runner') === implementation)
    .flatMap(entry => [...entry])
}

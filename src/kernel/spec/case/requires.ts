/** The capabilities a case requires of its runner. */
import type { RawCase } from '../document/raw-case.ts'
import type { SpecValue } from '../lang/value.ts'

interface Requires {
  readonly capabilities: readonly string[]
  readonly whenMissing: 'fail' | 'skip'
}

/** The case must have a valid shape. */
export function requiresOf({ value }: Pick<RawCase, 'value'>): Requires {
  const requires = mappingIn(value, 'requires')
  const capabilities = textsIn(requires, 'capabilities').map(one => one.trim())
  return {
    capabilities: capabilities.filter(Boolean),
    whenMissing: requires.get('when_missing') === 'skip' ? 'skip' : 'fail',
  }
}

/** Names of required capabilities that the runner lacks. */
export function missingCapabilities(
  { capabilities }: Requires,
  offered: ReadonlySet<string>,
): readonly string[] {
  return [...new Set(capabilities)].filter(one => !offered.has(one)).sort()
}

type Mapping = ReadonlyMap<string, SpecValue>

export function mappingIn(value: Mapping, key: string): Mapping {
  const found = value.get(key)
  return found instanceof Map ? found : new Map()
}

export function textsIn(value: Mapping, key: string): readonly string[] {
  const found = value.get(key)
  return Array.isArray(found) ? found.filter(one => typeof one === 'string') : []
}

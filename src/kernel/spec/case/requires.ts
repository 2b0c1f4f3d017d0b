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

const nothing: Mapping = new Map()

export function mappingIn(value: Mapping, key: string): Mapping {
  const found = value.get(key)
  return found instanceof Map ? found : nothing
}

export function textsIn(value: Mapping, key: string): readonly string[] {
  const found = value.get(key)
  return Array.isArray(found) ? found.filter(one => typeof one === 'string') : []
}

/** The name of this implementation in `expect.impl` and `expect.overrides`. */
export const ownImplementation = 'ts'

/** Capabilities every implementation declares. */
export const declaredCapabilities: readonly string[] = [
  'text.file',
  'cli.run',
  'api.http',
  'assert.op.contain',
  'assert.op.regex',
  'assert.op.evaluate',
  'assert.group.must',
  'assert.group.can',
  'assert.group.cannot',
  'assert_health.ah001',
  'assert_health.ah002',
  'assert_health.ah003',
  'assert_health.ah004',
  'assert_health.ah005',
  'evaluate.spec_lang.v1',
  'requires.capabilities',
]

/**
 * Builtins as curried values. Cases expect them of implementations that declare them, so a runner
 * that conforms under another name must opt in.
 */
export const ramdaCapabilities: readonly string[] = [
  'evaluate.spec_lang.ramda.v1',
  'evaluate.spec_lang.ramda.v2',
]

/** What this runner can do, by the names that cases require it under. One list, for every command. */

/** What every implementation is asked about. */
export const declaredCapabilities: readonly string[] = [
  'text.file',
  'cli.run',
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
 * Builtins as values that curry. Cases judge the implementations that have them by an expectation
 * of their own, so whoever conforms under another name has to ask for these.
 */
export const ramdaCapabilities: readonly string[] = [
  'evaluate.spec_lang.ramda.v1',
  'evaluate.spec_lang.ramda.v2',
]

/** The capabilities of this runner, by the names cases require them under. */

/** Capabilities every implementation declares. */
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
 * Builtins as curried values. Cases expect them of implementations that declare them, so a runner
 * that conforms under another name must opt in.
 */
export const ramdaCapabilities: readonly string[] = [
  'evaluate.spec_lang.ramda.v1',
  'evaluate.spec_lang.ramda.v2',
]

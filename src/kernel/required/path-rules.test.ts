import { expect, test } from 'vitest'
import { earlierRules } from '../../../test/required-rules.ts'
import type { Json, JsonObject } from '../json.ts'
import { readPathRules } from './path-rules.ts'

const rules: JsonObject = { ...earlierRules } as never

test.each<[string, Json]>([
  ['it must be an object', []],
  ['schema is 2, written by a newer premath; this one reads 1', { ...rules, schema: 2 }],
  ['it knows no "baselines"; did you mean baseline?', { ...rules, baselines: [] }],
  ['order has build twice', { ...rules, order: ['baseline', 'build', 'build'] }],
  [
    'baseline names the unknown check "biuld"; did you mean build?',
    { ...rules, baseline: ['biuld'] },
  ],
  [
    'checks["test"].after names the unknown check "nothing"; order lists every check',
    { ...rules, checks: { test: { after: ['nothing'] } } },
  ],
  [
    'checks wait for each other in a cycle: build -> test -> test-toy -> build',
    {
      ...rules,
      checks: {
        build: { after: ['test'] },
        test: { after: ['test-toy'] },
        'test-toy': { after: ['build'] },
      },
    },
  ],
  [
    'checks wait for each other in a cycle: build -> build',
    { ...rules, checks: { build: { after: ['build'] } } },
  ],
  [
    'rules[0].paths has "../x"; write patterns from the project folder, such as src/**',
    { ...rules, rules: [{ reason: 'a', paths: ['../x'], checks: ['build'] }] },
  ],
  [
    'docs.paths has "docs/"; write patterns from the project folder, such as src/**',
    { ...rules, docs: { paths: ['docs/'] } },
  ],
  ['order[0] must match ^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$', { ...rules, order: ['../build'] }],
])('%s [required.4.rules-file]', (flaw, document) => {
  expect(readPathRules(document)).toBe(flaw)
})

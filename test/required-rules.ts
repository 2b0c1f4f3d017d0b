/** The path table of the earlier implementation, as rules of a project. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseJson } from '../src/kernel/json.ts'
import { readPathRules } from '../src/kernel/required/path-rules.ts'
import type { RequiredChecks } from '../src/wire/required/required-checks.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const earlierRulesText = readFileSync('test/golden/required-rules.json', 'utf8')

export const earlierRules = ((): RequiredChecks => {
  const rules = readPathRules(parseJson(earlierRulesText))
  if (typeof rules === 'string') throw new Error(rules)
  return rules
})()

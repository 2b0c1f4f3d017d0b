import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refuse } from './issue-refusal.ts'
import { refusalClasses } from './refusal-classes.ts'

/** The classes that occur in calls of `refuse` in the source. */
function usedClasses(): ReadonlySet<string> {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(file => readFileSync(`src/${file}`, 'utf8'))
  const calls = sources.flatMap(source => [...source.matchAll(/\brefuse\(\s*'([\w.]+)'\s*,/g)])
  return new Set(calls.map(([, name = '']) => name))
}

test('every class is used in the source', () => {
  const used = usedClasses()
  expect(Object.keys(refusalClasses).filter(name => !used.has(name))).toEqual([])
})

test('the compiler refuses an unknown class', () => {
  // @ts-expect-error: the class is not listed.
  expect(refuse('lease_nobody_listed', '', '').failureClass).toBe('lease_nobody_listed')
})

test('classes are listed by name, each with a meaning in one sentence', () => {
  const names = Object.keys(refusalClasses)
  expect(names).toEqual(names.toSorted())
  for (const { means } of Object.values(refusalClasses)) expect(means).toMatch(/^[A-Z].*\.$/)
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodeOf, finding, proofClasses } from './proof-classes.ts'

test('every class is used in the source', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/\.test\.ts$|proof-classes/.test(file))
    .map(file => readFileSync(`src/${file}`, 'utf8'))
  const unused = Object.keys(proofClasses).filter(
    name => !sources.some(source => source.includes(`'${name}'`)),
  )
  expect(unused).toEqual([])
})

test('classes are listed by name, each with a meaning in one sentence', () => {
  const names = Object.keys(proofClasses)
  expect(names).toEqual(names.toSorted())
  for (const { means } of Object.values(proofClasses)) expect(means).toMatch(/^[A-Z].*\.$/)
})

test('the worst finding decides', () => {
  const no = finding('proof_stray', 'x', 'y')
  const broken = finding('witness_changed', 'x', 'y')
  expect([[], [no], [broken, no]].map(exitCodeOf)).toEqual([0, 1, 5])
})

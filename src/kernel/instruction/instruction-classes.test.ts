import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { instructionClasses } from './instruction-classes.ts'

const own = 'kernel/instruction/instruction-classes.ts'

test('every class is used in the source', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== own)
    .map(file => readFileSync(`src/${file}`, 'utf8'))
  const unsaid = Object.keys(instructionClasses).filter(
    name => !sources.some(source => source.includes(`'${name}'`)),
  )
  expect(unsaid).toEqual([])
})

test('every class has a test that shows it', () => {
  const tests = [
    ...readdirSync('src', { recursive: true, encoding: 'utf8' }).map(file => `src/${file}`),
    ...readdirSync('test').map(file => `test/${file}`),
  ]
    .filter(file => file.endsWith('.test.ts'))
    .map(file => readFileSync(file, 'utf8'))
  const unshown = Object.keys(instructionClasses).filter(
    name => !tests.some(source => source.includes(`'${name}'`)),
  )
  expect(unshown).toEqual([])
})

test('classes are listed by name, each with a meaning and a remedy', () => {
  const names = Object.keys(instructionClasses)
  expect(names).toEqual(names.toSorted())
  for (const { means, remedy } of Object.values(instructionClasses)) {
    expect(`${means} ${remedy}`).toMatch(/\.$/)
    expect(means).toMatch(/^[A-Za-z].*\.$/)
  }
})

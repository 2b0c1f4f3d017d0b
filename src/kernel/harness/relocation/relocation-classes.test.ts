import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rules } from '../../turn/rules/index.ts'
import { isGateClass } from '../retry/gate-class.ts'
import { relocationClasses } from './relocation-classes.ts'

const names = Object.keys(relocationClasses)

test('every class is used in the source', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/\.test\.ts$|relocation-classes/.test(file))
    .map(file => readFileSync(`src/${file}`, 'utf8'))
  expect(names.filter(name => !sources.some(source => source.includes(`'${name}'`)))).toEqual([])
})

test('every class is shown by a test that breaks a real chain', () => {
  const shown = readFileSync('test/relocation.test.ts', 'utf8')
  expect(names.filter(name => !shown.includes(`'${name}'`))).toEqual([])
})

test('every class is a gate class, and none is a class of a turn', () => {
  expect(names.filter(name => !isGateClass(name) || Object.hasOwn(rules, name))).toEqual([])
})

test('classes are listed by name, each with a meaning and a remedy in sentences', () => {
  expect(names).toEqual(names.toSorted())
  for (const { means, remedy } of Object.values(relocationClasses)) {
    expect([means, remedy]).toEqual([
      expect.stringMatching(/^[A-Z].*\.$/),
      expect.stringMatching(/^[A-Z].*\.$/),
    ])
  }
})

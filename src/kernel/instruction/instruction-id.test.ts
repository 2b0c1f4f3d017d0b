import { expect, test } from 'vitest'
import { instructionIdOf, isInstructionId } from './instruction-id.ts'

test('an instruction is named by the stem of its file', () => {
  expect(instructionIdOf('a/b/20260221T000000Z-fix.json')).toBe('20260221T000000Z-fix')
})

test.each([
  ['20260221T000000Z-fix.yaml'],
  ['fix.json'],
  ['.json'],
  ['..-x.json'],
  ['-x.json'],
  ['a-\u0000.json'],
  ['a-\u202e.json'],
  ['a-\\..\\x.json'],
  ['a -b.json'],
  ['a-ü.json'],
  [`a-${'x'.repeat(200)}.json`],
  ['governance-promotion.json'],
  ['latest-required.json'],
])('%j names none', name => {
  expect(instructionIdOf(`instructions/${name}`)).toMatchObject({
    failureClass: 'instruction_filename_invalid',
  })
})

test.each(['../a-b', 'a/b-c', '..', '', '.a-b', 'join/a-b'])('%j is no id', id => {
  expect(isInstructionId(id)).toBe(false)
})

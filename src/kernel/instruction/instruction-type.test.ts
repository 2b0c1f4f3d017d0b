import { expect, test } from 'vitest'
import { classifyInstruction } from './instruction-type.ts'

test.each([
  [['hk-pre-commit'], 'ci.gate.pre_commit'],
  [['hk-pre-push'], 'ci.gate.pre_push'],
  [['hk-check'], 'ci.gate.check'],
  [['hk-pre-commit', 'hk-pre-push'], 'ci.gate.check'],
])('checks %j are %s', (checks, kind) => {
  expect(classifyInstruction(undefined, checks)).toEqual({ state: 'typed', kind })
})

import { expect, test } from 'vitest'
import { printMark, stepAt } from './step-mark.ts'

const text = printMark({ stepId: 's', root: '/p', worktree: '/w' })

test.each([
  ['/p', {}, 's'],
  ['/p/sub', {}, 's'],
  ['/w', {}, 's'],
  ['/tmp/other', {}, undefined],
  ['/tmp/other', { PREMATH_ROOT: '/p' }, 's'],
  ['/tmp/other', { PREMATH_ROOT: '/tmp/other' }, undefined],
])('in %s with %j the step is %s', (cwd, env, step) => {
  expect(stepAt(text, { cwd, env })).toBe(step)
})

test('a mark that cannot be read counts for every folder', () => {
  expect(stepAt('?', { cwd: '/x', env: {} })).toBe('step')
})

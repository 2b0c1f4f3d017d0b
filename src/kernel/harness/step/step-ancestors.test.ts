import { expect, test } from 'vitest'
import { stepOfAncestors } from './step-ancestors.ts'

const line = (stepId: string, id: number, startedAt: string) =>
  `\n${JSON.stringify({ stepId, group: { id, startedAt, mark: 'm' } })}\n`
const own = { id: 7, startedAt: 'boot/pid/100' }

test.each([
  ['the process of a step', [line('s', 7, 'boot/pid/100')], 's'],
  ['the process of an earlier command', [`${line('s', 7, 'boot/pid/100')}{"stepId":"s"}\n`], 's'],
  ['another process with its number', [line('s', 7, 'boot/pid/99')], undefined],
  ['another process of its time', [line('s', 8, 'boot/pid/100')], undefined],
  ['a line that was cut', [line('s', 7, 'boot/pid/100').slice(0, -8)], undefined],
  ['a process without a start time', [line('s', 7, '')], undefined],
])('%s', (_, journals, step) => {
  const ancestors = [{ id: 9, startedAt: 'boot/pid/300' }, own, { id: 3, startedAt: '' }]
  expect(stepOfAncestors(journals, ancestors)).toBe(step)
})

import { expect, test } from 'vitest'
import { StepIds } from './step-ids.ts'

const idsOf = (...given: readonly string[]) => {
  const ids = new StepIds()
  for (const id of given) ids.add(id)
  return ids.suspects()
}

test('an id that stands twice is a suspect, and others are not [tusk.14.coherence-check]', () => {
  expect(idsOf()).toBeUndefined()
  expect(idsOf('w.1', 'w.2', 'w.10')).toBeUndefined()
  const isSuspect = idsOf('w.1', 'w.2', 'w.3', 'w.2')
  expect(['w.1', 'w.2', 'w.3', 'w.4'].map(id => isSuspect?.(id))).toEqual([
    false,
    true,
    false,
    false,
  ])
})

test('a hundred thousand ids of workers are told apart', () => {
  const ids = new StepIds()
  for (let n = 0; n < 100_000; n++) ids.add(`worker.${n % 7}.bd-${n % 1000}.1.${n}`)
  expect(ids.suspects()).toBeUndefined()
  ids.add('worker.0.bd-0.1.0')
  expect(ids.suspects()?.('worker.0.bd-0.1.0')).toBe(true)
})

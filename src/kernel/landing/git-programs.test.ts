import { expect, test } from 'vitest'
import { programsIn, programsOff, refusedFilters } from './git-programs.ts'

const lfs = [
  'filter.lfs.clean\ngit-lfs clean -- %f',
  'filter.lfs.smudge\ngit-lfs smudge -- %f',
  'filter.lfs.process\ngit-lfs filter-process',
  'filter.lfs.required\ntrue',
]
const listed = (...entries: readonly string[]) =>
  programsIn(entries.map(one => `${one}\0`).join(''))
const keysOff = (programs: ReturnType<typeof programsIn>, allowsLfs: boolean) =>
  programsOff(programs, { allowsLfs }).map(([key]) => key)

test('no program is off if none is named', () => {
  expect(programsOff(programsIn(''), { allowsLfs: false })).toEqual([])
})

test('a filter is off in all its settings, also one without a value', () => {
  expect(programsOff(listed('filter.a.b=c.clean'), { allowsLfs: true })).toEqual([
    ['filter.a.b=c.clean', ''],
    ['filter.a.b=c.smudge', ''],
    ['filter.a.b=c.process', ''],
    ['filter.a.b=c.required', 'false'],
  ])
})

test('a merge driver becomes a text merge', () => {
  const [[key, value] = []] = programsOff(listed('merge.ours.driver\ntrue'), { allowsLfs: true })
  expect([key, value]).toEqual(['merge.ours.driver', expect.stringMatching(/^git merge-file /)])
})

test('lfs is off for a read, and allowed for a checkout', () => {
  expect(keysOff(listed(...lfs), false)).toContain('filter.lfs.process')
  expect(keysOff(listed(...lfs), true)).toEqual([])
  expect([...refusedFilters(listed(...lfs))]).toEqual([])
})

test.each([
  'filter.lfs.clean\n./git-lfs clean -- %f',
  'filter.lfs.smudge\ngit-lfs smudge -- %f; evil',
  'filter.lfs.process\ngit lfs filter-process',
  'filter.other.clean\ngit-lfs clean -- %f',
])('%j is not git-lfs', setting => {
  const programs = listed(...lfs, setting)
  expect(keysOff(programs, true)).not.toEqual([])
  expect(refusedFilters(programs).size).toBe(1)
})

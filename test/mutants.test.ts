/** Every requirement has a mutant that breaks it. `npm run mutants` applies each and runs its tests. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutants } from './mutants/all.ts'
import { requirements } from './requirements.ts'

const rows = Object.entries(mutants).flatMap(([id, given]) =>
  [given].flat().map(mutant => ({ id, ...mutant })),
)
const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

test('every requirement has a mutant, and every mutant has its requirement', () => {
  expect(Object.keys(requirements).filter(id => [mutants[id] ?? []].flat().length === 0)).toEqual(
    [],
  )
  expect(Object.keys(mutants).filter(id => !Object.hasOwn(requirements, id))).toEqual([])
})

test('the text that a mutant replaces is exactly once in its file', () => {
  const gone = rows.filter(({ file, find }) => read(file).split(find).length !== 2)
  expect(gone.map(({ id, file, find }) => `${id}: ${file}: ${find}`)).toEqual([])
})

test('a mutant changes that text', () => {
  expect(rows.filter(({ find, replace }) => find === replace)).toEqual([])
})

test('the test of a mutant cites its requirement', () => {
  const uncited = rows.filter(row => !read(row.test).includes(`[${row.id}]`))
  expect(uncited.map(({ id, test: path }) => `${id}: ${path}`)).toEqual([])
})

import { expect, test } from 'vitest'
import { isMemberChanged } from './protected-member.ts'

const text = (scripts: object, more = {}) => JSON.stringify({ ...more, scripts })
const before = text({ test: 'vitest', build: 'tsc' })

test.each([
  ['another order, and another member', before, text({ build: 'tsc', test: 'vitest' }, { a: 1 })],
  ['a new file without it', '', '{}'],
])('the member of a JSON file stays: %s', (_, old, now) => {
  expect(isMemberChanged({ path: 'package.json', before: old, after: now }, 'scripts')).toBe(false)
})

test.each([
  ['another value', before, text({ test: 'true' })],
  ['the file is gone', before, ''],
  ['the file is new', '', text({ test: 'true' })],
  ['no JSON', 'not JSON', 'not JSON'],
])('the member of a JSON file changes: %s', (_, old, now) => {
  expect(isMemberChanged({ path: 'package.json', before: old, after: now }, 'scripts')).toBe(true)
})

const toml = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n'

test.each([
  ['a dependency', toml.replace('name = "a"', 'name = "a"\ndependencies = ["b"]')],
  ['the form of the table', '[project]\nname="a"\n[tool]\npytest={ini_options={addopts="-q"}}\n'],
])('the member of a TOML file stays: %s', (_, after) => {
  expect(isMemberChanged({ path: 'pyproject.toml', before: toml, after }, 'tool.pytest')).toBe(
    false,
  )
})

test.each([
  ['another value', toml.replace('-q', '--collect-only')],
  ['a table of the same name, escaped', '[tool."\\u0070ytest".ini_options]\naddopts = "-x"\n'],
  ['no TOML', `${toml}=`],
])('the member of a TOML file changes: %s', (_, after) => {
  expect(isMemberChanged({ path: 'pyproject.toml', before: toml, after }, 'tool.pytest')).toBe(true)
})

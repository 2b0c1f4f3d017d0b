/** The manual page that the build makes. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment } from '../src/cli/environment.ts'
import { roff } from '../src/cli/man-page.ts'
import { operations } from '../src/operations/index.ts'
import { everydayCommands, withShortNames } from '../src/operations/short-names.ts'
import './built-command.ts'

const { man, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const page = readFileSync(man, 'utf8')

/** The lines of each section. */
const sections = new Map(
  page
    .split(/^\.SH /m)
    .slice(1)
    .map(section => section.split('\n'))
    .map(([title = '', ...lines]) => [title, lines]),
)
const namesIn = (title: string) =>
  (sections.get(title) ?? []).flatMap((line, at, lines) =>
    lines[at - 1] === '.TP' ? [line.replace(/^\.B /, '').replaceAll('\\-', '-')] : [],
  )

test('has the sections of a manual page, in order', () => {
  expect([...sections.keys()]).toEqual([
    'NAME',
    'SYNOPSIS',
    'DESCRIPTION',
    'EVERYDAY COMMANDS',
    'ALL COMMANDS',
    'EXIT STATUS',
    'FILES',
    'ENVIRONMENT',
    'SEE ALSO',
  ])
  expect(page.split('\n')[0]).toBe(`.TH PREMATH 1 "" "premath ${version}" "User Commands"`)
})

test('names every command with one line', () => {
  const own = ['completion', 'help', 'version']
  const all = [...Object.keys(withShortNames(operations)), ...own]
  const shown = (names: readonly string[]) => names.map(name => `premath ${name}`)
  expect(namesIn('ALL COMMANDS').toSorted()).toEqual(shown(all).toSorted())
  expect(namesIn('EVERYDAY COMMANDS')).toEqual(shown(everydayCommands))
  expect(namesIn('EXIT STATUS')).toEqual(['0', '1', '2', '3', '4', '5'])
  expect(namesIn('FILES')).toEqual(
    expect.arrayContaining(['\\&.premath/issues.jsonl', '\\&.premath/config.json']),
  )
})

/** Not for users: between two processes of premath, in the build, and names in messages. */
const internal = [
  'PREMATH_CHECKOUT',
  'PREMATH_CLOSED_BY',
  'PREMATH_LEAVES_WITNESS',
  'PREMATH_MAIN',
  'PREMATH_NODE',
  'PREMATH_VERSION',
]

test('names every variable of the source, and no other', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(path => /(?<!\.test)\.ts$/.test(path) && path !== 'cli/environment.ts')
    .map(path => readFileSync(join('src', path), 'utf8'))
  const used = new Set(sources.flatMap(text => text.match(/PREMATH_[A-Z_]+[A-Z]/g) ?? []))
  const listed = [...environment.read, ...environment.set].map(({ name }) => name)
  expect([...listed, ...internal].toSorted()).toEqual([...used].toSorted())
  expect(namesIn('ENVIRONMENT')).toEqual(listed)
})

test.each([
  ['.premath', '\\&.premath'],
  ["'tis", "\\&'tis"],
  ['a\\b', 'a\\eb'],
  ['say "hi"', 'say \\(dqhi\\(dq'],
  ['it’s …', 'it\\[u2019]s \\[u2026]'],
])('writes %j as text', (text, written) => {
  expect(roff(text)).toBe(written)
})

const renderers = [
  ['mandoc', '-T', 'lint', '-W', 'warning'],
  ['groff', '-man', '-ww', '-Tutf8', '-z'],
  ['man', '--warnings', '-l'],
] as const
const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined
const found = renderers.find(([program]) => isThere(program))
const skipped = 'is not rendered (skipped: there is no mandoc, groff or man)'

test.skipIf(!found)(found ? `renders without warnings by ${found[0]}` : skipped, () => {
  const [program, ...args] = found ?? renderers[0]
  const { status, stderr, stdout } = spawnSync(program, [...args, man], { encoding: 'utf8' })
  // mandoc prints warnings to stdout, and man the page. A page of no published version has no date.
  if (program !== 'mandoc') expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  else expect(stdout.replace(/^mandoc: .* missing date, .*\n/, '')).toBe('')
})

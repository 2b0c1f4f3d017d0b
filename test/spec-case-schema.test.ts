/** The JSON Schema for editors refuses what the runner refuses for its keys, and nothing else. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { caseSchemaKind } from '../src/kernel/spec/case/case-schema.ts'
import { caseProblems } from '../src/kernel/spec/case/check-case.ts'
import { isError, type RawCase } from '../src/kernel/spec/document/raw-case.ts'
import { readDocument } from '../src/kernel/spec/document/read-document.ts'
import { unlimitedMeter } from '../src/kernel/spec/lang/meter.ts'
import { printText } from '../src/kernel/spec/lang/print-value.ts'
import { publishedSchemas } from '../src/project/published-schemas.ts'
import { caseTypes } from '../src/runner/cases/index.ts'

const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
const validate = ajv.compile(publishedSchemas()[caseSchemaKind] as object)

const jsonOf = ({ value }: RawCase): unknown =>
  JSON.parse(String(printText(value, unlimitedMeter())))

const refusalsOf = (raw: RawCase) =>
  validate(jsonOf(raw))
    ? []
    : (validate.errors ?? []).map(one => `${one.instancePath} ${one.message}`)

/** What a key table says. */
const ofKeys = new Set([
  'case.unknown_key',
  'case.type',
  'case.value',
  'assert.unknown_key',
  'assert.target',
])

const textsIn = (folder: string, named: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => named.test(file))
    .map(file => ({ file: join(folder, file), text: readFileSync(join(folder, file), 'utf8') }))

/** Pages show documents as what a shell writes to a file. */
const writtenIn = ({ file, text }: { readonly file: string; readonly text: string }) =>
  [...text.matchAll(/<<'MD'\n(.*?)\nMD\n/gs)].map(([, written = '']) => ({ file, text: written }))

const documents = [
  ...textsIn('specs', /\.spec\.md$/),
  ...textsIn('vectors', /\.spec\.(?:md|yaml|json)$/),
  ...textsIn('docs', /\.md$/).flatMap(page => [page, ...writtenIn(page)]),
].map(({ file, text }) => readDocument(text, file))
/** A console block becomes a case with commands. Editors check YAML only. */
const isYaml = ({ value }: RawCase) => !value.has('commands')
const cases = documents
  .flatMap(document => document.cases)
  .filter(one => one.problems.length === 0 && isYaml(one))

test('every valid case of the project fits the schema', () => {
  expect(cases.length).toBeGreaterThan(300)
  const wrong = cases.flatMap(raw => {
    const problems = caseProblems(raw, caseTypes).filter(isError)
    const refusals = problems.length > 0 ? [] : refusalsOf(raw)
    return refusals.length === 0 ? [] : [{ place: `${raw.file}:${raw.line}`, refusals }]
  })
  expect(wrong).toEqual([])
})

/** Expressions and data, of which no table knows the keys. */
const isFree = (key: string) =>
  ['evaluate', 'contain', 'definitions', 'hook_kwargs', 'body_json'].includes(key)

interface Spoiled {
  /** The keys that lead to what is wrong. */
  readonly path: string
  readonly value: unknown
}

/** Every copy of a value with one more key, or with a mapping in the place of a scalar. */
function* spoiled(value: unknown, path: string): Generator<Spoiled> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const one of spoiled(item, `${path}[]`)) {
        yield { ...one, value: value.with(at, one.value) }
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    yield { path, value: { ...value, unknown_key: 1 } }
    for (const [key, item] of Object.entries(value)) {
      if (isFree(key)) continue
      for (const one of spoiled(item, `${path}.${key}`)) {
        yield { ...one, value: { ...value, [key]: one.value } }
      }
    }
  } else yield { path: `${path}=${typeof value}`, value: { unexpected: [] } }
}

/** Without the mistakes that a type finds by itself, beside its table. */
const tables = new Map(
  [...caseTypes].map(([name, { flaws: _, ...table }]) => [name, table] as const),
)

test('a case that the runner refuses for a key does not fit, and one that it accepts does', () => {
  const tried = new Set<string>()
  const counts = { refused: 0, accepted: 0 }
  for (const raw of cases) {
    for (const { path, value } of spoiled(jsonOf(raw), raw.type)) {
      if (tried.has(path)) continue
      tried.add(path)
      const text = JSON.stringify(value)
      const [read] = readDocument(text, 'a.spec.json').cases
      if (read === undefined) throw new Error(`not read: ${text}`)
      const problems = caseProblems(read, tables).filter(isError)
      const isOfKeys = problems.some(one => ofKeys.has(one.code))
      if (!isOfKeys && problems.length > 0) continue
      counts[isOfKeys ? 'refused' : 'accepted']++
      expect({ text, fits: validate(value) }).toEqual({ text, fits: !isOfKeys })
    }
  }
  expect(counts.refused).toBeGreaterThan(100)
  expect(counts.accepted).toBeGreaterThan(0)
})

describe('a mistake is named at its place', () => {
  const command = { id: 'A', type: 'cli.run', harness: { entrypoint: 'ls' } }
  const group = { target: 'stdout', must: [{ contain: ['x'] }] }

  test('the correct case fits, alone and in a list', () => {
    expect(validate({ ...command, assert: [group, [group]] })).toBe(true)
    expect(validate([command, { id: 'B', type: 'text.file' }])).toBe(true)
  })

  test.each([
    [{ ...command, argvs: [] }, '', 'must NOT have additional properties'],
    [
      { ...command, harness: { entrypoint: 'ls', envs: {} } },
      '/harness',
      'must NOT have additional properties',
    ],
    [{ ...command, harness: {} }, '/harness', "must have required property 'entrypoint'"],
    [{ ...command, type: 'cli.rum' }, '/type', 'must be equal to one of the allowed values'],
    [{ type: 'cli.run', harness: { entrypoint: 'ls' } }, '', "must have required property 'id'"],
    [
      { ...command, assert: [{ ...group, target: 'stdin' }] },
      '/assert/0/target',
      'must be equal to one of the allowed values',
    ],
    [
      { ...command, assert: [{ ...group, must: [{ contains: ['x'] }] }] },
      '/assert/0/must/0',
      'must NOT have additional properties',
    ],
    [
      { ...command, assert: [{ target: 'stdout', contain: ['x'] }] },
      '/assert/0',
      'must NOT have additional properties',
    ],
    [
      { ...command, harness: { entrypoint: 'ls', chain: { steps: [] } } },
      '/harness/chain/steps',
      'must NOT have fewer than 1 items',
    ],
    [{ id: 'A', type: 'text.file', argv: [] }, '', 'must NOT have additional properties'],
  ])('%j', (value, instancePath, message) => {
    expect(validate(value)).toBe(false)
    expect(validate.errors).toContainEqual(expect.objectContaining({ instancePath, message }))
    expect(validate([value])).toBe(false)
  })
})

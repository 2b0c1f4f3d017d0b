/**
 * The spec language by vectors: our own in `vectors/spec-lang/`, and those of another
 * implementation in `vectors/spec-conformance/`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { Json } from '../src/kernel/json.ts'
import { readDocument } from '../src/kernel/spec/document/read-document.ts'
import { readBudget } from '../src/kernel/spec/lang/budget.ts'
import { builtins } from '../src/kernel/spec/lang/builtins.ts'
import { readImports } from '../src/kernel/spec/lang/imports.ts'
import {
  caseScope,
  type LibraryCase,
  linkLibraries,
  visibleSymbols,
} from '../src/kernel/spec/lang/library.ts'
import { readJson } from '../src/kernel/spec/lang/read-json.ts'
import type { Scope } from '../src/kernel/spec/lang/scope.ts'
import type { SpecError } from '../src/kernel/spec/lang/spec-error.ts'
import { type SpecValue, toJson } from '../src/kernel/spec/lang/value.ts'
import { SpecRegex } from '../src/runner/regex/spec-regex.ts'
import { fromJson } from '../src/testing/spec-value.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { outcomeOfSource } from './an-expression.ts'

interface Vector {
  readonly id: string
  /** Spec values, since JavaScript objects put numeric keys first. */
  readonly expr: SpecValue
  readonly subject: SpecValue
  readonly budgets?: Record<string, number>
  readonly libraries?: Record<string, readonly { readonly id: string }[]>
  readonly includes?: readonly string[]
  readonly exports?: readonly string[]
  readonly imports?: Json
  readonly outcome: { readonly value: Json } | { readonly category: string; readonly token: string }
}

const regex = new SpecRegex()
const { startTimer } = nodeWorld()
afterAll(() => regex.close())

const mapping = (json: object) => fromJson(json as Json) as ReadonlyMap<string, SpecValue>

const isErrors = (read: object): read is SpecError[] => 'length' in read

/** Only a vector that names a time limit has one: a busy machine must not decide the others. */
const withoutTimeout = { timeout_ms: 0 }

function judge({ expr, subject, budgets = {}, ...names }: Vector): unknown {
  const budget = readBudget(mapping({ ...withoutTimeout, ...budgets }))
  if (isErrors(budget)) return budget[0]
  const scope = scopeOf(names)
  if (isErrors(scope)) return scope[0]
  return outcomeOfSource(expr, subject, { budget, startTimer, regex, scope })
}

function scopeOf({
  libraries = {},
  includes = [],
  exports,
  imports = [],
}: Pick<Vector, 'libraries' | 'includes' | 'exports' | 'imports'>): Scope | SpecError[] {
  const aliases = readImports(fromJson(imports), 'harness.spec_lang.imports')
  if (isErrors(aliases)) return aliases
  const budget = readBudget(mapping(withoutTimeout))
  if (isErrors(budget)) return budget
  const find = (path: string) => {
    const cases = libraries[path]?.map((one): LibraryCase => ({ id: one.id, value: mapping(one) }))
    return cases && { file: path, cases }
  }
  const library = linkLibraries({ includes, find, budget, startTimer, regex })
  if (isErrors(library)) return library
  const symbols = visibleSymbols(library, exports)
  return isErrors(symbols) ? symbols : caseScope(aliases, symbols)
}

const folder = new URL('../vectors/spec-lang/', import.meta.url)
const suites = readdirSync(folder).map(file => ({
  name: file.replace('.json', ''),
  vectors: readVectors<Vector>(new URL(file, folder)),
}))

function readVectors<T>(file: URL): T[] {
  const values = readJson(readFileSync(file, 'utf8')) as readonly ReadonlyMap<string, SpecValue>[]
  return values.map(value => {
    const { expr, subject } = Object.fromEntries(value)
    return { ...(toJson(value) as object), expr, subject } as T
  })
}
const vectors = suites.flatMap(suite => suite.vectors)

describe.each(suites)('vectors/spec-lang: $name', suite => {
  test.each(suite.vectors)('$id', vector => {
    const { outcome } = vector
    if ('value' in outcome) expect(judge(vector)).toEqual(outcome.value)
    else {
      const { category, token } = outcome
      expect(judge(vector)).toMatchObject({ category, message: expect.stringContaining(token) })
    }
  })
})

test('vectors have unique ids', () => {
  const ids = vectors.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
})

test.each(builtins.map(({ name }) => name))(
  '%s has a vector with a value and one with an error',
  name => {
    const [, namespace, member] = name.split('.')
    const own = vectors.filter(({ id }) => id.replace(/-\d+$/, '') === `${namespace}.${member}`)
    expect(own.some(({ outcome }) => 'value' in outcome)).toBe(true)
    expect(own.some(({ outcome }) => 'token' in outcome)).toBe(true)
  },
)

test('the language has 131 builtins, each with a unique short name', () => {
  expect(builtins).toHaveLength(131)
  expect(new Set(builtins.map(({ short }) => short)).size).toBe(131)
})

/** Other differences from the earlier evaluators: the expression, and what the page says it gives. */
const differences = readFileSync(
  new URL('../docs/reference/spec-choices.md', import.meta.url),
  'utf8',
)
  .split('\n')
  .flatMap(line => {
    const [, expression = '', , here = '', reason] = line
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim())
    const [, source] = /^`(\{.*\})`$/.exec(expression) ?? []
    return source === undefined || reason === '' ? [] : [[source.replaceAll('\\|', '|'), here]]
  })

test('docs/reference/spec-choices.md lists differences beyond the vectors', () => {
  expect(differences.length).toBeGreaterThan(10)
})

test.each(differences)('%s gives %s, as docs/reference/spec-choices.md says', (source, here) => {
  const [read] = readDocument(`- {id: A, expr: ${source}}`, 'a.spec.yaml').cases
  const expr = read?.value.get('expr') ?? null
  const outcome = judge({ id: 'A', expr, subject: null, outcome: { value: null } })
  if (here === 'schema error') expect(outcome).toMatchObject({ category: 'schema' })
  else expect(`\`${JSON.stringify(outcome)}\``).toBe(here)
})

interface Answered {
  readonly id: string
  readonly expr: SpecValue
  readonly subject: SpecValue
  readonly php_agrees?: boolean
  readonly outcome: { readonly value?: Json; readonly error?: string }
}

const oracle = new URL('../vectors/spec-conformance/spec_lang.json', import.meta.url)

describe('expressions that another implementation evaluated', () => {
  const answered: Answered[] = readVectors(oracle)

  const agrees = ({ outcome, ...vector }: Answered) => {
    const ours = judge({ ...vector, outcome: { value: null } })
    const isError = typeof ours === 'object' && ours !== null && 'category' in ours
    if (outcome.error !== undefined) return isError && ours.category === outcome.error
    return outcome.value !== undefined && !isError && isSame(ours, outcome.value)
  }

  const isSame = (a: unknown, b: unknown) =>
    expect.objectContaining({ value: a }).asymmetricMatch({ value: b })

  test('differ only where docs/reference/spec-choices.md says why', () => {
    const page = readFileSync(new URL('../docs/reference/spec-choices.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| (ORC-\d+) \|/gm)].map(([, id]) => id)
    const differing = answered.filter(one => !agrees(one)).map(({ id }) => id)
    expect(differing).toEqual(listed)
  })

  test('agree wherever both of its evaluators agree', () => {
    const both = answered.filter(({ php_agrees }) => php_agrees)
    expect(both.length).toBeGreaterThan(150)
    expect(both.filter(one => !agrees(one)).map(({ id }) => id)).toEqual([])
  })
})

/**
 * Nothing is promised that is not shown: each failure class by vectors, each requirement by a test
 * that cites it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../src/kernel/canonical.ts'
import { isJsonObject, type Json } from '../src/kernel/json.ts'
import { rules } from '../src/kernel/turn/rules/index.ts'
import { readVectors } from '../src/project/conformance/conformance-vectors.ts'
import { openContext } from '../src/project/context.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { requirements } from './requirements.ts'

const vectors = new Map(
  (await readVectors('vectors/turn', openContext(nodeWorld()))).map(one => [one.vectorId, one]),
)
const classes = Object.keys(rules)

const setDifferences = [
  'tool.result_missing',
  'tool.result_orphan',
  'tool.use_missing',
  'tool.use_without_result',
]

/** Classes that cannot be shown alone: an open call is incomplete, and incompleteness is a call. */
function implied(failureClass: string): readonly string[] {
  if (failureClass === 'tool.join_incomplete') return setDifferences
  return setDifferences.includes(failureClass) ? ['tool.join_incomplete'] : []
}

const nameOf = (failureClass: string) => failureClass.replace('.', '_')

describe.each(classes)('%s', failureClass => {
  const firing = vectors.get(`adversarial/${nameOf(failureClass)}`)
  const nearMiss = vectors.get(`golden/${nameOf(failureClass)}_near_miss`)

  test('is fired by a vector, with nothing but its implied classes', () => {
    const expected = firing?.expect.expectedFailureClasses ?? []
    expect(expected).toContain(failureClass)
    const others = expected.filter(one => one !== failureClass)
    expect(others.filter(one => !implied(failureClass).includes(one))).toEqual([])
  })

  test('has a near-miss vector: the same turn with a small change', () => {
    expect(nearMiss?.expect).toMatchObject({ result: 'accepted', expectedFailureClasses: [] })
    const steps = differences(firing?.input ?? null, nearMiss?.input ?? null)
    expect(steps).toBeGreaterThan(0)
    expect(steps).toBeLessThanOrEqual(2)
  })
})

/** In how many places two values differ; a member or item that only one has is one place. */
function differences(a: Json, b: Json): number {
  if (canonicalJson(a) === canonicalJson(b)) return 0
  if (Array.isArray(a) && Array.isArray(b)) return listDifferences(a, b)
  if (!isJsonObject(a) || !isJsonObject(b)) return 1
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].reduce((sum, name) => {
    const [left, right] = [a[name], b[name]]
    return sum + (left === undefined || right === undefined ? 1 : differences(left, right))
  }, 0)
}

/** Rows that are on one side only; two such rows may be one row that differs inside. */
function listDifferences(a: readonly Json[], b: readonly Json[]): number {
  const texts = (items: readonly Json[]) => new Set(items.map(canonicalJson))
  const [inA, inB] = [texts(a), texts(b)]
  const onlyA = a.filter(item => !inB.has(canonicalJson(item)))
  const onlyB = b.filter(item => !inA.has(canonicalJson(item)))
  const paired = onlyA
    .slice(0, onlyB.length)
    .map((item, at) => differences(item, onlyB[at] ?? null))
  return paired.reduce((sum, one) => sum + one, Math.abs(onlyA.length - onlyB.length))
}

test('every class that a vector fires is defined', () => {
  const fired = [...vectors.values()].flatMap(one => one.expect.expectedFailureClasses)
  expect([...new Set(fired)].filter(one => !classes.includes(one))).toEqual([])
})

test('every class that a vector is named for is defined', () => {
  const named = [...vectors.keys()].flatMap(id => {
    const found = /^(?:adversarial\/([^-]+)|golden\/([^-]+?)(?:-.*)?_near_miss$)/.exec(id)
    return found?.[1] ?? found?.[2] ?? []
  })
  const known = [...classes.map(nameOf), 'mutation_on_open_turn']
  expect(named.filter(name => !known.includes(name))).toEqual([])
})

/** `[document.section.name]`, as it stands in the name of a test. */
const citation = /\[([a-z][a-z-]*\.\d+(?:\.\d+)*\.[a-z][a-z-]*)\]/g

const cited = new Set(
  ['src', 'test']
    .flatMap(root =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map(path => join(root, path)),
    )
    .filter(path => path.endsWith('.test.ts'))
    .flatMap(path => testNames(readFileSync(path, 'utf8')))
    .flatMap(name => [...name.matchAll(citation)].map(([, id = '']) => id)),
)

/** The title after `test(` or after the table of `test.each(…)`; a comment is not a test. */
function testNames(text: string): string[] {
  const calls = text.matchAll(/(?:\btest(?:\.\w+)?|\))\(\s*(?:'([^'\n]*)'|`([^`]*)`|"([^"\n]*)")/g)
  return [...calls].map(([, single, template, double]) => single ?? template ?? double ?? '')
}

describe('requirements', () => {
  test.each(Object.keys(requirements))('%s is cited by a test', id => {
    expect(cited).toContain(id)
  })

  test('every cited requirement exists', () => {
    expect([...cited].filter(id => !Object.hasOwn(requirements, id))).toEqual([])
  })

  test('each has an id that can be cited', () => {
    const ids = Object.keys(requirements)
    expect(ids.filter(id => `[${id}]`.match(citation)?.[0] !== `[${id}]`)).toEqual([])
  })
})

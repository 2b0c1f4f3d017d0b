/** Our own vectors, through the same code as `premath conformance run`. */
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../src/answer.ts'
import { canonicalJson } from '../src/kernel/canonical.ts'
import type { Json } from '../src/kernel/json.ts'
import { rules } from '../src/kernel/turn/rules/index.ts'
import { conformanceRun } from '../src/operations/project/conformance-run.ts'
import { readVectors, type Vector } from '../src/project/conformance/conformance-vectors.ts'
import { openContext } from '../src/project/context.ts'
import type { ConformanceReport } from '../src/wire/turn/vector.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const context = openContext(nodeWorld())
const asked = await conformanceRun.run({ dir: [], suite: 'turn' }, context)
const { output: report, yes } = asked as Answer<ConformanceReport>
const vectors = await readVectors('vectors/turn', context)

test('every vector gets the answer that it expects', () => {
  expect(report.vectors.filter(({ mismatches }) => mismatches.length > 0)).toEqual([])
})

test('every vector of the folder was run and passes', () => {
  expect(report.vectors.map(({ vectorId }) => vectorId)).toEqual(
    vectors.map(({ vectorId }) => vectorId),
  )
  expect({ result: report.result, passed: report.passed, failed: report.failed, yes }).toEqual({
    result: 'accepted',
    passed: vectors.length,
    failed: 0,
    yes: true,
  })
})

/** The digest of all vectors, one canonical line each. A new or changed vector changes it. */
const expandedDigest = '990d5fc58cac10be76dc765e120b9e42ce240e262d0339c6ddc99be14b113454'

test('the files expand to the same inputs and expectations as before', () => {
  const lines = vectors.map(({ suiteId, vectorId, input, expect }) =>
    canonicalJson({ suiteId, vectorId, input, expect: expect as Json }),
  )
  expect(hash('sha256', lines.join('\n'))).toBe(expandedDigest)
})

const ofKind = (kind: string) => vectors.filter(({ vectorId }) => vectorId.startsWith(`${kind}/`))
const idsOf = (these: readonly Vector[]) => these.map(({ vectorId }) => vectorId)

describe('the folder', () => {
  test('holds three kinds of vectors', () => {
    const kinds = ['adversarial', 'golden', 'invariance']
    expect(kinds.flatMap(kind => idsOf(ofKind(kind)))).toEqual(idsOf(vectors))
  })

  test('holds each vector in the file of its class', () => {
    const classes = Object.keys(rules).map(name => name.replace('.', '_'))
    const fileOf = (vectorId: string) => {
      if (vectorId.startsWith('invariance/')) return 'invariance'
      const [, name] =
        /^(?:adversarial|golden)\/([^-]+?)(?:-.*)?(?:_near_miss)?$/.exec(vectorId) ?? []
      return classes.find(one => one === name) ?? 'general'
    }
    const misplaced = vectors.filter(
      ({ casePath, vectorId }) =>
        casePath !== `vectors/turn/${fileOf(vectorId)}.vectors.json: ${vectorId}`,
    )
    expect(idsOf(misplaced)).toEqual([])
  })

  test('golden is accepted', () => {
    expect(idsOf(ofKind('golden').filter(one => one.expect.result !== 'accepted'))).toEqual([])
  })

  test('adversarial is rejected', () => {
    expect(idsOf(ofKind('adversarial').filter(one => one.expect.result !== 'rejected'))).toEqual([])
  })

  test('invariance is the same as another', () => {
    expect(idsOf(ofKind('invariance').filter(one => !one.expect.sameDigestsAs))).toEqual([])
  })
})

/** Our own vectors, through the same code as `premath conformance run`. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../src/answer.ts'
import { conformanceRun } from '../src/operations/project/conformance-run.ts'
import { readVectors, type Vector } from '../src/project/conformance/conformance-vectors.ts'
import { openContext } from '../src/project/context.ts'
import type { ConformanceReport } from '../src/wire/turn/vector.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const context = openContext(nodeWorld())
const asked = await conformanceRun.run({ dir: [], suite: 'turn' }, context)
const { output: report, yes } = asked as Answer<ConformanceReport>
const vectors = await readVectors('vectors/turn', context)

test.each(report.vectors)('$suiteId/$vectorId', ({ mismatches }) => {
  expect(mismatches).toEqual([])
})

test('every vector of the folder was run, and the answer is yes', () => {
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

const ofKind = (kind: string) => vectors.filter(({ vectorId }) => vectorId.startsWith(`${kind}/`))
const idsOf = (these: readonly Vector[]) => these.map(({ vectorId }) => vectorId)

describe('the folder', () => {
  test('holds three kinds of vectors', () => {
    expect(readdirSync('vectors/turn')).toEqual(['adversarial', 'golden', 'invariance'])
  })

  test.each(vectors)('$vectorId is where its id says', ({ casePath, vectorId, suiteId }) => {
    expect({ casePath, suiteId }).toEqual({
      casePath: `vectors/turn/${vectorId}/case.json`,
      suiteId: 'turn',
    })
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

/**
 * Vectors of another implementation, in a folder beside this repository. A clone without them
 * skips these tests and says so; our own vectors are in `vectors/`.
 */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, parseJson } from '../src/kernel/json.ts'
import { joinTurn } from '../src/kernel/turn/join.ts'
import { freeKeys, normalizeTurn } from '../src/kernel/turn/normalize.ts'

const folder = new URL('../../shared/vectors/turn-evidence/', import.meta.url)
const present = existsSync(folder)
if (!present) console.log('skipped: the vectors of another implementation are not on this machine')

const sha256 = (text: string) => hash('sha256', text)
const kit = { sha256, schemaComplaints: () => [] }

function judge(text: string, pick: (document: Json) => Json = document => document) {
  const turn = normalizeTurn(pick(parseJson(text, { freeKeys })), kit)
  const join = joinTurn(turn, kit)
  return {
    result: join.joinClosed ? 'accepted' : 'rejected',
    failureClasses: join.failureClasses,
    joinClosed: join.joinClosed,
    digests: turn.digests,
  }
}

const inputOf = (document: Json) => {
  if (!isJsonObject(document)) throw new Error('a case is an object')
  return document['input'] as Json
}

describe.skipIf(!present)('vectors of another implementation', () => {
  const digests = present
    ? JSON.parse(readFileSync(new URL('digests.json', folder), 'utf8'))
    : { none: {} }

  test.each(Object.keys(digests))('%s: verdict, classes and digests are equal', name => {
    const { expected, digests: known } = digests[name]
    const text = readFileSync(new URL(`${name}/case.json`, folder), 'utf8')
    expect(judge(text, inputOf)).toEqual({ ...expected, digests: known })
  })

  test('every vector has its digests', () => {
    const names = ['golden', 'adversarial'].flatMap(group =>
      readdirSync(new URL(`${group}/`, folder)).map(name => `${group}/${name}`),
    )
    expect(Object.keys(digests).toSorted()).toEqual(names.toSorted())
  })

  test('300 random inputs get the same answers', () => {
    const lines = readFileSync(new URL('differential.ndjson', folder), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(300)
    for (const line of lines) {
      const { input, ...expected } = JSON.parse(line)
      expect(judge(input)).toEqual(expected)
    }
  })
})

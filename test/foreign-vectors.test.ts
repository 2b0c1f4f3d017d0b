/**
 * Vectors of another implementation, in a folder beside this repository. A clone without them
 * skips these tests and says so; our own vectors are in `vectors/`.
 */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, parseJson } from '../src/kernel/json.ts'
import { joinTurn } from '../src/kernel/turn/join.ts'
import { freeKeys, normalizeTurn } from '../src/kernel/turn/normalize.ts'
import type { JoinReport } from '../src/wire/turn/join-report.ts'
import { main } from './built-command.ts'

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

/** The vectors that the other implementation also answered. */
const answerOf = (report: JoinReport) => ({
  result: report.result,
  failureClasses: report.failureClasses,
  joinClosed: report.joinClosed,
  digests: report.normalized.digests,
})

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

  test('300 random inputs get the same answers from the built command, as a stream', () => {
    const lines = readFileSync(new URL('differential.ndjson', folder), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(300)
    const cases = lines.map(line => JSON.parse(line))
    const { stdout, status } = spawnSync(
      process.execPath,
      [main, 'harness-join-check', '--input', '-', '--ndjson'],
      {
        encoding: 'utf8',
        input: cases.map(({ input }) => `${input}\n`).join(''),
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(answers.map(answerOf)).toEqual(cases.map(({ input: _, ...expected }) => expected))
    expect(status).toBe(1)
  })
})

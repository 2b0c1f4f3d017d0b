import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { governedDocument } from '../kernel/governance/governed-document.ts'
import {
  type PolicyEntry,
  policyEntry,
  printPolicyEntry,
} from '../kernel/governance/policy-entry.ts'
import { SimDisk } from '../testing/sim-disk.ts'
import { PolicyLogFile } from './policy-log.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const path = '/p/.premath/policy-log.jsonl'

function entry(mode: string, previous: PolicyEntry['previous']): PolicyEntry {
  const document = governedDocument({ schema: 1, surfaces: { cli: { mode } } }, sha256)
  if (typeof document === 'string') throw new Error(document)
  const stamp = { at: '2026-02-21T00:00:00Z', operator: 'ada', reason: mode, evidence: undefined }
  return policyEntry(document, stamp, previous, sha256)
}

const follow = (mode: string) => (previous: PolicyEntry['previous']) => entry(mode, previous)

/** Entries of one chain, in order. */
const entriesOf = (...modes: readonly string[]) => {
  const entries: PolicyEntry[] = []
  for (const mode of modes) entries.push(entry(mode, entries.at(-1)?.entryDigest ?? null))
  return entries
}
const linesOf = (...modes: readonly string[]) =>
  entriesOf(...modes).map(each => `${printPolicyEntry(each)}\n`)
const textWith = (...modes: readonly string[]) => linesOf(...modes).join('')
const open = (text?: string) => {
  const disk = new SimDisk({ files: text === undefined ? {} : { [path]: text } })
  return { disk, log: new PolicyLogFile({ disk, root: '/p', sha256 }) }
}
const entriesIn = async (log: PolicyLogFile) => (await log.read()).entries
const textOf = (disk: SimDisk, name: string) => new TextDecoder().decode(disk.contents().get(name))
const nothing = async () => {}

test('added entries are read back in order', async () => {
  const { log } = open()
  expect(await log.read()).toEqual({ entries: [], torn: undefined })
  await log.add(follow('open'), nothing)
  await log.add(follow('operator'), nothing)
  expect(await entriesIn(log)).toEqual(entriesOf('open', 'operator'))
})

test('a torn line is set aside, and the next line is whole', async () => {
  const torn = '{"at":"20'
  const { log, disk } = open(`${textWith('open')}${torn}`)
  expect(await log.read()).toEqual({ entries: entriesOf('open'), torn })
  await log.add(follow('operator'), nothing)
  expect(textOf(disk, path)).toBe(textWith('open', 'operator'))
  expect(textOf(disk, `${path}.torn-${sha256(torn).slice(0, 8)}`)).toBe(torn)
})

test('a last line without a line feed counts, and stays when the next one is added', async () => {
  const { log, disk } = open(textWith('open', 'operator').trimEnd())
  expect(await log.read()).toEqual({ entries: entriesOf('open', 'operator'), torn: undefined })
  await log.add(follow('human-override'), nothing)
  expect(textOf(disk, path)).toBe(textWith('open', 'operator', 'human-override'))
})

test('a last line without a line feed that is no entry is reported like any other', async () => {
  const { log } = open(`${textWith('open')}{}`)
  await expect(log.read()).rejects.toMatchObject({ code: 'corrupt' })
})

test('an invalid line is reported by its number, and nothing is added after it', async () => {
  for (const bad of ['{}', 'x', textWith('open').trim().replace('"ada"', '""')]) {
    const { log } = open(`${textWith('open')}${bad}\n`)
    const message = expect.stringContaining(`${path}:2 `)
    await expect(log.read()).rejects.toMatchObject({ code: 'corrupt', message })
    await expect(log.add(follow('operator'), nothing)).rejects.toMatchObject({ code: 'corrupt' })
  }
})

test('removed, replayed, moved or edited lines break the chain, and nothing is added', async () => {
  const [first = '', second = '', third = ''] = linesOf('open', 'operator', 'human-override')
  const broken: readonly (readonly [string, number])[] = [
    [second + third, 1],
    [first + third, 2],
    [first + third + second, 2],
    [first + second + first, 3],
    [first + second.replace('"reason":"operator"', '"reason":"other"') + third, 2],
  ]
  for (const [text, number] of broken) {
    const { log, disk } = open(text)
    const message = expect.stringContaining(`${path}:${number} `)
    await expect(log.read()).rejects.toMatchObject({ code: 'corrupt', message })
    await expect(log.add(follow('open'), nothing)).rejects.toMatchObject({ code: 'corrupt' })
    expect(textOf(disk, path)).toBe(text)
  }
})

test('an entry is in the log before its effect', async () => {
  const { log } = open()
  let seen: readonly PolicyEntry[] = []
  await log.add(follow('open'), async () => {
    seen = await entriesIn(log)
  })
  expect(seen).toEqual(entriesOf('open'))
})

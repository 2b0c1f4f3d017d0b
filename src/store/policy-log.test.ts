import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { governedDocument } from '../kernel/governance/governed-document.ts'
import {
  type PolicyEntry,
  policyEntry,
  printPolicyEntry,
} from '../kernel/governance/policy-entry.ts'
import { SimDisk } from '../world/sim-disk.ts'
import { PolicyLogFile } from './policy-log.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const path = '/p/.premath/policy-log.jsonl'

function entry(mode: string): PolicyEntry {
  const document = governedDocument({ schema: 1, surfaces: { cli: { mode } } }, sha256)
  if (typeof document === 'string') throw new Error(document)
  const stamp = { at: '2026-02-21T00:00:00Z', operator: 'ada', reason: mode, evidence: undefined }
  return policyEntry(document, stamp, sha256)
}

const line = (mode: string) => `${printPolicyEntry(entry(mode))}\n`
const open = (text?: string) => {
  const disk = new SimDisk({ files: text === undefined ? {} : { [path]: text } })
  return { disk, log: new PolicyLogFile({ disk, root: '/p', sha256 }) }
}
const entriesIn = async (log: PolicyLogFile) => (await log.read()).entries
const textOf = (disk: SimDisk, name: string) => new TextDecoder().decode(disk.contents().get(name))
const nothing = async () => {}

test('what was added is read back in order', async () => {
  const { log } = open()
  expect(await log.read()).toEqual({ entries: [], torn: undefined })
  await log.add(entry('open'), nothing)
  await log.add(entry('operator'), nothing)
  expect(await entriesIn(log)).toEqual([entry('open'), entry('operator')])
})

test('a line that broke off was never told, is kept aside, and the next one stands by itself', async () => {
  const torn = '{"at":"20'
  const { log, disk } = open(`${line('open')}${torn}`)
  expect(await log.read()).toEqual({ entries: [entry('open')], torn })
  await log.add(entry('operator'), nothing)
  expect(textOf(disk, path)).toBe(`${line('open')}${line('operator')}`)
  expect(textOf(disk, `${path}.torn-${sha256(torn).slice(0, 8)}`)).toBe(torn)
})

test('a last line that lacks only its end counts, and stays when the next one is added', async () => {
  const { log, disk } = open(`${line('open')}${line('operator').trimEnd()}`)
  expect(await log.read()).toEqual({ entries: [entry('open'), entry('operator')], torn: undefined })
  await log.add(entry('human-override'), nothing)
  expect(textOf(disk, path)).toBe(`${line('open')}${line('operator')}${line('human-override')}`)
})

test('a last line without its end is told as any other where it is no entry', async () => {
  const { log } = open(`${line('open')}{}`)
  await expect(log.read()).rejects.toMatchObject({ code: 'corrupt' })
})

test('a line that cannot be trusted is told by its number, and nothing is added after it', async () => {
  for (const bad of ['{}', 'x', line('open').trim().replace('"ada"', '""')]) {
    const { log } = open(`${line('open')}${bad}\n`)
    const message = expect.stringContaining(`${path}:2 `)
    await expect(log.read()).rejects.toMatchObject({ code: 'corrupt', message })
    await expect(log.add(entry('operator'), nothing)).rejects.toMatchObject({ code: 'corrupt' })
  }
})

test('an entry is in the log before what it stands for is done', async () => {
  const { log } = open()
  let seen: readonly PolicyEntry[] = []
  await log.add(entry('open'), async () => {
    seen = await entriesIn(log)
  })
  expect(seen).toEqual([entry('open')])
})

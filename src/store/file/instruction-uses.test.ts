import { expect, test } from 'vitest'
import { SimDisk } from '../../testing/sim-disk.ts'
import { FileInstructionUses } from './instruction-uses.ts'
import { issueFiles } from './issue-files.ts'

const files = issueFiles('/p/.premath/issues.jsonl')
const path = '/p/.premath/memory/uses/instr1_a.jsonl'
const use = (entry: number) => ({ entry, action: 'issue.add', issueId: 'bd-1', at: 'now' })
const line = (entry: number) => `${JSON.stringify(use(entry))}\n`

test('a torn line is ignored, and the next line is whole', async () => {
  const disk = new SimDisk({ files: { [path]: `${line(0)}{"entry":1,"ac` } })
  const uses = new FileInstructionUses(disk, files)
  expect((await uses.usedOf('instr1_a', undefined)).entries).toEqual(new Set([0]))
  await uses.add('instr1_a', use(2))
  expect((await uses.usedOf('instr1_a', undefined)).entries).toEqual(new Set([0, 2]))
  expect(new TextDecoder().decode(disk.contents().get(path))).toBe(`${line(0)}${line(2)}`)
})

test('a corrupt file is not read as an empty one', async () => {
  for (const text of ['{"entry":0\n', '{}\n', '\n']) {
    const disk = new SimDisk({ files: { [path]: text } })
    const uses = new FileInstructionUses(disk, files)
    await expect(uses.usedOf('instr1_a', undefined)).rejects.toMatchObject({ code: 'corrupt' })
  }
})

test('a turn authorizes one change, under any instruction', async () => {
  const uses = new FileInstructionUses(new SimDisk({ files: {} }), files)
  await uses.add('instr1_a', { ...use(0), turn: 'sha256:one' })
  expect(await uses.usedOf('instr1_b', 'sha256:one')).toEqual({
    entries: new Set(),
    hasVouched: true,
  })
  expect((await uses.usedOf('instr1_b', 'sha256:two')).hasVouched).toBe(false)
  expect((await uses.usedOf('instr1_a', undefined)).hasVouched).toBe(false)
})

test('uses recorded by earlier versions are known too', async () => {
  const row = `${JSON.stringify({ ...use(0), turn: 'sha256:one' })}\n`
  const disk = new SimDisk({ files: { [path]: row } })
  const uses = new FileInstructionUses(disk, files)
  expect((await uses.usedOf('instr1_a', 'sha256:one')).hasVouched).toBe(true)
})

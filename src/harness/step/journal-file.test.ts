import { expect, test } from 'vitest'
import { SimDisk } from '../../testing/sim-disk.ts'
import { JournalFile } from './journal-file.ts'

const path = '/p/.premath/steps/w.jsonl'

const journal = (issueId: string) => ({
  stepId: `w.${issueId}.1.1`,
  workerId: 'w',
  issueId,
  leaseId: 'l',
  fence: 1,
  attempt: 1,
  startedAt: '2027-01-15T08:00:00Z',
  sessionPath: '/p/s.json',
  ledgerPath: '/p/l.json',
})

function journalFile() {
  const notes: unknown[] = []
  const disk = new SimDisk()
  const place = { disk, store: { path: '' }, sha256: () => 'f'.repeat(64) }
  const emit = (event: unknown) => void notes.push(event)
  return { disk, notes, file: JournalFile.at({ ...place, emit } as never, path) }
}

test('a torn line is ignored, and later lines are read', async () => {
  const { disk, notes, file } = journalFile()
  await disk.makeFolder('/p/.premath/steps')
  await file.write(journal('bd-1'))
  const line = disk.contentOf(path)?.slice() ?? new Uint8Array()
  for (let bytes = 0; bytes < line.length; bytes++) {
    await disk.appendLoosely(path, line.subarray(0, bytes))
    expect(await file.read()).toEqual(journal('bd-1'))
    await file.write(journal('bd-2'))
    expect(await file.read()).toEqual(journal('bd-2'))
    await file.write(journal('bd-1'))
  }
  expect(notes).toEqual([])
})

test('two torn lines in a row are ignored', async () => {
  const { disk, notes, file } = journalFile()
  await disk.makeFolder('/p/.premath/steps')
  await file.write(journal('bd-1'))
  const line = disk.contentOf(path)?.slice() ?? new Uint8Array()
  for (const bytes of [1, 2, 30, line.length - 1]) {
    await disk.appendLoosely(path, line.subarray(0, bytes))
    await disk.appendLoosely(path, line.subarray(0, 30))
    expect(await file.read()).toEqual(journal('bd-1'))
  }
  expect(notes).toEqual([])
})

test('a file without any readable line is kept aside, and the worker says so', async () => {
  const { disk, notes, file } = journalFile()
  await disk.makeFolder('/p/.premath/steps')
  await disk.appendLoosely(path, new TextEncoder().encode('\n{"schema\n{"sch'))
  expect(await file.read()).toBeUndefined()
  expect([...disk.contents().keys()]).toEqual([`${path}.torn-ffffffff`])
  expect(notes).toHaveLength(1)
})

test('an empty file records no step and is removed', async () => {
  for (const rest of ['', '\n']) {
    const { disk, notes, file } = journalFile()
    await disk.makeFolder('/p/.premath/steps')
    await disk.appendLoosely(path, new TextEncoder().encode(rest))
    expect(await file.read()).toBeUndefined()
    expect([...disk.contents().keys()]).toEqual([])
    expect(notes).toEqual([])
  }
})

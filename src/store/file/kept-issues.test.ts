import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { KeptIssues } from './kept-issues.ts'
import type { RowsFile } from './warm-issues.ts'

const path = '/p/.premath/issues.jsonl'
const row = (id: string, title: string) => `${JSON.stringify({ id, title })}\n`
/** Longer than the tail that a store compares. */
const others = Array.from({ length: 40 }, (_, at) => row(`x-${at}`, 'another issue')).join('')
const tickNs = 2_000_000_000n

/** A file on a disk that records times in steps of two seconds. */
class CoarseFile implements RowsFile {
  readonly #clock: ManualClock
  #bytes = new Uint8Array()
  #changedNs = 0n
  #inode = 1
  reads = 0

  constructor(clock: ManualClock, text: string) {
    this.#clock = clock
    this.write(text)
  }

  write(text: string): void {
    this.#bytes = new TextEncoder().encode(text)
    this.#changedNs = (this.#clock.now() / tickNs) * tickNs
  }

  replace(text: string): void {
    this.#inode++
    this.write(text)
  }

  stamp = async () => ({
    identity: `1:${this.#inode}`,
    size: this.#bytes.length,
    modifiedNs: this.#changedNs,
    changedNs: this.#changedNs,
  })

  read = async (at: number, length: number) => this.readNow(at, length)

  readNow(at: number, length: number): Uint8Array {
    this.reads++
    return this.#bytes.slice(at, at + length)
  }
}

function opened(text: string) {
  const clock = new ManualClock()
  const file = new CoarseFile(clock, text)
  const sha256 = (bytes: Uint8Array) => hash('sha256', bytes)
  const kept = new KeptIssues({ path, disk: new SimDisk(), clock, sha256 })
  const titleOf = async (id: string) => (await kept.catchUp(file)).memory.get(id)?.title
  return { clock, file, titleOf, kept }
}

describe('memory that is kept', () => {
  test('[resident.3.never-stale] sees an edit in place that leaves size and time alone', async () => {
    const { file, titleOf } = opened(row('a', 'old') + others)
    expect(await titleOf('a')).toBe('old')
    file.write(row('a', 'new') + others)
    expect(await titleOf('a')).toBe('new')
  })

  test('[resident.3.never-stale] sees an edit in place before rows that were appended', async () => {
    const { file, titleOf, clock } = opened(row('a', 'old') + others)
    expect(await titleOf('a')).toBe('old')
    await clock.pass(10_000)
    file.write(row('a', 'new') + others + row('b', 'added'))
    expect(await titleOf('a')).toBe('new')
    expect(await titleOf('b')).toBe('added')
  })

  test('[resident.3.never-stale] sees rows that were appended, and an update of an earlier one', async () => {
    const { file, titleOf } = opened(row('a', 'old') + others)
    expect(await titleOf('a')).toBe('old')
    file.write(row('a', 'old') + others + row('b', 'added') + row('a', 'newer'))
    expect(await titleOf('b')).toBe('added')
    expect(await titleOf('a')).toBe('newer')
  })

  test('[resident.3.never-stale] sees a file that was replaced or cut', async () => {
    const { file, titleOf, clock } = opened(row('a', 'old') + others)
    expect(await titleOf('x-39')).toBe('another issue')
    await clock.pass(10_000)
    file.replace(row('a', 'new') + others)
    expect(await titleOf('a')).toBe('new')
    file.write(row('a', 'new'))
    expect(await titleOf('x-39')).toBeUndefined()
  })

  test('passes over a row that is being written, and takes it when it is whole', async () => {
    const { file, titleOf } = opened(row('a', 'old'))
    file.write(`${row('a', 'old')}{"id":"b","ti`)
    expect(await titleOf('b')).toBeUndefined()
    file.write(row('a', 'old') + row('b', 'whole'))
    expect(await titleOf('b')).toBe('whole')
  })

  test('reads nothing once no change can have the same times', async () => {
    const { file, titleOf, clock } = opened(row('a', 'old'))
    await titleOf('a')
    await clock.pass(3000)
    await titleOf('a')
    const { reads } = file
    await clock.pass(600_000)
    expect(await titleOf('a')).toBe('old')
    expect(file.reads).toBe(reads)
    file.write(row('a', 'new'))
    expect(await titleOf('a')).toBe('new')
  })
})

test('a file with a broken row faults, and is read anew when it is repaired', async () => {
  const { file, titleOf } = opened(row('a', 'old'))
  expect(await titleOf('a')).toBe('old')
  file.write(`${row('a', 'old')}no row\n${row('b', 'new')}`)
  await expect(titleOf('a')).rejects.toThrow('issues.jsonl')
  file.write(row('a', 'new'))
  expect(await titleOf('a')).toBe('new')
})

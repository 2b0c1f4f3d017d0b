import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTorture } from '../../../test/sim/seeded.ts'
import { Fault } from '../../fault.ts'
import { eachEventLine, readEventLines } from './event-lines.ts'

const encoder = new TextEncoder()

const removal = (id: string) =>
  JSON.stringify({
    event_id: `issue.remove_issue:${id}`,
    issue_id: id,
    occurred_at: '2026-02-21T21:41:39Z',
    action: 'remove_issue',
  })

const line = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }).map(removal) },
  fc.constantFrom('', '# a comment', '{"action"', '\u00e4'),
)

const log = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.boolean(), fc.nat(400), fc.nat(9))
  .map(([lines, isEnded, at, damage]) => {
    const bytes = encoder.encode(lines.join('\n') + (isEnded ? '\n' : ''))
    if (damage < 2 && at < bytes.length) bytes[at] = 0xff
    return bytes
  })

/** A file that records how much is read at a time. */
function fileOf(bytes: Uint8Array) {
  const lengths: number[] = []
  const file = {
    stamp: async () => ({ identity: '1', size: bytes.length, modifiedNs: 0n, changedNs: 0n }),
    async read(at: number, length: number) {
      lengths.push(length)
      return bytes.slice(at, at + length)
    },
  }
  return { file, lengths }
}

/** The finding, or the complaint. */
async function found(read: () => Promise<object> | object) {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

test('[memory.6.replay] a log that is read in pieces says the same as the whole, with its complaints', async () => {
  await fc.assert(
    fc.asyncProperty(log, fc.integer({ min: 1, max: 300 }), async (bytes, pieceBytes) => {
      const inPieces = await found(async () => {
        const lines: object[] = []
        const take = (one: object) => void lines.push(one)
        return { lines, ...(await eachEventLine(fileOf(bytes).file, 'log', take, pieceBytes)) }
      })
      const whole = await found(() => readEventLines(bytes, 'log'))
      // A reader of pieces finds the first of several complaints.
      if (typeof whole === 'string') expect(inPieces).toEqual(expect.any(String))
      else expect(inPieces).toEqual(whole)
    }),
    { numRuns: isTorture ? 10_000 : 200 },
  )
})

test('[memory.6.replay] a complaint about a later piece says the same line of the log', async () => {
  const lines = [removal('bd-1'), removal('bd-2'), removal('bd-3')].join('\n')
  const bytes = Uint8Array.from([...encoder.encode(`${lines}\n`), 0xff, 0x0a])
  const inPieces = await found(() => eachEventLine(fileOf(bytes).file, 'log', () => {}, 200))
  expect(inPieces).toMatch(/line 4: bytes that are not UTF-8/)
  expect(inPieces).toEqual(await found(() => readEventLines(bytes, 'log')))
})

test('[memory.6.replay] a reader of a log reads no more than a piece at a time, and a long line as a whole', async () => {
  const long = removal('x'.repeat(900))
  const short = Array.from({ length: 50 }, (_, at) => removal(`bd-${at}`))
  const bytes = encoder.encode([...short, long, ...short].map(one => `${one}\n`).join(''))
  const { file, lengths } = fileOf(bytes)
  let count = 0
  await eachEventLine(file, 'log', () => void count++, 256)
  expect(count).toBe(101)
  expect(Math.max(...lengths)).toBe(2048)
  expect(lengths.filter(length => length > 256)).toEqual([512, 1024, 2048])
})

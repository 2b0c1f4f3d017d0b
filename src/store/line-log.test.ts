import { expect, test } from 'vitest'
import { SimCrash, SimDisk, type SimDiskSetup } from '../testing/sim-disk.ts'
import { LineLog } from './line-log.ts'

const path = '/p/.premath/log.jsonl'
const textAt = (disk: SimDisk) => new TextDecoder().decode(disk.contents().get(path))
const logOn = (content?: string, setup: SimDiskSetup = {}) => {
  const disk = new SimDisk({ ...setup, files: content === undefined ? {} : { [path]: content } })
  return { disk, log: new LineLog(disk, path) }
}

test('the first line makes the file and its folder', async () => {
  const { disk, log } = logOn()
  await log.append('{"a":1}')
  await log.append('{"b":2}')
  expect(textAt(disk)).toBe('{"a":1}\n{"b":2}\n')
})

test.each([
  ['a line that was never finished', '{"a":1}\n{"b"', '{"a":1}\n{"b"\n{"c":3}\n'],
  ['a file of one unfinished line', '{', '{\n{"c":3}\n'],
  ['a whole line', '{"a":1}\n', '{"a":1}\n{"c":3}\n'],
  ['an empty file', '', '{"c":3}\n'],
])('after %s an appended line is whole', async (_, before, after) => {
  const { disk, log } = logOn(before)
  await log.append('{"c":3}')
  expect(textAt(disk)).toBe(after)
})

test('a torn write loses its own line and no other', async () => {
  let tears = 1
  const { disk, log } = logOn('{"a":1}\n', {
    chance: () => 0.5,
    fault: (_call, what) => (what === 'write' && tears-- > 0 ? 'torn' : undefined),
  })
  await expect(log.append('{"lost":true}')).rejects.toMatchObject({ code: 'unavailable' })
  await log.append('{"b":2}')
  const lines = textAt(disk).split('\n')
  expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(['{"a":1}', '{"b":2}', ''])
})

/** How many calls an append makes. */
async function callsOfAppend(content: string): Promise<number> {
  const { disk, log } = logOn(content)
  await log.append('{"b":2}')
  return disk.calls
}

test.each([
  ['a whole line', '{"a":1}\n'],
  ['a line that was never finished', '{"a":1}\n{"lo'],
])(
  'after %s, a writer that is killed during an append loses only its own line',
  async (_, before) => {
    const callsMax = await callsOfAppend(before)
    for (let killedAt = 1; killedAt <= callsMax; killedAt++) {
      const { disk } = logOn(before)
      const dying = disk.sharedWith({
        chance: () => 0.5,
        fault: (_call, what) => (what === 'write' ? 'torn crash' : undefined),
      })
      let calls = 0
      const turn = async () => {
        if (++calls !== killedAt) return
        await expect(new LineLog(dying, path).append('{"lost":true}')).rejects.toThrow(SimCrash)
      }
      await new LineLog(disk.sharedWith({ turn }), path).append('{"b":2}')
      const lines = textAt(disk).split('\n')
      expect(lines[0]).toBe('{"a":1}')
      expect(
        lines.filter(line => line === '{"b":2}'),
        `call ${killedAt}`,
      ).toHaveLength(1)
    }
  },
)

test('concurrent writers lose no line, and each line is whole', async () => {
  const { disk, log } = logOn(undefined, { turn: () => new Promise(done => setImmediate(done)) })
  const lines = Array.from({ length: 20 }, (_, at) => JSON.stringify({ at }))
  await Promise.all(lines.map(line => log.append(line)))
  expect(textAt(disk).trimEnd().split('\n').toSorted()).toEqual(lines.toSorted())
})

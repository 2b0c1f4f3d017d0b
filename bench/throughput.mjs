import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { medians, premath, script } from './run.mjs'
import { turnText } from './turns.mjs'

const runs = 5

/** The gate over a file of turns, beside the bare floor and beside a check written by hand. */
export async function throughput(folder) {
  return [
    await measure(folder, 20_000, 1, 'single-call turns'),
    await measure(folder, 600, 100, '100-call turns'),
  ]
}

async function measure(folder, turns, calls, what) {
  const input = join(folder, `turns-${calls}.ndjson`)
  const lines = Array.from({ length: turns }, (_, turn) => turnText(turn, calls))
  writeFileSync(input, `${lines.join('\n')}\n`)
  const spent = await medians(
    {
      gate: [premath, 'harness-join-check', '--input', input, '--ndjson'],
      floor: [script('floor.mjs'), input],
      byHand: [script('by-hand.mjs'), input],
    },
    runs,
  )
  const each = milliseconds => (milliseconds * 1000) / turns
  return {
    name: `gate --ndjson: ${what}`,
    ours: each(spent.gate),
    unit: 'µs a turn',
    beside: { 'the bare floor': each(spent.floor), 'a check by hand': each(spent.byHand) },
    ratio: spent.gate / spent.floor,
    most: 2,
  }
}

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { median, premath, start } from './run.mjs'
import { turnText } from './turns.mjs'

const turns = 200_000
const sampleEvery = 500

/** Whether a stream that never ends would ever fill the machine. */
export async function memory() {
  const child = start([premath, 'harness-join-check', '--input', '-', '--ndjson'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise(done => child.on('exit', done))
  const feeding = feed(child.stdin)
  const quarters = [[], [], [], []]
  let judged = 0
  for await (const _line of createInterface({ input: child.stdout })) {
    if (judged++ % sampleEvery === 0) {
      const quarter = Math.min(3, Math.floor((judged * 4) / turns))
      quarters[quarter].push(residentMegabytes(child.pid))
    }
  }
  await feeding
  await ended
  if (judged !== turns) throw new Error(`${judged} of ${turns} turns were judged`)
  const [first, , , last] = quarters.map(median)
  return [
    {
      name: `memory: last quarter of ${turns.toLocaleString('en')} turns`,
      ours: last,
      unit: 'MB resident',
      beside: { 'the first quarter': first },
      ratio: last / first,
      most: 1.1,
    },
  ]
}

async function feed(stream) {
  for (let turn = 0; turn < turns; turn++) {
    if (!stream.write(`${turnText(turn, 1)}\n`)) await new Promise(go => stream.once('drain', go))
  }
  stream.end()
}

export function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** A process that goes on for as long as there are lines on descriptor 3, each of them an event. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Live, LiveEvent } from '../src/answer.ts'
import { runCommand } from '../src/cli/run.ts'
import { operation } from '../src/operations/operation.ts'
import { any } from '../src/wire/shape.ts'
import { nodeWorld } from '../src/world/node-world.ts'

let count = 0

async function* events(): AsyncIterable<LiveEvent> {
  for await (const line of createInterface({ input: createReadStream('', { fd: 3 }) })) {
    count++
    yield { line: page => page.ink('green', line) }
  }
}

const live: Live = {
  live: events(),
  screen: page => [
    page.ink('bold', `${page.columns} by ${page.rows} `.padEnd(page.columns, '.')),
    `seen: ${count} ${'日本語'.repeat(20)}`,
  ],
  summary: () => `all ${count} printed`,
  exitCode: () => 1,
}

const watch = operation({
  group: 'reference',
  summary: 'Test.',
  effect: 'read',
  opId: 'op/test.one',
  output: any,
  input: {},
  examples: {},
  run: async () => live,
})

process.exit(await runCommand(['watch'], { watch: async () => watch }, nodeWorld()))

/** A process that appends its share of the steps on a signal, and reports when it is ready. */
import { readSync, writeSync } from 'node:fs'
import { readStepRow } from '../src/kernel/harness/step/step-row.ts'
import { TrajectoryLog } from '../src/store/trajectory/trajectory-log.ts'
import type { StepRow } from '../src/wire/harness/step-row.ts'
import { nodeDisk } from '../src/world/node-disk.ts'

const [path = '', cacheFolder = '', ...numbers] = process.argv.slice(2)
const [worker = 0, workers = 1, steps = 0] = numbers.map(Number)

const log = new TrajectoryLog({
  disk: nodeDisk,
  path,
  cache: { folder: cacheFolder, name: 'trajectory' },
})

writeSync(1, 'ready\n')
readSync(0, new Uint8Array(1))
for (let step = worker; step < steps; step += workers) {
  await log.append(
    readStepRow({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: `w.${worker}.bd-1.${step}`,
      action: 'x'.repeat((step * 97) % 6_000) + 1,
      resultClass: step % 3 === 0 ? 'failed' : 'completed',
      finishedAt: '2026-02-22T00:00:00Z',
    }) as StepRow,
  )
}

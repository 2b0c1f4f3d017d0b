import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { workOptions } from '../../input/work-options.ts'
import { retryPolicyPath } from '../../kernel/harness/retry/retry-policy.ts'
import { openContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { openHarness } from '../../project/open-harness.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses } from '../../testing/sim-processes.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { mustBeWritable, workOnce } from './step.ts'

test('consecutive attempts leave no listener on the signal of the run', async () => {
  const disk = new SimDisk({
    files: {
      '/p/.premath/issues.jsonl': '{"id":"bd-1","title":"One"}\n',
      [`/p/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8'),
    },
  })
  const processes = new SimProcesses({ disk, script: () => ({ exitCode: 143 }) })
  const project = await openProject(openContext(simWorld({ disk, processes, cwd: '/p' })))
  const none = { session: undefined, ledger: undefined, trajectory: undefined }
  const { harness } = await openHarness(project, {
    ...none,
    worker: 'w',
    issues: undefined,
    reason: undefined,
  })
  const optionsFor = await workOptions(
    {
      workCmd: 'work',
      verifySpec: [],
      verifyRequired: false,
      verifyCmd: 'check',
      workTimeoutSeconds: 60,
      verifyTimeoutSeconds: 60,
      transportCmd: undefined,
      transportTimeoutSeconds: 60,
      retryPolicy: undefined,
      startupCmd: undefined,
      sandbox: 'off',
      startupTimeoutSeconds: 60,
    },
    project,
  )
  await mustBeWritable(harness)
  const { attempts } = await workOnce(harness, { ...optionsFor(harness), leaseTtlSeconds: 300 })
  expect(attempts).toHaveLength(3)
  expect(getEventListeners(harness.stop, 'abort')).toEqual([])
})

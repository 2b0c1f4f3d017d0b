import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { workOptions } from '../../input/work-options.ts'
import { retryPolicyPath } from '../../kernel/harness/retry/retry-policy.ts'
import { printStepRow } from '../../kernel/harness/step/step-row.ts'
import { openContext } from '../../project/context.ts'
import { withWorkCheckout } from '../../project/loop/open-work-checkout.ts'
import { openProject } from '../../project/open.ts'
import { openHarness } from '../../project/open-harness.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses } from '../../testing/sim-processes.ts'
import { simWorld } from '../../testing/sim-world.ts'
import type { WorkCheckout } from '../landing/work-checkout.ts'
import { attemptStep } from './attempt.ts'
import { beforeClaim, claimWork } from './claim-work.ts'
import { JournalFile } from './journal-file.ts'
import { LeaseRenewer } from './lease-renewer.ts'
import { recoverSteps } from './recover.ts'
import { readState } from './state-view.ts'
import { mustBeWritable } from './step.ts'

const policyPath = '/p/.premath/policy.json'
const policy = (mode: string, more = {}) =>
  JSON.stringify({ schema: 1, surfaces: { cli: { mode } }, ...more })

const input = {
  worker: 'w',
  session: undefined,
  ledger: undefined,
  trajectory: undefined,
  issues: undefined,
}
const leaseTtlSeconds = 3600

const projectDisk = () =>
  new SimDisk({
    files: {
      '/p/.premath/issues.jsonl': '{"id":"bd-1","title":"One"}\n',
      [policyPath]: policy('open'),
      [`/p/${retryPolicyPath}`]: readFileSync(retryPolicyPath, 'utf8'),
    },
  })

/** A step that passed, and whose process ended before it closed its issue. */
async function cutOffStep(disk: SimDisk) {
  const processes = new SimProcesses({ disk, script: () => ({ exitCode: 0 }) })
  const project = await openProject(openContext(simWorld({ disk, processes, cwd: '/p' })))
  const { harness } = await openHarness(project, input)
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
  const claimed = await claimWork(harness, { leaseTtlSeconds })
  if (!claimed || 'failureClass' in claimed) throw new Error('nothing was claimed')
  const renewer = new LeaseRenewer(harness, claimed, leaseTtlSeconds)
  const attempt = async (checkout: WorkCheckout) => {
    await checkout.begin(harness, claimed.issue)
    const state = await readState(harness, claimed, 1, undefined)
    const options = { ...optionsFor(harness), checkout, leaseTtlSeconds, renewer, state }
    return await attemptStep(harness, claimed, 1, options)
  }
  const { journal, outcome } = await withWorkCheckout(harness, project, optionsFor, attempt)
  await new JournalFile(harness, 'w').write({ ...journal, outcome })
}

async function recovered(disk: SimDisk) {
  const project = await openProject(openContext(simWorld({ disk, cwd: '/p' })))
  const { harness } = await openHarness(project, input)
  const { own } = await recoverSteps(harness)
  return { own, status: (await harness.store.read()).get('bd-1')?.status }
}

test.each([
  ['the same is closed', policy('open'), 'finished', 'completed', 'closed'],
  [
    'another is given back, to be verified again',
    policy('open', { ids: 'hash' }),
    'undone',
    'retry_needed_close_proof_stale',
    'open',
  ],
  [
    'one that refuses its starter waits for somebody who may',
    policy('instruction-linked'),
    'waiting',
    'mutation_not_granted',
    'in_progress',
  ],
])('an issue whose step was cut off before the close: under %s', async (...row) => {
  const [, content, how, resultClass, status] = row
  const disk = projectDisk()
  await cutOffStep(disk)
  await disk.replaceLoosely(policyPath, new TextEncoder().encode(content))
  expect(await recovered(disk)).toEqual({
    own: { stepId: 'w.bd-1.1.1', issueId: 'bd-1', how, resultClass },
    status,
  })
})

test('a step that was recorded before the crash keeps the result it was recorded with', async () => {
  const disk = projectDisk()
  await cutOffStep(disk)
  const stepId = 'w.bd-1.1.1'
  const row = {
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId,
    issueId: 'bd-1',
    action: 'harness.step',
    resultClass: 'lease_fence_stale',
    instructionRefs: [],
    witnessRefs: [],
    lineageRefs: [],
    finishedAt: '2026-11-17T10:00:00Z',
  } as const
  await disk.replaceLoosely(
    '/p/.premath/harness_trajectory.jsonl',
    new TextEncoder().encode(printStepRow(row)),
  )
  const { own } = await recovered(disk)
  expect(own).toMatchObject({ stepId, resultClass: 'lease_fence_stale' })
})

test('a lease that is active again because the clock was set back is no new claim', async () => {
  const disk = new SimDisk({
    files: { '/p/.premath/issues.jsonl': '{"id":"bd-1","title":"One"}\n' },
  })
  let seconds = 0
  const start = 1_800_000_000n
  const clock = {
    now: () => (start + BigInt(seconds)) * 1_000_000_000n,
    steady: () => (start + BigInt(seconds)) * 1_000_000_000n,
    sleep: async () => {},
  }
  const project = await openProject(openContext(simWorld({ disk, clock, cwd: '/p' })))
  const { harness } = await openHarness(project, input)
  await mustBeWritable(harness)
  const journal = new JournalFile(harness, 'w')
  await claimWork(harness, { leaseTtlSeconds })
  await journal.remove()
  seconds = leaseTtlSeconds + 1
  // The process ends before it claims.
  await journal.write(beforeClaim(harness, await harness.store.read()))
  seconds = 1
  expect(await recoverSteps(harness)).toEqual({ own: undefined, others: [] })
  expect((await harness.store.read()).get('bd-1')?.lease?.owner).toBe('w')
  expect(await journal.read()).toBeUndefined()
})

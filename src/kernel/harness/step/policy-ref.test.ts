import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { policyRef } from './lineage.ts'

test('a policy ref is that of earlier tools, to the digest', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const lane = {
    mode: 'human-override',
    reason: 'why',
    activeEpoch: '2026-02',
    supportUntil: '2026-06',
    workerId: 'worker.1',
    issueId: 'bd-1',
    stepIndex: 1,
  }
  expect(policyRef(lane, sha256)).toBe(
    'policy://worker-lane/human-override/acabf90fa9468fe7a1771158d212f3aefed877e7b174e660bbc3cd53ca4a725f',
  )
})

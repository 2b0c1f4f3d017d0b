import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { lineageRefs, policyRef } from './lineage.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('lineage refs are those of earlier tools, to the digest', () => {
  const refs = lineageRefs(
    {
      issueId: 'bd-1',
      repoRoot: '/r',
      issuesPath: '/r/.premath/issues.jsonl',
      workerId: 'worker.1',
      worktree: '/w',
      mutationMode: 'human-override',
      activeEpoch: '2026-02',
      supportUntil: '2026-06',
    },
    sha256,
  )
  expect(refs).toEqual([
    'cover://worker-loop/bd-1/ae26fc4574aa7fe1b4270a2195fabefbe93dfb828b9d7f769971a0a11d70de1e',
    'ctx://issue/bd-1/8b6828506739feeac9b006c6819425ed4a145e7e567edf717cbd634842cf36c0',
    'refinement://worker-loop/bd-1/worker.1/2f93c16e4366bddccbe8d6054f38ee39c12dbe9f5a599be576949c2dd4aaa54c',
  ])
})

test('a policy ref is that of earlier tools, to the digest', () => {
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

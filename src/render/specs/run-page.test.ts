import { expect, test } from 'vitest'
import { aSpecRun, block } from '../../../test/a-spec-run.ts'
import { specReport } from './run-page.ts'

test('a run that was stopped before a failure has not passed', async () => {
  const cases = ['A', 'B'].map(id =>
    block(`id: ${id}`, 'type: cli.run', 'harness: {entrypoint: tool}'),
  )
  const report = async (stopAfter: string) => {
    const setup = { script: () => ({}), jobs: 1, stopAfter }
    const { outcomes } = await aSpecRun({ 'a.spec.md': cases.join('') }, setup)
    return specReport({ outcomes, durationMs: 0 }, { documentProblems: [] })
  }
  expect(await report('A')).toMatchObject({ result: 'rejected', passed: 1, failed: 0, notRun: 1 })
  expect(await report('B')).toMatchObject({ result: 'accepted', passed: 2, failed: 0, notRun: 0 })
})

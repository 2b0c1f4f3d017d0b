import { expect, test } from 'vitest'
import { aSpecRun, block } from '../../../test/a-spec-run.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import type { Page } from '../../answer.ts'
import { SpecProgress } from './progress.ts'

const page = (columns: number): Page => ({ columns, ink: (ink, text) => `<${ink}>${text}</>` })

async function cases() {
  const documents = {
    'login.spec.md': ['A', 'B'].map(id => block(`id: ${id}`, 'type: text.file')).join(''),
  }
  const { outcomes } = await aSpecRun(documents)
  return outcomes.map(({ raw }) => raw)
}

test('the line shows ended cases, failures, the longest-running case and the time', async () => {
  const [a, b] = await cases()
  if (a === undefined || b === undefined) throw new Error('there are two')
  const clock = new ManualClock()
  const progress = new SpecProgress(400, clock)
  expect(progress.line(page(80))).toBe('  0/400  0 failed  0.0 s')
  progress.onBegin(a)
  progress.onBegin(b)
  await clock.pass(4250)
  expect(progress.line(page(80))).toBe('  0/400  0 failed  login.spec.md#A  4.3 s')
  progress.onOutcome(a, { status: 'fail' })
  expect(progress.line(page(80))).toBe('  1/400  <red>1 failed</>  login.spec.md#B  4.3 s')
})

test('on a narrow page the name is cut, and then left out', async () => {
  const [a] = await cases()
  if (a === undefined) throw new Error('there are two')
  const progress = new SpecProgress(4, new ManualClock())
  progress.onBegin(a)
  const plain = (columns: number) => progress.line({ columns, ink: (_ink, text) => text })
  expect([plain(31), plain(22), plain(10)]).toEqual([
    '  0/4  0 failed  login.…  0.0 s',
    '  0/4  0 failed  0.0 s',
    '  0/4  0 failed  0.0 s',
  ])
})

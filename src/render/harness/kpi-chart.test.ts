import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slotCount, windowBefore } from '../../kernel/harness/run/kpi.ts'
import { seconds } from '../../kernel/timestamp.ts'
import { kpiChart } from './kpi-chart.ts'

test('the chart fits the page for any values', () => {
  const count = fc.oneof(fc.constant(0), fc.nat(9), fc.nat(999_999))
  const slot = fc.record({ completed: count, failed: count })
  const some = fc.array(slot, { minLength: slotCount, maxLength: slotCount })
  const window = fc.constantFrom(24, 24 * 365).map(hours => windowBefore(seconds(1.7e9), hours))
  fc.assert(
    fc.property(some, window, fc.integer({ min: 20, max: 200 }), (slots, window, columns) => {
      const text = kpiChart(slots, window, { columns, ink: (_, text) => text })
      const lines = text.split('\n')
      expect(lines.filter(line => line.length > columns)).toEqual([])
      const bars = lines.slice(-1 - slotCount, -1)
      for (const [at, { completed, failed }] of text === '' ? [] : slots.entries()) {
        expect(bars[at]?.includes('█')).toBe(completed > 0)
        expect(bars[at]?.includes('░')).toBe(failed > 0)
      }
    }),
  )
})

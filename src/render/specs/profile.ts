/** Renders where the time of a run went. */

import type { Page } from '../../answer.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import type { SpecCaseTimes, SpecProfile } from '../../wire/spec/spec-report.ts'
import { table } from '../table.ts'
import { rounded } from './run-page.ts'

const slowestMax = 10

export function specProfile(
  times: ReadonlyMap<RawCase, SpecCaseTimes>,
  readingMs: number,
): SpecProfile {
  const all = [...times.values()]
  const sum = (part: keyof SpecCaseTimes) =>
    rounded(all.reduce((total, one) => total + one[part], 0))
  const slowest = [...times].sort(([, a], [, b]) => ownMs(b) - ownMs(a)).slice(0, slowestMax)
  return {
    readingMs: rounded(readingMs),
    compilingMs: sum('compilingMs'),
    chainMs: sum('chainMs'),
    effectsMs: sum('effectsMs'),
    assertionsMs: sum('assertionsMs'),
    slowest: slowest.map(([{ id, file, line }, one]) => ({
      id,
      file,
      line,
      ownMs: rounded(ownMs(one)),
      compilingMs: rounded(one.compilingMs),
      chainMs: rounded(one.chainMs),
      effectsMs: rounded(one.effectsMs),
      assertionsMs: rounded(one.assertionsMs),
    })),
  }
}

const ownMs = ({ compilingMs, effectsMs, assertionsMs }: SpecCaseTimes) =>
  compilingMs + effectsMs + assertionsMs

export function profilePage(profile: SpecProfile, page: Page): string {
  const { readingMs, compilingMs, effectsMs, assertionsMs, chainMs, slowest } = profile
  const spent = [
    ['reading', readingMs],
    ['compiling', compilingMs],
    ['effects', effectsMs],
    ['assertions', assertionsMs],
  ] as const
  const total = spent.reduce((sum, [, ms]) => sum + ms, 0)
  const phases = table(
    ['phase', 'ms', 'share'],
    [
      ...spent.map(([name, ms]) => [name, shown(ms), shareOf(ms, total)]),
      // Work of others during the wait is counted there.
      ['waiting', shown(chainMs), ''],
    ],
    page,
  )
  const cases = table(
    ['case', 'ms', 'effects', 'assertions', 'compiling', 'waiting', 'place'],
    slowest.map(one => [
      one.id,
      shown(one.ownMs),
      shown(one.effectsMs),
      shown(one.assertionsMs),
      shown(one.compilingMs),
      shown(one.chainMs),
      `${one.file}:${one.line}`,
    ]),
    page,
    ['place', 'compiling', 'waiting', 'assertions', 'effects'],
  )
  return [phases, cases].filter(Boolean).join('\n')
}

const shown = (ms: number) => ms.toFixed(1)
const shareOf = (ms: number, total: number) =>
  total === 0 ? '' : `${Math.round((100 * ms) / total)} %`

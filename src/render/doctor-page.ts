/** Renders the findings of `premath doctor`. */

import type { Page } from '../answer.ts'
import { visible } from '../kernel/text/visible.ts'
import {
  type Check,
  type CheckedCounts,
  type DoctorFinding,
  type Examined,
  examined,
  isOptional,
} from '../project/doctor/finding.ts'
import { hung, wrap } from './columns.ts'

/** Limit per check: a thousand dangling edges are one matter. */
const shownMax = 10

export function doctorPage({ checks, findings, looked = {} }: Examined, page: Page): string {
  const lines = (Object.keys(examined) as Check[]).flatMap(check => {
    const found = findings.filter(one => one.check === check)
    const name = examined[check]
    const part = partOf(looked[check])
    if (!checks.includes(check)) {
      if (isOptional(check) && found.length === 0) return []
      const unseen = hung('—      ', `${name}: could not be checked`, page.columns)
      return unseen.map(line => page.ink('dim', line))
    }
    if (found.length === 0) {
      const whole = part === '' ? name : `${name}: ${part}`
      const [first = '', ...rest] = hung(margin, whole, page.columns)
      return [`${page.ink('green', 'ok')}${first.slice('ok'.length)}`, ...rest]
    }
    const more = found.length - shownMax
    return [
      ...found.slice(0, shownMax).flatMap(one => findingLines(one, name, page)),
      ...(more > 0 ? hung(margin, `and ${more} more; --json lists them all`, page.columns) : []),
      ...(part === '' ? [] : hung(margin, part, page.columns)),
    ]
  })
  return `${lines.join('\n')}\n`
}

const partOf = (part: CheckedCounts[Check]) =>
  part && part.of > 0 ? `${part.looked} of ${part.of} checked` : ''

const margin = ' '.repeat(7)

function findingLines(
  { what, why, next, fixed }: DoctorFinding,
  name: string,
  page: Page,
): string[] {
  const mark = fixed ? page.ink('yellow', 'fixed') : page.ink('red', 'look')
  const [first = '', ...rest] = wrap(visible(`${name}: ${what}`), page.columns - margin.length)
  const block = (text: string) =>
    wrap(visible(text), page.columns - margin.length).map(line => margin + line)
  return [
    `${mark}${' '.repeat(margin.length - (fixed ? 5 : 4))}${first}`,
    ...rest.map(line => margin + line),
    ...block(why).map(line => page.ink('dim', line)),
    // Its commands are copied, so the terminal breaks the line and not we.
    `${margin}→ ${visible(next)}`,
  ]
}

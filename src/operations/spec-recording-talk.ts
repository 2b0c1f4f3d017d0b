/** What was left out of a recorded case, in words. */
import type { LeftOutWhy } from '../kernel/spec/author/stable-lines.ts'
import { keptLinesMax } from '../kernel/spec/author/stable-lines.ts'
import { counted } from './counted.ts'
import type { LeftOut, RecordedReport } from './spec-recording.ts'

const reasons: Readonly<Record<LeftOutWhy, string>> = {
  changed: 'was not there when it ran again',
  time: 'looks like a time of day',
  not_text: 'has characters that are no text',
  too_long: 'is too long',
  too_many: `comes after ${keptLinesMax} others`,
}

const shownMax = 5
const charsMax = 100

export function leftOutTalk({ leftOut, message }: RecordedReport): string | undefined {
  const told = leftOut.slice(0, shownMax).map(lineTalk)
  const more = leftOut.length - told.length
  const parts = [
    ...(message === null ? [] : [`not recorded, since the case fails: ${message}`]),
    ...told,
    ...(more > 0 ? [`left out too: ${counted(more, 'more line')}; --json has all`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join('\n')
}

function lineTalk({ from, text, why }: LeftOut): string {
  const shown = text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
  return `left out of ${from}: ${JSON.stringify(shown)} ${reasons[why]}`
}

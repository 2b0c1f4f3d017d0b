/** The reminder queue: the lines that an attempt was given beside its issue, each once. */
import type { HandoffPacket } from '../../../wire/harness/handoff-packet.ts'
import { type ReminderQueue, reminderQueueKind } from '../../../wire/harness/reminder-queue.ts'

type Reminder = ReminderQueue['lines'][number]

/** What an attempt is given. Attempts at a fresh issue get nothing. */
export interface GivenLines {
  readonly packet?: HandoffPacket | undefined
  /** The text of `feedback.txt`. */
  readonly feedback?: string | undefined
}

/**
 * Advice comes before output, so that the cap of the policy drops the end of a long output first.
 */
export function reminderQueue(given: GivenLines, linesMax: number): ReminderQueue {
  const seen = new Set<string>()
  const lines = [...ofPacket(given.packet), ...linesOf('feedback', given.feedback ?? '')].filter(
    ({ text }) => text !== '' && !seen.has(text) && seen.add(text),
  )
  return {
    schema: 1,
    queueKind: reminderQueueKind,
    linesMax,
    dropped: Math.max(0, lines.length - linesMax),
    lines: lines.slice(0, linesMax),
  }
}

function ofPacket(packet: HandoffPacket | undefined): readonly Reminder[] {
  if (!packet) return []
  const { next, attention = [], comments = [], tried } = packet
  return [
    ...linesOf('handoff', next),
    ...attention.flatMap(text => linesOf('attention', text)),
    ...comments.flatMap(({ author, text }) => linesOf('handoff', `${author}: ${text}`)),
    ...tried.flatMap(({ stepId, resultClass, summary }) =>
      linesOf('handoff', [stepId, resultClass, ...(summary === null ? [] : [summary])].join(': ')),
    ),
  ]
}

const linesOf = (source: Reminder['source'], text: string): readonly Reminder[] =>
  text.split('\n').map(line => ({ source, text: line.trimEnd() }))

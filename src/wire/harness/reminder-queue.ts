import {
  about,
  count,
  list,
  literal,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

export const reminderQueueKind = 'premath.harness.reminder_queue.v1'

/** `reminders.json` in the folder of a step: the lines that the attempt was given. */
export const ReminderQueue = record({
  schema: literal(1),
  queueKind: literal(reminderQueueKind),
  linesMax: about(positive, 'harness.reminderLines of the policy.'),
  dropped: about(count, 'How many lines more there were.'),
  lines: list(record({ source: word(['handoff', 'attention', 'feedback']), text })),
})
export type ReminderQueue = ValueOf<typeof ReminderQueue>

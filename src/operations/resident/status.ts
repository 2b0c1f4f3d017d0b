import { counted } from '../../kernel/text/counted.ts'
import { openProject } from '../../project/open.ts'
import { residentStatus } from '../../resident/ask.ts'
import { residentPlace } from '../../resident/place.ts'
import { count, flag, literal, nullable, optional, record, text, whole } from '../../wire/shape.ts'
import { operation } from '../operation.ts'

const action = 'resident.status'

export const residentStatusShown = operation({
  group: 'project',
  summary: 'Show the resident process of the project.',
  description:
    'Shows the process that keeps issue memory: its id, its start and the number of questions that it answered. premath resident serve describes it.',
  effect: 'read',
  opId: 'op/resident.status',
  input: {},
  output: record({
    action: literal(action),
    running: flag,
    socket: nullable(text),
    pid: optional(nullable(whole)),
    version: optional(text),
    startedAt: optional(text),
    questions: optional(count),
  }),
  examples: { 'premath resident status': 'whether one runs' },

  async run(_input, context) {
    const place = await residentPlace(await openProject(context))
    const status = place && (await residentStatus(place, 'status'))
    const output = { action, running: status !== undefined, socket: place?.socket ?? null }
    return {
      output: { ...output, ...status },
      yes: true,
      render: () =>
        status
          ? `Process ${status.pid ?? 'of unknown id'} runs since ${status.startedAt} and answered ${counted(status.questions, 'question')}.\n`
          : 'No resident process runs for this project.\n',
    }
  },
})

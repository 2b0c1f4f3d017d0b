import { Fault } from '../../fault.ts'
import { openProject } from '../../project/open.ts'
import { residentStatus } from '../../resident/ask.ts'
import { residentPlace } from '../../resident/place.ts'
import { flag, literal, nullable, record, whole } from '../../wire/shape.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

const action = 'resident.stop'
const endMsMax = 5000

export const residentStop = operation({
  group: 'project',
  summary: 'End the resident process of the project.',
  description: 'Ends the process that keeps issue memory, and waits for its end.',
  effect: 'projection',
  opId: 'op/resident.stop',
  input: {},
  output: record({ action: literal(action), wasRunning: flag, pid: nullable(whole) }),
  examples: { 'premath resident stop': 'the process has ended' },

  async run(_input, context) {
    const refused = notForWork(action, 'end the resident process', context)
    if (refused) return refused
    const project = await openProject(context)
    const place = await residentPlace(project)
    const status = place && (await residentStatus(place, 'stop'))
    if (status) {
      const lock = await (await project.disk()).lock(place.lock, endMsMax)
      if (!lock.held) throw stillRuns(lock.holder)
      await lock.release()
    }
    const output = { action, wasRunning: status !== undefined, pid: status?.pid ?? null }
    const line = status ? 'Ended the resident process.' : 'No resident process runs.'
    return { output, yes: true, render: () => `${line}\n` }
  },
})

const stillRuns = (holder: string) =>
  new Fault('unavailable', `the resident process did not end: ${holder}`, {
    hint: 'End the process by its id.',
  })

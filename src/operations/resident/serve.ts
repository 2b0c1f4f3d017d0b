import { Fault } from '../../fault.ts'
import { countField } from '../../field.ts'
import { openProject } from '../../project/open.ts'
import { answeredCommands } from '../../resident/answered.ts'
import { serveResident } from '../../resident/serve.ts'
import { literal, record, word } from '../../wire/shape.ts'
import { askOperation } from '../call.ts'
import { operations } from '../index.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

const action = 'resident.serve'
const what = 'start a process that outlives its step'

export const residentServe = operation({
  group: 'project',
  summary: 'Keep issue memory in a process that answers questions.',
  description:
    'Runs the resident process of the project. It listens at a socket that only this user can reach, and answers commands that read. It changes nothing. It ends when nobody asks for the idle time, on Ctrl-C, with premath resident stop, and when the project is gone. Commands work without it. The setting residentMemory turns it off.',
  effect: 'projection',
  opId: 'op/transport.resident',
  input: {
    idleSeconds: countField('seconds', 'End after this time without a question.', {
      default: 600,
    }),
  },
  output: record({
    action: literal(action),
    ended: word(['idle', 'stopped', 'outdated', 'stuck']),
  }),
  examples: { 'premath resident serve --idle-seconds 60': 'runs until nobody asks for a minute' },

  async run({ idleSeconds }, context) {
    const refused = notForWork(action, what, context)
    if (refused) return refused
    const project = await openProject(context)
    if (!project.isFound) throw noProject(project.root)
    const { residentMemory } = (await project.config()).config
    if (residentMemory === 'off') throw isOff()
    // A client waits for an answer, and not for the code of the command.
    await Promise.all([...answeredCommands].map(command => operations[command]?.()))
    const served = await serveResident(project, {
      idleMs: idleSeconds * 1000,
      answering: async ({ command, args, names }, asking) => {
        const answer = await askOperation(command, args, asking, names)
        if (!answer) return undefined
        const { text, exitCode, isError } = answer
        return { text, exitCode, isError }
      },
    })
    if ('holder' in served) throw alreadyRuns(served.holder)
    const { ended } = served
    return { output: { action, ended }, yes: true, render: () => `${endLines[ended]}\n` }
  },
})

const endLines = {
  idle: 'Ended: nobody asked.',
  stopped: 'Stopped.',
  outdated: 'Ended: the project, its settings, the socket or premath itself changed.',
  stuck: 'Ended: a question took too long.',
} as const

const noProject = (root: string) =>
  new Fault('usage', `there is no project at ${root}`, {
    hint: 'Run premath init, or change to the folder of a project.',
  })

const isOff = () =>
  new Fault('usage', 'the setting residentMemory is off', {
    hint: 'Turn it on: premath config set residentMemory on.',
  })

const alreadyRuns = (holder: string) =>
  new Fault('conflict', `the resident process of this project runs already: ${holder}`, {
    hint: 'Nothing was started. To end it, run premath resident stop.',
  })

import { memoryFields } from '../../input/issue-fields.ts'
import { sessionDocument, sessionStates, writeSession } from '../../kernel/harness/session.ts'
import {
  givenRefs,
  mustBeOwnFile,
  openSession,
  sessionFields,
} from '../../project/harness-files.ts'
import { issuesSnapshot } from '../../project/issues-snapshot.ts'
import { sessionPage } from '../../render/harness/session-page.ts'
import { operation } from '../operation.ts'

export const harnessSessionWrite = operation({
  group: 'harness',
  summary: 'Write the session: what the next context has to know.',
  description:
    'Makes the session or changes it in place: its id and its start stay, and so does what is not named. A blank value clears, also of a list. Refs of one issue are not carried to the next. It names issue memory as it stands, where that can be read.',
  effect: 'projection',
  opId: 'op/harness.session_write',
  input: {
    state: {
      type: 'choice',
      values: sessionStates,
      describe: 'Whether somebody is at work.',
      default: 'stopped',
    },
    issueId: { type: 'text', describe: 'The issue that is worked on.', placeholder: 'id' },
    summary: { type: 'text', describe: 'What was learned.', placeholder: 'text' },
    nextStep: { type: 'text', describe: 'What comes next.', placeholder: 'text' },
    instructionRef: {
      type: 'text',
      describe: 'An instruction the work follows.',
      placeholder: 'ref',
      many: true,
    },
    witnessRef: {
      type: 'text',
      describe: 'A witness of what was done.',
      placeholder: 'ref',
      many: true,
    },
    lineageRef: {
      type: 'text',
      describe: 'Where the work comes from, such as ctx://issue/bd-1/x.',
      placeholder: 'ref',
      many: true,
    },
    sessionId: {
      type: 'text',
      describe: 'A name for the session; without it, the one it has or a new one.',
      placeholder: 'id',
    },
    ...sessionFields,
    ...memoryFields,
  },
  examples: [
    {
      command: 'premath harness-session write --state active --issue-id bd-1',
      shows: 'work on bd-1 begins',
    },
    {
      command:
        "premath harness-session write --summary 'login fixed' --next-step 'run the specs' --witness-ref w1",
      shows: 'a handoff to the next context',
    },
    { command: "premath harness-session write --witness-ref ''", shows: 'no witnesses any more' },
  ],

  async run(input, context) {
    const open = await openSession(context, input.path)
    await mustBeOwnFile({ path: open.path, real: open.cell.path }, context)
    const { issuesPath, ref, talk } = await issuesSnapshot(context, input.issues)
    const session = await open.cell.update(before => {
      const write = {
        sessionId: input.sessionId,
        state: input.state,
        issueId: input.issueId,
        summary: input.summary,
        nextStep: input.nextStep,
        instructionRefs: givenRefs(input.instructionRef),
        witnessRefs: givenRefs(input.witnessRef),
        lineageRefs: givenRefs(input.lineageRef),
        issuesPath,
        issuesSnapshotRef: ref,
      }
      return writeSession(before, write, context.clock.now())
    })
    const { path } = open
    return {
      output: { action: 'harness-session.write', path, session: sessionDocument(session) },
      yes: true,
      ...talk,
      render: page => sessionPage(session, path, page),
    }
  },
})

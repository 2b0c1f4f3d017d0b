import { Fault } from '../../fault.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { openSession, sessionFields } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { sessionPage } from '../../render/harness/session-page.ts'
import { SessionReadAnswer } from '../../wire/answers/harness.ts'
import { Session } from '../../wire/harness/session.ts'
import { operation } from '../operation.ts'

export const harnessSessionRead = operation({
  group: 'harness',
  summary: 'Show the session that the last context left.',
  description:
    'A session names the issue, a summary and the next step. It is a handoff and grants no authority. Exits 2 if it does not exist.',
  effect: 'read',
  opId: 'op/harness.session_read',
  input: { ...sessionFields },
  output: SessionReadAnswer,
  examples: { 'premath harness-session read --json': 'print the session' },

  async run({ path: given }, context) {
    const { cell, path } = await openSession(await openProject(context), given)
    const session = await cell.read()
    if (!session) throw noSession(path)
    return {
      output: { action: 'harness-session.read', path, session: documentOf(Session, session) },
      yes: true,
      render: page => sessionPage(session, path, page),
    }
  },
})

const noSession = (path: string) =>
  new Fault('invalid_input', `the harness session ${path} does not exist`, {
    hint: 'Create it with premath harness-session write --state active, or start fresh with premath harness-session bootstrap.',
    detail: { path },
  })

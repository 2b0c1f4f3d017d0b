import { Fault } from '../../fault.ts'
import { sessionDocument } from '../../kernel/harness/session.ts'
import { openSession, sessionFields } from '../../project/harness-files.ts'
import { sessionPage } from '../../render/harness/session-page.ts'
import { operation } from '../operation.ts'

export const harnessSessionRead = operation({
  group: 'harness',
  summary: 'Show the session: what the last context left for the next.',
  description:
    'A session says which issue was worked on, what was learned and what comes next. It is a handoff, never authority over work. Exits 2 where there is none yet.',
  effect: 'read',
  opId: 'op/harness.session_read',
  input: { ...sessionFields },
  examples: [{ command: 'premath harness-session read --json', shows: 'the session as it is' }],

  async run({ path: given }, context) {
    const { cell, path } = await openSession(context, given)
    const session = await cell.read()
    if (!session) throw noSession(path)
    return {
      output: { action: 'harness-session.read', path, session: sessionDocument(session) },
      yes: true,
      render: page => sessionPage(session, path, page),
    }
  },
})

const noSession = (path: string) =>
  new Fault('invalid_input', `there is no harness session ${path} yet`, {
    hint: 'Begin one: premath harness-session write --state active. Or start fresh: premath harness-session bootstrap.',
    detail: { path },
  })

import { Fault } from '../../fault.ts'
import { choiceField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { writeSession } from '../../kernel/harness/session.ts'
import { trim } from '../../kernel/text/clean.ts'
import {
  givenRefs,
  mustNotReplaceProjectFile,
  openSession,
  sessionFields,
} from '../../project/harness-files.ts'
import { openProject, type Project } from '../../project/open.ts'
import { issuesPlace, messageOf, openIssues } from '../../project/open-issues.ts'
import { sessionPage } from '../../render/harness/session-page.ts'
import { SessionWriteAnswer } from '../../wire/answers/harness.ts'
import { Session, sessionStates } from '../../wire/harness/session.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const harnessSessionWrite = operation({
  group: 'harness',
  summary: 'Create or change the session for the next context.',
  description:
    'The id and start time of an existing session stay, and so do values that are not given. An empty value clears a member. When the issue changes, its refs are removed. The session also records the current state of issue memory, if it can be read. The work of a step is refused.',
  effect: 'projection',
  opId: 'op/harness.session_write',
  input: {
    state: choiceField(sessionStates, 'The state of the session.', { default: 'stopped' }),
    issueId: textField('id', 'The issue.', { names: 'issue' }),
    summary: textField('text', 'A summary of the work.'),
    nextStep: textField('text', 'The next step.'),
    instructionRef: textField('ref', 'A ref to an instruction of the work.', { many: true }),
    witnessRef: textField('ref', 'A ref to a witness of the work.', { many: true }),
    lineageRef: textField('ref', 'A lineage ref, such as ctx://issue/bd-1/x.', { many: true }),
    sessionId: textField('id', 'The session id. Defaults to the existing id, then to a new one.'),
    ...sessionFields,
    ...memoryFields,
  },
  output: SessionWriteAnswer,
  examples: {
    'premath harness-session write --state active --issue-id bd-1': 'start work on bd-1',
    "premath harness-session write --summary 'login fixed' --next-step 'run the specs' --witness-ref w1":
      'leave a handoff for the next context',
    "premath harness-session write --witness-ref ''": 'remove all witness refs',
  },

  async run(input, context) {
    const inStep = notForWork('harness-session.write', 'write a session', context)
    if (inStep) return inStep
    const project = await openProject(context)
    const open = await openSession(project, input.path)
    await mustNotReplaceProjectFile({ path: open.path, real: open.cell.path }, project)
    const { issuesPath, ref, notices } = await issuesSnapshot(project, input.issues)
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
      output: { action: 'harness-session.write', path, session: documentOf(Session, session) },
      yes: true,
      ...notices,
      render: page => sessionPage(session, path, page),
    }
  },
})

interface IssuesSnapshot {
  /** As the person gave it, or where it is by default. */
  readonly issuesPath: string
  /** Absent where there is no memory, or it cannot be trusted. */
  readonly ref: string | undefined
  /** Why there is none, or which repairs the store made. */
  readonly notices: { readonly message?: string }
}

/** The session records the issue memory that it was written beside. */
async function issuesSnapshot(
  project: Project,
  given: string | undefined,
): Promise<IssuesSnapshot> {
  const issues = given === undefined ? undefined : trim(given)
  if (issues === '') return { issuesPath: '', ref: undefined, notices: {} }
  try {
    const open = await openIssues(project, { issues }, 'ask')
    const ref = (await open.store.read()).snapshotRef(project.sha256)
    return { issuesPath: open.issuesPath, ref, notices: messageOf(open) }
  } catch (error) {
    // The handoff is written even so; other commands report what is wrong with the memory.
    if (!(error instanceof Fault)) throw error
    const { issuesPath } = issuesPlace(project, issues)
    const message = `note: no issuesSnapshotRef was kept: ${error.message}`
    return { issuesPath, ref: undefined, notices: { message } }
  }
}

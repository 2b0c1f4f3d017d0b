import type { Page } from '../../answer.ts'
import { textField } from '../../field.ts'
import { bootstrapFrom } from '../../kernel/harness/bootstrap.ts'
import { ledgerPathDefault } from '../../kernel/harness/feature-ledger.ts'
import { projectLedger } from '../../kernel/harness/ledger-check.ts'
import { openLedger, openSession, sessionFields } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { ledgerRejected } from '../../render/harness/ledger-answer.ts'
import { type Fact, factsPage } from '../../render/titled-page.ts'
import { Bootstrap } from '../../wire/harness/bootstrap.ts'
import { operation } from '../operation.ts'

const action = 'harness-session.bootstrap'

export const harnessSessionBootstrap = operation({
  group: 'harness',
  summary: 'Show how a new context starts: fresh, resume or attach.',
  description:
    'fresh: no session exists. resume: the last session was stopped. attach: a session is active. With a feature ledger, the next feature is shown too. Exits 1 if the ledger is rejected.',
  effect: 'read',
  opId: 'op/harness.session_bootstrap',
  input: {
    ...sessionFields,
    featureLedger: textField(
      'file',
      `The feature ledger file. Defaults to ${ledgerPathDefault} of the project.`,
      { path: true, also: ['ledger', 'feature-ledger-path'] },
    ),
  },
  output: Bootstrap,
  examples: { 'premath harness-session bootstrap --json': 'print the context as JSON' },

  async run(input, context) {
    const project = await openProject(context)
    const session = await openSession(project, input.path)
    const ledger = await openLedger(project, input.featureLedger, {
      flag: '--feature-ledger',
    })
    const refs = { sessionRef: session.path, featureLedgerRef: ledger.path }
    const found = await session.cell.read()
    const features = await ledger.cell.read()
    const projected = features && projectLedger(features)
    if (projected && 'failureClasses' in projected) {
      return ledgerRejected({ action, ...refs }, ledger.path, projected.failureClasses)
    }
    const bootstrap = bootstrapFrom(found, projected, refs)
    return {
      output: { action, ...bootstrap },
      yes: true,
      render: (page: Page) => bootstrapPage(bootstrap, page),
    }
  },
})

type Start = ReturnType<typeof bootstrapFrom>

function bootstrapPage(bootstrap: Start, page: Page): string {
  const facts: readonly Fact[] = [
    ['issue', bootstrap.resumeIssueId ?? undefined],
    ['summary', bootstrap.summary ?? undefined],
    ['next step', bootstrap.nextStep ?? undefined],
    ['next feature', bootstrap.nextFeatureId ?? undefined],
    ['session', bootstrap.sessionId ?? 'none'],
    ['path', bootstrap.sessionRef],
  ]
  return factsPage(bootstrap.mode, facts, page)
}

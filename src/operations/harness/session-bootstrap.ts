import type { Page } from '../../answer.ts'
import { bootstrapFrom } from '../../kernel/harness/bootstrap.ts'
import { ledgerPathDefault } from '../../kernel/harness/feature-ledger.ts'
import { projectLedger } from '../../kernel/harness/ledger-check.ts'
import { openLedger, openSession, sessionFields } from '../../project/harness-files.ts'
import { type Fact, factsPage } from '../../render/facts.ts'
import { ledgerRejected } from '../../render/harness/ledger-answer.ts'
import { operation } from '../operation.ts'

const action = 'harness-session.bootstrap'

export const harnessSessionBootstrap = operation({
  group: 'harness',
  summary: 'Say how a fresh context starts: fresh, resume or attach.',
  description:
    'fresh: there is no session yet. resume: the last one was stopped. attach: one is active. Where there is a feature ledger, the next feature is named too; a ledger that is rejected is a no, and the exit code 1.',
  effect: 'read',
  opId: 'op/harness.session_bootstrap',
  input: {
    ...sessionFields,
    featureLedger: {
      type: 'text',
      describe: `The feature ledger; without it, ${ledgerPathDefault} of the project.`,
      placeholder: 'file',
      path: true,
    },
  },
  examples: [
    {
      command: 'premath harness-session bootstrap --json',
      shows: 'what a fresh context needs to go on',
    },
  ],

  async run(input, context) {
    const session = await openSession(context, input.path)
    const ledger = await openLedger(context, input.featureLedger, {
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

type Bootstrap = ReturnType<typeof bootstrapFrom>

function bootstrapPage(bootstrap: Bootstrap, page: Page): string {
  const facts: readonly Fact[] = [
    ['issue', bootstrap.resumeIssueId ?? undefined],
    ['summary', bootstrap.summary ?? undefined],
    ['next step', bootstrap.nextStep ?? undefined],
    ['next feature', bootstrap.nextFeatureId ?? undefined],
    ['session', bootstrap.sessionId ?? 'none yet'],
    ['path', bootstrap.sessionRef],
  ]
  return factsPage(bootstrap.mode, facts, page)
}

import type { Page } from '../../answer.ts'
import { flagField } from '../../field.ts'
import { failureClassesOf, failureFields } from '../../input/failure-fields.ts'
import { decideRetry } from '../../kernel/harness/retry/retry-decision.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { openRetryPolicy } from '../../project/policies/control-policy.ts'
import { RetryDecision } from '../../wire/harness/retry-decision.ts'
import { operation } from '../operation.ts'

export const harnessRetry = operation({
  group: 'harness',
  summary: 'Decide whether to retry a failure.',
  description:
    'Applies the retry policy to the failure and the attempt. Equal input gives an equal decision. A command that could not run is wiring, one that timed out, was killed or passes on a rerun is flaky (a timeout has its own class, command_timeout), and any other failure is semantic. A failure class on the last line of stderr takes precedence. Exits 0 if an attempt is left and 1 if none is; then run premath harness-escalate.',
  effect: 'read',
  opId: 'op/harness.retry',
  input: {
    ...failureFields,
    wait: flagField('Wait until the next attempt may start.'),
  },
  output: RetryDecision,
  examples: {
    'premath harness-retry --exit-code 1 --stderr err.txt --attempt 1':
      'show whether to retry, and after how long',
    'premath harness-retry --failure-class flaky_io --attempt 2 --wait && npm test':
      'wait, then run the next attempt',
  },

  async run({ wait, ...input }, context) {
    const policy = await openRetryPolicy(await openProject(context), input.policy)
    const decision = decideRetry(policy, await failureClassesOf(input, context), input.attempt)
    if (wait) await context.clock.sleep(decision.backoffMs)
    return {
      output: decision,
      yes: decision.retry,
      render: page => decisionPage(decision, page),
    }
  },
})

function decisionPage(decision: RetryDecision, page: Page): string {
  const { attempt, maxAttempts, matchedFailureClass, ruleId } = decision
  const why = page.ink('dim', visible(`  ${matchedFailureClass}, by rule ${ruleId}`))
  if (!decision.retry) {
    const head = `${page.ink('red', 'No attempt is left')} after ${attempt} of ${maxAttempts}`
    return `${head}: ${decision.escalationAction}\n${why}\n`
  }
  const pause = decision.backoffMs === 0 ? 'immediately' : `after ${decision.backoffMs / 1000} s`
  return `${page.ink('green', 'Retry')} ${pause}: attempt ${attempt + 1} of ${maxAttempts}\n${why}\n`
}

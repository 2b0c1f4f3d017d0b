import type { Page } from '../../answer.ts'
import { failureClassesOf, failureFields } from '../../input/failure-fields.ts'
import { decideRetry, type RetryDecision } from '../../kernel/harness/retry/retry-decision.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openRetryPolicy } from '../../project/policies/retry-policy-file.ts'
import { operation } from '../operation.ts'

export const harnessRetry = operation({
  group: 'harness',
  summary: 'Decide whether something that failed is tried again.',
  description:
    'By the retry policy, from what failed and how often: the same question gets the same answer. What could not be run is wiring, what was cut off or passes on a second run is flaky, anything else is a check that said no; a class that the command names on its last line of standard error wins. Exits 0 when there is another attempt and 1 when there is none; then premath harness-escalate does what is left to do.',
  effect: 'read',
  input: {
    ...failureFields,
    wait: { type: 'flag', describe: 'Wait as long as the next attempt is to wait.' },
  },
  examples: [
    {
      command: 'premath harness-retry --exit-code 1 --stderr err.txt --attempt 1',
      shows: 'whether to try again, and after how long',
    },
    {
      command: 'premath harness-retry --failure-class flaky_io --attempt 2 --wait && npm test',
      shows: 'the next attempt, after its wait',
    },
  ],

  async run({ wait, ...input }, context) {
    const policy = await openRetryPolicy(context, input.policy)
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
  const why = page.ink('dim', visible(`  ${matchedFailureClass}, by the rule ${ruleId}`))
  if (!decision.retry) {
    const head = `${page.ink('red', 'No attempt is left')} after ${attempt} of ${maxAttempts}`
    return `${head}: ${decision.escalationAction}\n${why}\n`
  }
  const pause = decision.backoffMs === 0 ? 'at once' : `after ${decision.backoffMs / 1000} s`
  return `${page.ink('green', 'Try again')} ${pause}: attempt ${attempt + 1} of ${maxAttempts}\n${why}\n`
}

/** Runs one request of a scenario: condition, delay, retries, assertions and captures. */
import type { AssertRoot } from '../../kernel/spec/assert/assert-tree.ts'
import { captured } from '../../kernel/spec/http/capture.ts'
import {
  type HttpResult,
  isResponseTarget,
  type ResponseTarget,
} from '../../kernel/spec/http/http-result.ts'
import type { Retry, ScenarioStep } from '../../kernel/spec/http/scenario-step.ts'
import { evaluate, isSpecError } from '../../kernel/spec/lang/evaluate.ts'
import { isTruthy } from '../../kernel/spec/lang/item.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import type { Masking } from '../masking.ts'
import { ResolvedSubjects } from '../observation.ts'
import { judgeTree } from '../run-assertions.ts'
import { requestNote } from './api-http-exchange.ts'
import { isSpecErrorOf, type SubjectSources } from './case-harness.ts'
import type { StepResults } from './step-results.ts'

/** The surroundings of a request. */
interface StepSetting {
  /** The results of earlier requests. */
  readonly steps: StepResults
  send(): Promise<HttpResult | CaseFailure>
  readonly masking: Masking
  readonly context: ExecutionContext
}

export interface StepOutcome {
  /** `undefined` if the request was not sent. */
  readonly result: HttpResult | undefined
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
}

export async function runStep(
  step: ScenarioStep,
  setting: StepSetting,
): Promise<StepOutcome | CaseFailure> {
  const isWanted = holds(step, setting)
  if (typeof isWanted !== 'boolean') return isWanted
  if (!isWanted) return { result: undefined, evaluated: 0 }
  if (step.delayMs > 0) await pause(step.delayMs, setting)
  const { retry } = step
  const result = await (retry === undefined ? setting.send() : untilHolding(retry, setting))
  if (isSpecErrorOf(result)) return result
  const isJudged = step.assert.children.length > 0
  const { failure, evaluated } = isJudged ? await judgeStep(step.assert, result, setting) : unjudged
  if (failure) return noted(failure, result, setting)
  const captures = capturesIn(step, result, setting)
  if (isSpecErrorOf(captures)) return captures
  return { result: captures.size === 0 ? result : result.withCaptures(captures), evaluated }
}

function holds(
  { when }: ScenarioStep,
  { steps, context: { budget, startTimer, regex } }: StepSetting,
): boolean | SpecError {
  if (when === undefined) return true
  const subject = steps.byId
  const outcome = evaluate(when, { subject, offered: steps, budget, startTimer, regex })
  return isSpecError(outcome) ? outcome : isTruthy(outcome.value)
}

/** A file needs no request to look at it. */
function noted(
  failure: CaseFailure,
  { isFromNetwork, received }: HttpResult,
  { context: { run } }: StepSetting,
): CaseFailure {
  if (!isFromNetwork) return failure
  const note = requestNote(received.request, run.secrets)
  return { ...failure, message: `${failure.message}\n${note}` }
}

const unjudged = { failure: undefined, evaluated: 0 }

/** The assertions see the response, and the results of earlier requests as `{var: steps}`. */
async function judgeStep(
  root: AssertRoot,
  result: HttpResult,
  { steps, masking, context }: StepSetting,
) {
  const byTarget = responseSubjects(result)
  const subjects = new ResolvedSubjects({ byTarget, offered: steps }, masking, context)
  return await judgeTree(root, subjects, context)
}

export const responseSubjects = (result: HttpResult): SubjectSources => ({
  get: target => (isResponseTarget(target) ? () => ({ value: result.subject(target) }) : undefined),
})

/** Sends the request again and again. A mistake of the author ends it at once. */
async function untilHolding(retry: Retry, setting: StepSetting): Promise<HttpResult | CaseFailure> {
  const { send, context } = setting
  const began = context.now()
  for (let attempts = 1; ; attempts++) {
    const result = await send()
    const failure = isSpecErrorOf(result)
      ? result
      : (await judgeStep(retry.until, result, setting)).failure
    if (failure === undefined) return result
    const isLate = context.now() - began + retry.intervalMs > retry.timeoutMs
    if (failure.category === 'schema' || context.run.stopped) return failure
    if (isLate) {
      const times = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
      return { ...failure, message: `${failure.message}\n  gave up after ${times}` }
    }
    await pause(retry.intervalMs, setting)
  }
}

/** A stop of the run ends a long wait early. */
const longestSleepMs = 100

async function pause(ms: number, { context: { run } }: StepSetting): Promise<void> {
  for (let left = ms; left > 0 && !run.stopped; left -= longestSleepMs) {
    await run.world.clock.sleep(Math.min(left, longestSleepMs))
  }
}

function capturesIn(
  { captures }: ScenarioStep,
  result: HttpResult,
  { context: { run } }: StepSetting,
): ReadonlyMap<string, SpecValue> | SpecError {
  const found = new Map<string, SpecValue>()
  for (const rule of captures) {
    const subject = result.subject(rule.from as ResponseTarget)
    const one = captured(rule, subject, (pattern, text) => run.regex.firstGroup(pattern, text))
    if (isSpecErrorOf(one)) return one
    found.set(rule.name, one.value)
  }
  return found
}

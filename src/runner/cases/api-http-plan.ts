/** What an `api.http` case sends, as far as its texts say, and what is wrong with it. */
import { harnessFlaws } from '../../kernel/spec/http/harness-flaws.ts'
import {
  type HttpRequest,
  type HttpSetting,
  httpRequest,
  httpSetting,
  type WrittenRequest,
  writtenRequests,
} from '../../kernel/spec/http/http-request.ts'
import { type NamedFile, namedFiles } from '../../kernel/spec/http/named-files.ts'
import { type ScenarioStep, scenarioStep } from '../../kernel/spec/http/scenario-step.ts'
import { isErrors, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import { type ExecutionContext, templateValues } from '../execution-context.ts'
import { type Destination, destinationOf } from './api-http-exchange.ts'
import { checkedRequest } from './api-http-requests.ts'
import { isSpecErrorOf } from './case-harness.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export interface HttpPlan {
  readonly setting: HttpSetting
  readonly steps: readonly PlannedStep[]
  readonly files: readonly NamedFile[]
}

export interface PlannedStep extends ScenarioStep {
  /** Absent if templates of the request are filled when it is sent. */
  readonly request?: HttpRequest | undefined
  readonly destination?: Destination | undefined
}

/** Templates may have changed an address, so that every request is checked again. */
export function httpPlan(value: Mapping, context: ExecutionContext): HttpPlan | SpecError {
  const setting = httpSetting(value)
  const { root } = context.document
  const written = writtenRequests(value)
  const requests: WrittenRequest[] = []
  for (const one of written) {
    const checked = checkedRequest(one, templateValues(context), setting, context)
    if (isSpecErrorOf(checked)) return checked
    requests.push(checked)
  }
  const steps = stepsOf(written, context)
  if (isSpecErrorOf(steps)) return steps
  const [flaw] = harnessFlaws(value, setting, root)
  if (flaw !== undefined) return { category: 'schema', ...flaw }
  const isWhole = (at: number) => requests[at] === written[at]
  return {
    setting,
    steps: steps.map((step, at) => (isWhole(at) ? withRequest(step, setting, context) : step)),
    files: namedFiles(value, requests, setting, root),
  }
}

/** Copied by name: V8 is slow at objects that start with a spread, and each run reads this one. */
function withRequest(
  { written, when, delayMs, assert, retry, captures }: ScenarioStep,
  setting: HttpSetting,
  context: ExecutionContext,
): PlannedStep {
  const request = httpRequest(written.value, setting)
  const destination = destinationOf(request, setting, context)
  return { written, when, delayMs, assert, retry, captures, request, destination }
}

export function stepsOf(
  requests: readonly WrittenRequest[],
  { scope }: ExecutionContext,
): readonly ScenarioStep[] | SpecError {
  const steps: ScenarioStep[] = []
  for (const written of requests) {
    const step = scenarioStep(written, scope)
    if (isErrors(step)) return step[0] as SpecError
    steps.push(step)
  }
  return steps
}

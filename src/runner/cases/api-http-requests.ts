/** Sends the requests of a case in order. */
import { requestFlaws } from '../../kernel/spec/http/http-flaws.ts'
import {
  type HttpRequest,
  type HttpSetting,
  httpRequest,
  type WrittenRequest,
} from '../../kernel/spec/http/http-request.ts'
import { HttpResult, type ReceivedBody } from '../../kernel/spec/http/http-result.ts'
import { filledRequest } from '../../kernel/spec/http/step-templates.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { TemplateValues } from '../../kernel/spec/template/fill-templates.ts'
import type { CaseFailure } from '../case-outcome.ts'
import { type ExecutionContext, templateValues } from '../execution-context.ts'
import type { Masking } from '../masking.ts'
import type { Authorizer } from './api-http-auth.ts'
import type { HttpExchange } from './api-http-exchange.ts'
import type { PlannedStep } from './api-http-plan.ts'
import { runStep } from './api-http-step.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { StepResults } from './step-results.ts'

export interface RequestPlan {
  readonly steps: readonly PlannedStep[]
  readonly setting: HttpSetting
  readonly exchange: HttpExchange
  readonly authorizer: Authorizer
  readonly masking: Masking
}

interface SentRequests {
  /** At least one. */
  readonly results: readonly HttpResult[]
  readonly steps: StepResults
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
}

/** Without `fail_fast`, a request that cannot be sent ends the scenario and not the case. */
export async function sendRequests(
  plan: RequestPlan,
  context: ExecutionContext,
): Promise<SentRequests | CaseFailure> {
  const results: HttpResult[] = []
  const steps = new StepResults()
  let evaluated = 0
  for (const step of plan.steps) {
    const send = () => sendRequest(step, steps, plan, context)
    const outcome = await runStep(step, { steps, send, masking: plan.masking, context })
    if (isSpecErrorOf(outcome)) {
      const isIgnored = !plan.setting.failFast && outcome.category === 'runtime'
      if (!isIgnored || outcome.stopped || results.length === 0) return outcome
      break
    }
    evaluated += outcome.evaluated
    const { result } = outcome
    if (result === undefined) continue
    results.push(result)
    steps.add(result)
  }
  return results.length === 0 ? nothingSent : { results, steps, evaluated }
}

const nothingSent: CaseFailure = {
  category: 'runtime',
  message: 'api.http sent no request: no when holds',
  path: 'requests',
}

async function sendRequest(
  step: PlannedStep,
  steps: StepResults,
  { setting, exchange, authorizer }: RequestPlan,
  context: ExecutionContext,
): Promise<HttpResult | CaseFailure> {
  const { id, at } = step.written
  const request = step.request ?? requestNow(step.written, steps, setting, context)
  if (isSpecErrorOf(request)) return request
  const began = context.now()
  const { destination } = step
  const answer = await exchange.send({ request, at, destination, authorizer })
  if (isSpecErrorOf(answer)) return answer
  const { url, status, headers, hops, body } = answer
  return new HttpResult({
    // Copied by name: V8 is slow at objects that start with a spread.
    id,
    request,
    url,
    status,
    headers,
    hops,
    captures: new Map(),
    body: new AnsweredBody(body, context.run.world.sha256),
    durationMs: context.now() - began,
  })
}

/** The request with the results of the requests before it. */
function requestNow(
  written: WrittenRequest,
  steps: StepResults,
  setting: HttpSetting,
  context: ExecutionContext,
): HttpRequest | SpecError {
  const own = written.id === undefined ? {} : { steps: steps.byId }
  const checked = checkedRequest(written, { ...templateValues(context), ...own }, setting, context)
  return isSpecErrorOf(checked) ? checked : httpRequest(checked.value, setting)
}

/** The request with these values filled in, or what is wrong with it. */
export function checkedRequest(
  written: WrittenRequest,
  values: TemplateValues,
  setting: HttpSetting,
  { document }: ExecutionContext,
): WrittenRequest | SpecError {
  const filled = filledRequest(written, values)
  if (isSpecErrorOf(filled)) return filled
  const [flaw] = requestFlaws(filled, setting, document.root)
  return flaw === undefined ? filled : { category: 'schema', ...flaw }
}

/** Replaces bytes that are not UTF-8. */
const utf8 = new TextDecoder()

/** Decodes and hashes the bytes only if an assertion or a later request asks. */
class AnsweredBody implements ReceivedBody {
  readonly #content: Uint8Array
  readonly #hash: (content: Uint8Array) => string
  #text: string | undefined

  constructor(content: Uint8Array, hash: (content: Uint8Array) => string) {
    this.#content = content
    this.#hash = hash
  }

  get text(): string {
    this.#text ??= utf8.decode(this.#content)
    return this.#text
  }

  get bytes(): number {
    return this.#content.length
  }

  get sha256(): string {
    return this.#hash(this.#content)
  }
}

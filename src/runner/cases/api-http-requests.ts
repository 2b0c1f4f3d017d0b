/** Sends the requests of a case in order. */
import { requestFlaws } from '../../kernel/spec/http/http-flaws.ts'
import {
  type HttpSetting,
  httpRequest,
  type WrittenRequest,
} from '../../kernel/spec/http/http-request.ts'
import { HttpResult } from '../../kernel/spec/http/http-result.ts'
import { filledRequest } from '../../kernel/spec/http/step-templates.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { TemplateValues } from '../../kernel/spec/template/fill-templates.ts'
import type { CaseFailure } from '../case-outcome.ts'
import { type ExecutionContext, templateValues } from '../execution-context.ts'
import type { Authorizer } from './api-http-auth.ts'
import type { HttpExchange } from './api-http-exchange.ts'
import { isSpecErrorOf } from './case-harness.ts'

export interface RequestPlan {
  readonly requests: readonly WrittenRequest[]
  readonly setting: HttpSetting
  readonly exchange: HttpExchange
  readonly authorizer: Authorizer
}

/** At least one result. Without `fail_fast`, those before the first request that failed. */
export async function sendRequests(
  plan: RequestPlan,
  context: ExecutionContext,
): Promise<readonly HttpResult[] | CaseFailure> {
  const results: HttpResult[] = []
  const state = new Map<string, SpecValue>()
  for (const written of plan.requests) {
    const result = await sendRequest(written, state, plan, context)
    if (isSpecErrorOf(result)) {
      const isIgnored =
        !plan.setting.failFast && result.category === 'runtime' && results.length > 0
      return isIgnored && !result.stopped ? results : result
    }
    results.push(result)
    if (written.id !== undefined) state.set(written.id, result.stepJson)
  }
  return results
}

async function sendRequest(
  written: WrittenRequest,
  state: ReadonlyMap<string, SpecValue>,
  { setting, exchange, authorizer }: RequestPlan,
  context: ExecutionContext,
): Promise<HttpResult | CaseFailure> {
  const { id, at } = written
  const steps = id === undefined ? {} : { steps: state }
  const checked = checkedRequest(
    written,
    { ...templateValues(context), ...steps },
    setting,
    context,
  )
  if (isSpecErrorOf(checked)) return checked
  const request = httpRequest(checked.value, setting)
  const began = context.now()
  const answer = await exchange.send({ request, at, authorizer })
  if (isSpecErrorOf(answer)) return answer
  const { url, status, headers, hops, body } = answer
  return new HttpResult({
    ...{ id, request, url, status, headers, hops },
    bodyText: text.decode(body),
    bodyBytes: body.length,
    bodySha256: context.run.world.sha256(body),
    durationMs: context.now() - began,
  })
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
const text = new TextDecoder()

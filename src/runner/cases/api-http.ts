import { envelope } from '../../kernel/spec/assert/subject.ts'
import { headerLists, headersMapping, headersText } from '../../kernel/spec/http/header-text.ts'
import { httpFlaws } from '../../kernel/spec/http/http-flaws.ts'
import { apiHttpHarnessKeys, apiHttpKeys } from '../../kernel/spec/http/http-keys.ts'
import {
  httpSetting,
  secondsOf,
  type WrittenRequest,
  writtenRequests,
} from '../../kernel/spec/http/http-request.ts'
import type { HttpResult } from '../../kernel/spec/http/http-result.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import { templateValues } from '../execution-context.ts'
import { type Authorizer, noAuthorizer } from './api-http-auth.ts'
import { HttpExchange } from './api-http-exchange.ts'
import { checkedRequest, sendRequests } from './api-http-requests.ts'
import { type CaseHarness, isSpecErrorOf, type SubjectSource } from './case-harness.ts'

/** Subjects of assertions, and sources of chain exports. Those of the last request come first. */
const targets = [
  'status',
  'status_code',
  'headers',
  'headers_json',
  'body_text',
  'body_json',
  'body_bytes',
  'body_sha256',
  'duration_ms',
  'cors_json',
  'steps_json',
  'context_json',
] as const

type HttpTarget = (typeof targets)[number]

/** Reads files as responses, or sends requests, and offers the response. */
export const apiHttp: CaseHarness = {
  type: 'api.http',
  describe: 'Sends HTTP requests and checks the responses.',
  keys: apiHttpKeys,
  harness: apiHttpHarnessKeys,
  flaws: httpFlaws,
  targets,
  values: ['steps'],
  fills: ['request', 'requests'],

  async run({ value }, context) {
    const setting = httpSetting(value)
    const requests = writtenRequests(value)
    // Templates may have changed an address, and no request is sent before all are known to be right.
    for (const one of requests) {
      const checked = checkedRequest(one, templateValues(context), setting, context)
      if (isSpecErrorOf(checked)) return checked
    }
    const exchange = new HttpExchange(setting, context)
    const authorizer = noAuthorizer
    const results = await sendRequests({ requests, setting, exchange, authorizer }, context)
    if (isSpecErrorOf(results)) return results
    const sources = subjectsOf(results, requests, authorizer)
    const steps = new Map(
      results.flatMap(one =>
        one.received.id === undefined ? [] : [[one.received.id, one.stepJson]],
      ),
    )
    return { byTarget: new Map(Object.entries(sources)), offered: new Map([['steps', steps]]) }
  },
}

function subjectsOf(
  results: readonly HttpResult[],
  requests: readonly WrittenRequest[],
  authorizer: Authorizer,
): Readonly<Record<HttpTarget, SubjectSource>> {
  const last = results.at(-1) as HttpResult
  const { status, headers, bodyText, bodyBytes, bodySha256, durationMs } = last.received
  const isScenario = requests[0]?.id !== undefined
  const steps = () => (isScenario ? results.map(one => one.stepJson) : [])
  return {
    status: () => ({ value: String(status) }),
    status_code: () => ({ value: status }),
    headers: () => ({ value: headersText(headers) }),
    headers_json: () => ({ value: headerLists(headers) }),
    body_text: () => ({ value: bodyText }),
    body_json: () => ({ value: last.bodyJson }),
    body_bytes: () => ({ value: bodyBytes }),
    body_sha256: () => ({ value: bodySha256 }),
    duration_ms: () => ({ value: durationMs }),
    cors_json: () => ({ value: last.corsJson }),
    steps_json: () => ({ value: steps() }),
    context_json: () => ({ value: contextOf(last, steps(), authorizer) }),
  }
}

/** Without times, so that the same responses give the same value. */
function contextOf(
  { received, bodyJson, corsJson, redirectsJson }: HttpResult,
  steps: readonly SpecValue[],
  authorizer: Authorizer,
): SpecValue {
  const { request, url, status, headers, bodyText } = received
  const ids = steps.map(step => (step instanceof Map ? step.get('id') : null))
  return envelope({
    profile: 'api.http',
    version: 2,
    value: new Map<string, SpecValue>([
      ['status', status],
      ['headers', headersMapping(headers)],
      ['body_text', bodyText],
      ['body_json', bodyJson],
      ['cors', corsJson],
    ]),
    meta: { target: 'api.http', method: request.method, url, ...authorizer.meta },
    context: {
      timeout_seconds: secondsOf(request.timeoutMs),
      oauth: authorizer.oauthContext(),
      redirects: redirectsJson,
      scenario: new Map<string, SpecValue>([
        ['setup_started', false],
        ['setup_ready', false],
        ['teardown_ran', false],
        ['step_count', Math.max(steps.length, 1)],
        ['step_ids', ids],
      ]),
      steps,
    },
  })
}

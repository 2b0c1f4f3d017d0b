import { envelope } from '../../kernel/spec/assert/subject.ts'
import { headersMapping } from '../../kernel/spec/http/header-text.ts'
import { httpFlaws } from '../../kernel/spec/http/http-flaws.ts'
import { apiHttpHarnessKeys, apiHttpKeys } from '../../kernel/spec/http/http-keys.ts'
import { httpSetting, secondsOf, writtenRequests } from '../../kernel/spec/http/http-request.ts'
import { type HttpResult, responseTargets } from '../../kernel/spec/http/http-result.ts'
import { type ScenarioStep, scenarioStep } from '../../kernel/spec/http/scenario-step.ts'
import { isErrors, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import { templateValues } from '../execution-context.ts'
import { Masking } from '../masking.ts'
import { type Authorizer, noAuthorizer } from './api-http-auth.ts'
import { HttpExchange } from './api-http-exchange.ts'
import { checkedRequest, sendRequests } from './api-http-requests.ts'
import { type CaseHarness, isSpecErrorOf, type SubjectSource } from './case-harness.ts'

/** Subjects of assertions, and sources of chain exports. A response is that of the last request. */
const targets = [...responseTargets, 'steps_json', 'context_json'] as const

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
    // Templates may have changed an address, and no request is sent before all are known to be right.
    const steps: ScenarioStep[] = []
    for (const written of writtenRequests(value)) {
      const checked = checkedRequest(written, templateValues(context), setting, context)
      if (isSpecErrorOf(checked)) return checked
      const step = scenarioStep(written, context.scope)
      if (isErrors(step)) return step[0] as SpecError
      steps.push(step)
    }
    const exchange = new HttpExchange(setting, context)
    const authorizer = noAuthorizer
    const masking = new Masking(value, context)
    const sent = await sendRequests({ steps, setting, exchange, authorizer, masking }, context)
    if (isSpecErrorOf(sent)) return sent
    const { results, evaluated } = sent
    const isScenario = value.has('requests')
    const stepsJson = isScenario ? results.map(one => one.stepJson) : []
    const byTarget = subjectsOf(results, stepsJson, authorizer)
    const byId = results.map(one => [one.received.id ?? '', one.stepValue] as const)
    return { byTarget, evaluated, offered: new Map([['steps', new Map(isScenario ? byId : [])]]) }
  },
}

function subjectsOf(
  results: readonly HttpResult[],
  steps: readonly SpecValue[],
  authorizer: Authorizer,
): ReadonlyMap<string, SubjectSource> {
  const last = results.at(-1) as HttpResult
  return new Map<string, SubjectSource>([
    ...responseTargets.map(target => [target, () => ({ value: last.subject(target) })] as const),
    ['steps_json', () => ({ value: steps })],
    ['context_json', () => ({ value: contextOf(last, steps, authorizer) })],
  ])
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

import { envelope } from '../../kernel/spec/assert/subject.ts'
import { headersMapping } from '../../kernel/spec/http/header-text.ts'
import { httpFlaws } from '../../kernel/spec/http/http-flaws.ts'
import { apiHttpHarnessKeys, apiHttpKeys } from '../../kernel/spec/http/http-keys.ts'
import { secondsOf, writtenRequests } from '../../kernel/spec/http/http-request.ts'
import { type HttpResult, responseTargets } from '../../kernel/spec/http/http-result.ts'
import { requestExpressions } from '../../kernel/spec/http/scenario-step.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { Masking } from '../masking.ts'
import type { Authorizer } from './api-http-auth.ts'
import { HttpExchange, requestNote } from './api-http-exchange.ts'
import { type HttpPlan, httpPlan, stepsOf } from './api-http-plan.ts'
import { sendRequests } from './api-http-requests.ts'
import { responseSubjects } from './api-http-step.ts'
import {
  type CaseHarness,
  isSpecErrorOf,
  type SubjectSource,
  type SubjectSources,
} from './case-harness.ts'
import { HttpService } from './http-service.ts'
import { authorizerOf } from './oauth-authorizer.ts'

/** Subjects of assertions, and sources of chain exports. A response is that of the last request. */
const targets = [...responseTargets, 'steps_json', 'context_json'] as const

/** Reads files as responses, or sends requests, and offers the response. */
export const apiHttp: CaseHarness<HttpPlan> = {
  type: 'api.http',
  describe: 'Sends HTTP requests and checks the responses.',
  keys: apiHttpKeys,
  harness: apiHttpHarnessKeys,
  flaws: httpFlaws,
  targets,
  values: ['steps'],
  fills: ['request', 'requests'],
  expressions: requestExpressions,

  plan: httpPlan,

  async run({ value, plan }, context) {
    const { setting } = plan
    const exchange = new HttpExchange(setting, context)
    // Nothing starts before all is known to be right.
    const refusal = plan.files.length > 0 ? await fileRefusal(plan, context) : undefined
    if (refusal !== undefined) return refusal
    const missing = authorizerOf({ value, setting, exchange }, context)
    if (isSpecErrorOf(missing)) return missing
    const masking = new Masking(value, context)
    const service = new HttpService({ value, setting, exchange }, context)
    const answered = await service.during(async filled => {
      const steps = filled === value ? plan.steps : stepsOf(writtenRequests(filled), context)
      if (isSpecErrorOf(steps)) return steps
      const authorizer = authorizerOf({ value: filled, setting, exchange }, context)
      if (isSpecErrorOf(authorizer)) return authorizer
      const sent = await sendRequests({ steps, setting, exchange, authorizer, masking }, context)
      return isSpecErrorOf(sent) ? sent : { sent, authorizer }
    })
    if (isSpecErrorOf(answered)) return answered
    const { sent, authorizer } = answered
    const { results, evaluated } = sent
    const steps = value.has('requests') ? results : []
    const last = results.at(-1)
    return {
      byTarget: subjectsOf(steps, { results, authorizer, service }),
      evaluated,
      offered: sent.steps,
      note: last?.isFromNetwork
        ? () => requestNote(last.received.request, context.run.secrets)
        : undefined,
      explain: failure => service.withOutput(failure),
    }
  },
}

/** What is wrong with the files of a case, which its plan cannot know. */
async function fileRefusal(
  { files }: HttpPlan,
  context: ExecutionContext,
): Promise<SpecError | undefined> {
  const { run, document } = context
  for (const { path, at } of files) {
    const refused = await run.roots.refusalOf(document.root, path)
    if (refused !== undefined) return { category: 'schema', message: `${at} ${refused}`, path: at }
  }
  return undefined
}

interface Answered {
  readonly results: readonly HttpResult[]
  readonly authorizer: Authorizer
  readonly service: HttpService
}

function subjectsOf(results: readonly HttpResult[], answered: Answered): SubjectSources {
  const steps = () => results.map(one => one.stepJson)
  const last = answered.results.at(-1) as HttpResult
  const ofLast = responseSubjects(last)
  const ofCase = new Map<string, SubjectSource>([
    ['steps_json', () => ({ value: steps() })],
    ['context_json', () => ({ value: contextOf(last, steps(), answered) })],
  ])
  return { get: target => ofLast.get(target) ?? ofCase.get(target) }
}

/** Without times, so that the same responses give the same value. */
function contextOf(
  { received, bodyJson, corsJson, redirectsJson }: HttpResult,
  steps: readonly SpecValue[],
  { authorizer, service }: Answered,
): SpecValue {
  const { request, url, status, headers, body } = received
  const ids = steps.map(step => (step instanceof Map ? step.get('id') : null))
  return envelope({
    profile: 'api.http',
    version: 2,
    value: new Map<string, SpecValue>([
      ['status', status],
      ['headers', headersMapping(headers)],
      ['body_text', body.text],
      ['body_json', bodyJson],
      ['cors', corsJson],
    ]),
    meta: { target: 'api.http', method: request.method, url, ...authorizer.meta },
    context: {
      timeout_seconds: secondsOf(request.timeoutMs),
      oauth: authorizer.oauthContext(),
      redirects: redirectsJson,
      scenario: new Map<string, SpecValue>([
        ...Object.entries(service.facts),
        ['step_count', Math.max(steps.length, 1)],
        ['step_ids', ids],
      ]),
      steps,
    },
  })
}

/** SPEC-HARNESS-CONTRACT, requests of `api.http`. */
import type { Mutants } from './mutant.ts'

const apiHttp = 'src/runner/cases/api-http.ts'
const apiHttpTest = 'src/runner/cases/api-http.test.ts'
const requests = 'src/runner/cases/api-http-requests.ts'

export const specHttpMutants: Mutants = {
  'spec.3.http-targets': [
    {
      file: 'src/kernel/spec/http/http-result.ts',
      find: 'return String(status)',
      replace: 'return status',
      test: apiHttpTest,
    },
    {
      file: apiHttp,
      find: 'timeout_seconds: secondsOf(request.timeoutMs),',
      replace: 'timeout_seconds: secondsOf(received.durationMs),',
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/http-result.ts',
      find: 'return headersText(headers)',
      replace: "return headersText(headers.slice(1)) + ' '",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/http-result.ts',
      find: "      case 'body_text':\n        return body.text",
      replace: "      case 'body_text':\n        return body.text.trim().slice(1)",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/http-result.ts',
      find: "      case 'body_json':\n        return this.bodyJson",
      replace: "      case 'body_json':\n        return body.text",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/http-result.ts',
      find: "      case 'cors_json':\n        return this.corsJson",
      replace: "      case 'cors_json':\n        return headersText(headers)",
      test: apiHttpTest,
    },
    {
      file: apiHttp,
      find: "['steps_json', () => ({ value: steps() })],",
      replace: "['steps_json', () => ({ value: steps().length })],",
      test: apiHttpTest,
    },
  ],
  'spec.3.http-mode': [
    {
      file: 'src/kernel/spec/http/request-url.ts',
      find: "if (mode !== 'live') {",
      replace: "if (mode !== 'live' && name === 'https') {",
      test: apiHttpTest,
    },
    {
      file: 'src/runner/cases/api-http-plan.ts',
      find: 'if (isSpecErrorOf(checked)) return checked',
      replace: 'if (isSpecErrorOf(checked)) continue',
      test: apiHttpTest,
    },
    {
      file: apiHttp,
      find: 'if (refused !== undefined) return',
      replace: "if (refused === '') return",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/harness-flaws.ts',
      find: "[oauth ?? new Map(), 'token_url', oauthPath],",
      replace: "[new Map<string, SpecValue>(), 'token_url', oauthPath],",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/harness-flaws.ts',
      find: "mappingIn(mappingIn(scenario, 'setup'), 'ready_probe'),",
      replace: "mappingIn(mappingIn(scenario, 'setup'), 'no_probe'),",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/request-url.ts',
      find: "if (name === 'file') return fileUrl(url, root)",
      replace: "if (name === 'file') return filePlace(url.slice('file://'.length))",
      test: apiHttpTest,
    },
  ],
  'spec.3.http-steps': [
    {
      file: 'src/runner/cases/step-results.ts',
      find: 'this.#byId.set(id, result.stepValue)',
      replace: 'this.#byId.set(id, new Map())',
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: 'if (isKnown && keys.length > 0) return []',
      replace: 'if (keys.length > 0) return []',
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['url', 'id',",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['headers', 'id',",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['body_text', 'id',",
      test: apiHttpTest,
    },
  ],
  'spec.3.http-fail-fast': [
    {
      file: requests,
      find: '!plan.setting.failFast && ',
      replace: '',
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/http-request.ts',
      find: "get('fail_fast') !== false",
      replace: "get('fail_fast') !== null",
      test: apiHttpTest,
    },
  ],
  'spec.3.chain-http': [
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['url', 'id',",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['headers', 'id',",
      test: apiHttpTest,
    },
    {
      file: 'src/kernel/spec/http/step-templates.ts',
      find: "const untouchedKeys: readonly string[] = ['id',",
      replace: "const untouchedKeys: readonly string[] = ['body_text', 'id',",
      test: apiHttpTest,
    },
  ],
}

/** SPEC-HARNESS-CONTRACT: scenarios with a service, OAuth and CORS of `api.http`. */
import type { Mutants } from './mutant.ts'

const cors = 'src/kernel/spec/http/cors.ts'
const corsTest = 'src/kernel/spec/http/cors.test.ts'
const oauth = 'src/kernel/spec/http/oauth.ts'
const oauthTest = 'src/kernel/spec/http/oauth.test.ts'
const service = 'src/runner/cases/http-service.ts'
const serviceTest = 'test/spec-http-service.test.ts'

export const specHttpServiceMutants: Mutants = {
  'spec.3.cors': [
    {
      file: cors,
      find: "if (isPreflight && method !== 'OPTIONS')",
      replace: "if (isPreflight && method === 'POST')",
      test: corsTest,
    },
    {
      file: cors,
      find: ".flatMap(value => value.split(','))",
      replace: ".slice(-1).flatMap(value => value.split(','))",
      test: corsTest,
    },
  ],
  'spec.3.oauth-grant': {
    file: oauth,
    find: "is: { oneOf: ['client_credentials'] },",
    replace: "is: 'name',",
    test: oauthTest,
  },
  'spec.3.oauth-env': [
    {
      file: oauth,
      find: "? { key: 'client_secret_env', name: clientSecretEnv }",
      replace: '? undefined',
      test: oauthTest,
    },
    {
      file: oauth,
      find: 'if (inline !== undefined) return inline',
      replace: "if (inline?.path === '') return inline",
      test: oauthTest,
    },
  ],
  'spec.3.oauth-bearer': [
    {
      file: 'src/runner/cases/oauth-authorizer.ts',
      find: "if (hasHeader(headers, 'Authorization')) return []",
      replace: "if (hasHeader(headers, 'X-Authorization')) return []",
      test: serviceTest,
    },
    {
      file: 'src/runner/cases/api-http-exchange.ts',
      find: 'isFirstOrigin &&= !redirect.crossesOrigin',
      replace: 'isFirstOrigin &&= redirect !== undefined',
      test: serviceTest,
    },
  ],
  'spec.3.oauth-redaction': [
    {
      file: 'src/runner/cases/oauth-authorizer.ts',
      find: "this.#context.run.secrets.hide('OAUTH_TOKEN', token.token)",
      replace: "this.#context.run.secrets.hide('OAUTH_TOKEN', token.token + token.token)",
      test: serviceTest,
    },
    {
      file: 'src/runner/cases/oauth-authorizer.ts',
      find: "['scope_requested', scope],",
      replace: "['scope_requested', scope], ['token', this.#token ?? ''],",
      test: serviceTest,
    },
    {
      file: 'src/runner/spec-run.ts',
      find: 'if (oauth) namedCredentials(oauth, this)',
      replace: 'if (oauth) oauthIn(oauth)',
      test: 'test/spec-secrets.test.ts',
    },
  ],
  'spec.3.http-setup': [
    {
      file: service,
      find: 'unended = await this.#finish()',
      replace: 'unended = this.#isReady ? await this.#finish() : undefined',
      test: serviceTest,
    },
    {
      file: service,
      find: 'endsDetached: true,',
      replace: '',
      test: serviceTest,
      named: 'a daemon in another session',
    },
    {
      file: service,
      find: 'cwd: folder.realPath,',
      replace: 'cwd: document.root,',
      test: serviceTest,
      named: 'in their folder',
    },
    {
      file: service,
      find: '...Object.fromEntries(own),',
      replace: '',
      test: serviceTest,
      named: 'with their variables',
    },
  ],
  'spec.3.http-ready-probe': [
    {
      file: service,
      find: 'const isReady = statuses.includes(answer.status)',
      replace: 'const isReady = answer.status > 0 || statuses.length === 0',
      test: serviceTest,
    },
    {
      file: 'src/kernel/spec/http/scenario.ts',
      find: "method: (textOf(probe.get('method')) || 'GET').toUpperCase(),",
      replace: "method: 'GET',",
      test: serviceTest,
    },
    {
      file: 'src/kernel/spec/http/scenario.ts',
      find: "timeoutMs: numberOf(probe.get('timeout_ms')) ?? readyMsDefault,",
      replace: 'timeoutMs: readyMsDefault,',
      test: serviceTest,
    },
  ],
  'spec.3.oauth-required': [
    {
      file: oauth,
      find: "token_url: { is: 'name', required: true,",
      replace: "token_url: { is: 'name',",
      test: oauthTest,
    },
    {
      file: oauth,
      find: "    required: true,\n    describe: 'The environment variable with the client id.',",
      replace: "    describe: 'The environment variable with the client id.',",
      test: oauthTest,
    },
    {
      file: oauth,
      find: "    required: true,\n    describe: 'The environment variable with the client secret.',",
      replace: "    describe: 'The environment variable with the client secret.',",
      test: oauthTest,
    },
  ],
  'spec.3.oauth-defaults': [
    {
      file: oauth,
      find: "?? 'basic',",
      replace: "?? 'body',",
      test: oauthTest,
    },
    {
      file: oauth,
      find: "text('token_field', 'access_token')",
      replace: "text('token_field', 'token')",
      test: oauthTest,
    },
    {
      file: oauth,
      find: "text('expires_field', 'expires_in')",
      replace: "text('expires_field', 'expires')",
      test: oauthTest,
    },
    {
      file: oauth,
      find: 'const skewSecondsDefault = 30',
      replace: 'const skewSecondsDefault = 0',
      test: oauthTest,
    },
  ],
  'spec.3.oauth-request': [
    {
      file: oauth,
      find: "if (scope !== '') fields.push(['scope', scope])",
      replace: '',
      test: oauthTest,
    },
    {
      file: oauth,
      find: "if (audience !== '') fields.push(['audience', audience])",
      replace: '',
      test: oauthTest,
    },
    {
      file: oauth,
      find: 'formEncoded(id)}:',
      replace: 'id}:',
      test: oauthTest,
    },
    {
      file: oauth,
      find: 'formEncoded(secret)}',
      replace: 'secret}',
      test: oauthTest,
    },
    {
      file: oauth,
      find: "if (style === 'body') fields.push(['client_id', id], ['client_secret', secret])",
      replace: "if (style === 'body') fields.push(['client_id', id])",
      test: oauthTest,
    },
  ],
  'spec.3.oauth-lifetime': [
    {
      file: oauth,
      find: 'members.get(tokenField)',
      replace: "members.get('access_token')",
      test: oauthTest,
    },
    {
      file: oauth,
      find: 'members.get(expiresField)',
      replace: "members.get('expires_in')",
      test: oauthTest,
    },
    {
      file: 'src/runner/oauth-tokens.ts',
      find: 'found.expiresAt - skewMs',
      replace: 'found.expiresAt',
      test: 'src/runner/oauth-tokens.test.ts',
    },
  ],
}

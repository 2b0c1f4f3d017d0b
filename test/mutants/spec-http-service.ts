/** SPEC-HARNESS-CONTRACT: scenarios with a service, OAuth and CORS of `api.http`. */
import type { Mutants } from './mutant.ts'

const cors = 'src/kernel/spec/http/cors.ts'
const corsTest = 'src/kernel/spec/http/cors.test.ts'
const oauth = 'src/kernel/spec/http/oauth.ts'
const oauthTest = 'src/kernel/spec/http/oauth.test.ts'

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
      replace: 'if (inline === oauth) return inline',
      test: oauthTest,
    },
  ],
}

/** The keys of an `api.http` case. */

import type { KeyShape, Keys } from '../case/key-shape.ts'
import { timeCeilingMs } from '../case/time-limits.ts'
import { captureKeys } from './capture.ts'
import { corsKeys } from './cors.ts'
import { connectionKeys } from './http-connection.ts'
import { oauthKeys } from './oauth.ts'
import { bodyKeys, fieldValues } from './request-body.ts'
import { scenarioKeys } from './scenario.ts'

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

export type HttpMethod = (typeof httpMethods)[number]

const cors: KeyShape = {
  is: { mapping: corsKeys },
  describe: 'Sends the headers of a browser and offers the answer as cors_json.',
}

const requestKeys: Keys = {
  method: {
    is: { oneOf: httpMethods, anyCase: true },
    describe: 'The HTTP method.',
    required: true,
  },
  url: {
    is: 'name',
    describe: 'A path in the contract root, or an http or https address in live mode.',
    missing: {
      message: 'api.http request.url is required',
      hint: 'Name a file, such as `url: /fixtures/item.json`, or an address in live mode.',
    },
  },
  query: {
    is: { mappingOf: fieldValues },
    describe: 'Parameters to add to the address. A list repeats its name.',
  },
  headers: { is: { mappingOf: fieldValues }, describe: 'The request headers, by name.' },
  ...bodyKeys,
  cors,
  redirects: {
    is: { oneOf: ['follow', 'manual'] },
    describe: 'follow (default) follows up to 10 redirects; manual offers the redirect itself.',
  },
  timeout_ms: {
    is: { whole: { min: 1, max: timeCeilingMs } },
    describe: 'The time for the request and its whole response; default harness.timeout_ms.',
  },
}

/** The keys of a request among several. */
const stepKeys: Keys = {
  when: {
    is: 'any',
    describe:
      'An expression. If it does not hold, the request is not sent. It can use `{var: steps}`.',
  },
  delay_ms: {
    is: { whole: { min: 0, max: timeCeilingMs } },
    describe: 'The time to wait before the request.',
  },
  assert: { is: { list: 'any' }, describe: 'Assertions on the response to this request.' },
  capture: {
    is: { mappingOf: { mapping: captureKeys } },
    describe: 'Values to keep, by name, for `{{steps.<id>.<name>}}` in later requests.',
  },
  retry: {
    is: {
      mapping: {
        until: {
          is: { list: 'any' },
          describe: 'Assertions that end the retries; default those of the request.',
        },
        interval: {
          is: { whole: { min: 0 } },
          describe: 'The time between two requests in milliseconds; default 200.',
        },
        timeout: {
          is: { whole: { min: 1 } },
          describe: 'The time for all of them in milliseconds; default 10000.',
        },
      },
    },
    describe: 'Send the request again until its assertions hold.',
  },
}

export const apiHttpKeys: Keys = {
  request: { is: { mapping: requestKeys }, describe: 'The request to send.' },
  requests: {
    is: {
      list: {
        mapping: {
          id: { is: 'name', describe: 'A name that is unique in the case.', required: true },
          ...requestKeys,
          ...stepKeys,
        },
      },
      atLeast: 1,
    },
    describe: 'Several requests, in the order they are sent.',
  },
}

export const httpModes = ['deterministic', 'live'] as const

export type HttpMode = (typeof httpModes)[number]

export const apiHttpHarnessKeys: Keys = {
  timeout_ms: {
    is: { whole: { min: 1, max: timeCeilingMs } },
    describe: 'The time for each request and its whole response; default 5000.',
  },
  api_http: {
    is: {
      mapping: {
        mode: {
          is: { oneOf: httpModes },
          describe:
            'deterministic (default) reads files of the contract root; live also sends requests.',
        },
        ...connectionKeys,
        cookies: {
          is: 'flag',
          describe: 'Keep the cookies of responses for later requests of the case; default true.',
        },
        scenario: {
          is: { mapping: scenarioKeys },
          describe: 'The service that the requests need, and what happens when one fails.',
        },
        auth: {
          is: {
            mapping: {
              oauth: {
                is: { mapping: oauthKeys },
                describe: 'Get a token by OAuth client credentials and send it as Bearer.',
              },
            },
          },
          describe: 'How requests identify their caller.',
        },
      },
    },
    describe: 'The mode of the case.',
  },
}

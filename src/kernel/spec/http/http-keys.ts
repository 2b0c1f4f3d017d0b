/** The keys of an `api.http` case. */
import type { KeyShape, Keys, ValueShape } from '../case/key-shape.ts'
import { corsKeys } from './cors.ts'

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

export type HttpMethod = (typeof httpMethods)[number]

/** Text, or several texts under one name. */
const values: ValueShape = { either: ['scalar', { list: 'scalar' }] }

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
    is: { mappingOf: values },
    describe: 'Parameters to add to the address. A list repeats its name.',
  },
  headers: { is: { mappingOf: values }, describe: 'The request headers, by name.' },
  body_text: { is: 'text', describe: 'The body as text.' },
  body_json: {
    is: 'any',
    describe: 'The body as JSON. Sets Content-Type to application/json unless headers do.',
  },
  cors,
  redirects: {
    is: { oneOf: ['follow', 'manual'] },
    describe: 'follow (default) follows up to 10 redirects; manual offers the redirect itself.',
  },
  timeout_ms: {
    is: { whole: { min: 1 } },
    describe: 'The time for the request and its whole response; default harness.timeout_ms.',
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
    is: { whole: { min: 1 } },
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
        scenario: {
          is: {
            mapping: {
              fail_fast: {
                is: 'flag',
                describe: 'Fail when a request cannot be sent; default true.',
              },
            },
          },
          describe: 'How several requests run.',
        },
      },
    },
    describe: 'The mode of the case.',
  },
}

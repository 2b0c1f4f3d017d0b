import { describe, expect, test } from 'vitest'
import { checkValue } from '../case/check-shape.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import {
  credentialsOf,
  type OAuthProfile,
  oauthKeys,
  oauthPath,
  oauthProfile,
  tokenIn,
  tokenKey,
  tokenRequest,
} from './oauth.ts'

const minimal = { token_url: 'http://t/x', client_id_env: 'ID', client_secret_env: 'SECRET' }
type Given = Readonly<Record<string, SpecValue>>
const read = (given: Given) => oauthProfile(new Map(Object.entries({ ...minimal, ...given })))

function profile(given: Given = {}): OAuthProfile {
  const found = read(given)
  if ('category' in found) throw new Error(found.message)
  return found
}

const messages = (given: Given) =>
  checkValue(new Map(Object.entries(given)), { mapping: oauthKeys }, oauthPath).map(
    ({ message }) => message,
  )

describe('the shape', () => {
  test('[spec.3.oauth-required] url and variables are required', () => {
    expect(messages(minimal)).toEqual([])
    expect(messages({})).toEqual(
      ['token_url', 'client_id_env', 'client_secret_env'].map(
        key => `missing required key: ${oauthPath}.${key}`,
      ),
    )
  })

  test('[spec.3.oauth-defaults] everything else has a default', () => {
    expect(profile()).toMatchObject({
      scope: '',
      audience: '',
      style: 'basic',
      tokenField: 'access_token',
      expiresField: 'expires_in',
      refreshSkewMs: 30_000,
    })
  })

  test('[spec.3.oauth-grant] another grant or style is refused', () => {
    expect(messages({ ...minimal, grant_type: 'password' })).toEqual([
      `${oauthPath}.grant_type must be one of client_credentials`,
    ])
    expect(messages({ ...minimal, auth_style: 'token' })).toEqual([
      `${oauthPath}.auth_style must be one of basic, body`,
    ])
  })

  test.each(['client_secret', 'client_id', 'access_token', 'password'])(
    '[spec.3.oauth-env] %s is an unknown key',
    key => {
      expect(messages({ ...minimal, [key]: 'hunter2' })).toEqual([
        `unknown key in ${oauthPath}: ${key}`,
      ])
    },
  )

  test.each<[Given, string]>([
    [{ client_secret_env: 'hunter2!' }, 'client_secret_env'],
    [{ client_id_env: 'a b' }, 'client_id_env'],
    [{ token_url: 'https://me:hunter2!@t/x' }, 'token_url'],
    [{ token_url: 'https://t/x?a=1&client_secret=hunter2!' }, 'token_url'],
  ])('[spec.3.oauth-env] %j is an inline secret, and no message shows it', (given, key) => {
    const found = read(given) as SpecError
    expect(found).toMatchObject({ category: 'schema', path: `${oauthPath}.${key}` })
    expect(JSON.stringify(found)).not.toContain('hunter2!')
  })
})

describe('the credentials', () => {
  test('come from the environment', () => {
    expect(credentialsOf(profile(), { ID: 'me', SECRET: 's' })).toEqual({ id: 'me', secret: 's' })
  })

  test.each<[Given, string]>([
    [{}, 'ID'],
    [{ ID: ' ', SECRET: 's' }, 'ID'],
    [{ ID: 'me' }, 'SECRET'],
    [{ ID: 'me', SECRET: '' }, 'SECRET'],
  ])('[spec.3.oauth-env] of %j, %s is missing', (env, name) => {
    expect(credentialsOf(profile(), env as Record<string, string>)).toMatchObject({
      category: 'schema',
      message: expect.stringContaining(`oauth env var is required: ${name}, `),
    })
  })
})

describe('the request for a token', () => {
  const odd = { id: 'me+you%:x', secret: 'a b:c+d%e&f=ü' }

  test('[spec.3.oauth-request] basic: id and secret are form-encoded before they are joined', () => {
    expect(tokenRequest(profile({ scope: 'read write', audience: 'api' }), odd)).toEqual({
      basic: 'me%2Byou%25%3Ax:a+b%3Ac%2Bd%25e%26f%3D%C3%BC',
      body: 'grant_type=client_credentials&scope=read+write&audience=api',
    })
  })

  test('[spec.3.oauth-request] body: both are form fields', () => {
    expect(tokenRequest(profile({ auth_style: 'body', scope: ' ' }), odd)).toEqual({
      basic: undefined,
      body: `grant_type=client_credentials&client_id=${'me%2Byou%25%3Ax'}&client_secret=${'a+b%3Ac%2Bd%25e%26f%3D%C3%BC'}`,
    })
  })
})

describe('the answer', () => {
  const answer = (body: string, given: Given = {}, status = 200) =>
    tokenIn({ status, body }, profile(given))

  test('[spec.3.oauth-lifetime] has a token and its lifetime', () => {
    expect(answer('{"access_token":"t","expires_in":60}')).toEqual({
      token: 't',
      lifetimeMs: 60_000,
    })
    expect(answer('{"jwt":"t","ttl":"5"}', { token_field: 'jwt', expires_field: 'ttl' })).toEqual({
      token: 't',
      lifetimeMs: 5_000,
    })
  })

  test.each(['', ',"expires_in":"soon"', ',"expires_in":-1', ',"expires_in":null'])(
    'without a valid lifetime (%s) it lives for an hour',
    more => {
      expect(answer(`{"access_token":"t"${more}}`)).toMatchObject({ lifetimeMs: 3_600_000 })
    },
  )

  test.each<[string, number, string]>([
    ['<html>', 200, 'is not a JSON object'],
    ['["t"]', 200, 'is not a JSON object'],
    ['{"token":"hunter2"}', 200, 'has no text in access_token'],
    ['{"access_token":" "}', 200, 'has no text in access_token'],
    ['{"access_token":"hunter2\\r\\nX: y"}', 200, 'has characters that no header can carry'],
    ['{"error":"invalid_client","hint":"hunter2"}', 401, 'answered 401 (invalid_client)'],
    ['hunter2', 500, 'answered 500'],
  ])('%j with status %i is a runtime failure that shows no part of it', (body, status, why) => {
    const found = answer(body, {}, status) as SpecError
    expect(found).toMatchObject({ category: 'runtime', message: expect.stringContaining(why) })
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })
})

test('a token is shared by profiles that would get the same one, and by no others', () => {
  const me = { id: 'me', secret: 's' }
  const key = (given: Given, credentials = me) =>
    tokenKey(profile(given), credentials, text => `#${text.length}:${text.at(-3)}`)
  const usual = key({})
  expect(key({ refresh_skew_seconds: 5, client_id_env: 'OTHER' })).toBe(usual)
  const others = [
    key({ token_url: 'http://t/y' }),
    key({ scope: 'a' }),
    key({ audience: 'a' }),
    key({ auth_style: 'body' }),
    key({}, { id: 'me', secret: 'z' }),
    key({}, { id: 'mes', secret: '' }),
  ]
  expect(new Set([usual, ...others]).size).toBe(1 + others.length)
  expect(usual).not.toContain('"me"')
})

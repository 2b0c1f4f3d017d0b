import { expect, test } from 'vitest'
import type { AccessToken } from '../kernel/spec/http/oauth.ts'
import { OAuthTokens } from './oauth-tokens.ts'

/** A server with numbered tokens, and a clock that the test sets. */
function aServer(lifetimeMs = 1000) {
  const clock = { now: 0 }
  const tokens = new OAuthTokens(() => clock.now)
  let count = 0
  const fetch = async (): Promise<AccessToken> => ({ token: `t${++count}`, lifetimeMs })
  return { clock, take: (key: string, skewMs = 100) => tokens.take(key, skewMs, fetch), tokens }
}

test('[spec.3.oauth-lifetime] a token is used until shortly before it expires', async () => {
  const { clock, take } = aServer()
  expect(await take('a')).toMatchObject({ token: 't1' })
  clock.now = 899
  expect(await take('a')).toMatchObject({ token: 't1' })
  clock.now = 900
  expect(await take('a')).toMatchObject({ token: 't2' })
})

test('each key has its own token', async () => {
  const { take } = aServer()
  expect([await take('a'), await take('b'), await take('a')]).toMatchObject([
    { token: 't1' },
    { token: 't2' },
    { token: 't1' },
  ])
})

test('cases that ask at the same time get one token', async () => {
  const { clock, take } = aServer()
  const both = async () => (await Promise.all([take('a'), take('a'), take('a')])).map(String)
  const asked = await Promise.all([take('a'), take('a')])
  expect(asked).toMatchObject([{ token: 't1' }, { token: 't1' }])
  clock.now = 2000
  expect(await Promise.all([take('a'), take('a')])).toMatchObject([
    { token: 't2' },
    { token: 't2' },
  ])
  expect(await both()).toHaveLength(3)
})

test('a token that lives shorter than the skew is used once', async () => {
  const { take } = aServer(50)
  expect([await take('a'), await take('a')]).toMatchObject([{ token: 't1' }, { token: 't2' }])
})

test('a failure is not kept', async () => {
  const { tokens, take } = aServer()
  const failure = { category: 'runtime', message: 'no' } as const
  expect(await tokens.take('a', 0, async () => failure)).toEqual(failure)
  expect(await take('a')).toMatchObject({ token: 't1' })
})

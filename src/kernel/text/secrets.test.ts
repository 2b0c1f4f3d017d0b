import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonNumber, parseJson } from '../json.ts'
import { Secrets } from './secrets.ts'

const value = `p+/w% 'é"<&>:\\x`

function secretsOf(named: Readonly<Record<string, string>>): Secrets {
  const secrets = new Secrets()
  for (const [name, one] of Object.entries(named)) secrets.hide(name, one)
  return secrets
}

describe('a secret is shown as its name', () => {
  const secrets = secretsOf({ TOKEN: value })

  test.each([
    ['as it is', value],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    ['in a URL', encodeURIComponent(value)],
    ['in a URL with lower-case digits', encodeURIComponent(value).replace(/%../g, lower)],
    ['in a form', new URLSearchParams({ v: value }).toString().slice(2)],
    ['as base64', Buffer.from(value).toString('base64')],
    ['as base64 without padding', Buffer.from(value).toString('base64').replace(/=+$/, '')],
    ['as base64 for URLs', Buffer.from(value).toString('base64url')],
    ['as hexadecimal', Buffer.from(value).toString('hex')],
    ['in a shell word', value.replaceAll("'", "'\\''")],
    ['in a path', value.replaceAll('\\', '/')],
    ['in XML', value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')],
  ])('%s', (_, form) => {
    expect(secrets.text(`a ${form} b`)).toBe('a $TOKEN b')
  })

  test('within the base64 of more', () => {
    for (const before of ['', 'i', 'id', 'id:']) {
      const encoded = Buffer.from(`${before}${value}:after`).toString('base64')
      expect(secrets.text(encoded)).toContain('$TOKEN')
      expect(Buffer.from(secrets.text(encoded), 'base64').toString()).not.toContain(
        value.slice(2, -2),
      )
    }
  })

  test('and a text without it is the same text', () => {
    expect(secrets.text('nothing to hide')).toBe('nothing to hide')
    expect(new Secrets().text(value)).toBe(value)
  })
})

const lower = (text: string) => text.toLowerCase()

test('each long line of a secret is hidden on its own', () => {
  const secrets = secretsOf({ KEY: '-----BEGIN KEY-----\nMIIEvQIBADAN\nshort\n' })
  expect(secrets.text('  MIIEvQIBADAN\n  short')).toBe('  $KEY\n  short')
})

test('a secret can be a reference', () => {
  const secrets = secretsOf({ A: 'abcd1234', B: '1234wxyz' })
  expect(secrets.references({ url: 'a abcd1234 b', list: ['abcd1234wxyz', 1] })).toEqual({
    url: 'a {{var.A}} b',
    list: ['{{var.A}}{{var.B}}', 1],
  })
})

test('a part of a secret is hidden where a text was cut', () => {
  const secrets = secretsOf({ TOKEN: 'hunter-é-12345' })
  const cut = 'ter-é-12345 and hunter-é-12345 and hunte'
  expect(secrets.cutText(cut)).toBe('$TOKEN and $TOKEN and $TOKEN')
  expect(secrets.text(cut)).toBe('ter-é-12345 and $TOKEN and hunte')
  expect(secrets.cutText('\ufffd-12345 and hunter-\ufffd')).toBe('\ufffd$TOKEN and $TOKEN\ufffd')
  // Three characters occur by chance.
  expect(secrets.cutText('345 and hun')).toBe('345 and hun')
  expect(secrets.cutText('12345')).toBe('$TOKEN')
})

test('overlapping secrets leave nothing of either', () => {
  const secrets = secretsOf({ A: 'abcd1234', B: '1234wxyz', LONG: 'abcd1234567' })
  expect(secrets.text('-abcd1234wxyz-')).toBe('-$A$B-')
  expect(secrets.text('-abcd1234567-')).toBe('-$LONG-')
  expect(secretsOf({ R: 'aaaa' }).text('aaaaaa')).toBe('$R')
})

test('a mark stays as it is, even if it contains a value', () => {
  const secrets = secretsOf({ MY_TOKEN: 'TOKEN' })
  const once = secrets.text('the TOKEN')
  expect(once).toBe('the $MY_TOKEN')
  expect(secrets.text(once)).toBe(once)
})

test('JSON keeps its keys, numbers and functions', () => {
  const secrets = secretsOf({ PIN: '4321' })
  const act = () => '4321'
  const given = { 4321: ['is 4321', 4321, null], act }
  expect(secrets.json(given)).toEqual({ 4321: ['is $PIN', 4321, null], act })
  expect(new Secrets().json(given)).toBe(given)
})

test('printed data has secrets in no key and no number', () => {
  const secrets = secretsOf({ PIN: '4321', WORD: 'hunter2' })
  const act = () => '4321'
  const given = { 'a hunter2': [4321, 43210, { 4321: null }], act }
  expect(secrets.printed(given)).toEqual({ 'a $WORD': ['$PIN', 43210, { $PIN: null }], act })
  expect(secrets.printed(parseJson('{"n": 4321, "m": 1.0}'))).toEqual({
    n: '$PIN',
    m: new JsonNumber('1.0'),
  })
  expect(new Secrets().printed(given)).toBe(given)
})

test.each([
  ['0098765432', '98765432'],
  ['+98765432', '98765432'],
  ['98765432.50', '98765432.5'],
  ['98765432.000', '98765432'],
  ['12345678901234567890123', '1.2345678901234568e+22'],
  ['12345678901234567890123', '1.2345678901234568E+22'],
])('the secret %s is hidden when it is printed as the number %s', (value, number) => {
  expect(secretsOf({ PIN: value }).text(`{"n":${number}}`)).toBe('{"n":$PIN}')
})

test('a secret number hides no shorter number', () => {
  expect(secretsOf({ PIN: '0012' }).text('12 of 12 in 0012')).toBe('12 of 12 in $PIN')
})

test('no text gives a value away, whatever surrounds it', () => {
  const word = fc.string({ minLength: 5, maxLength: 30, unit: 'grapheme' })
  fc.assert(
    fc.property(word, fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(secret.trim().length >= 5 && !before.includes(secret) && !after.includes(secret))
      fc.pre(!'$NAME'.includes(secret))
      const shown = secretsOf({ NAME: secret }).text(`${before}${secret}${after}`)
      expect(shown.replaceAll('$NAME', '\0')).not.toContain(secret)
      expect(shown).toContain('$NAME')
    }),
  )
})

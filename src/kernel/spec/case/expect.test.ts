import { describe, expect, test } from 'vitest'
import { readDocument } from '../document/read-document.ts'
import { expectedOutcome } from './expect.ts'
import { missingCapabilities, requiresOf } from './requires.ts'

function of(text: string) {
  const [one] = readDocument(`id: A\n${text}`, 'a.spec.yaml').cases
  if (!one) throw new Error('no case was read')
  return one
}

describe('the expectation of a case', () => {
  test('is the portable one', () => {
    const raw = of('expect: {portable: {status: fail, category: schema, message_tokens: [a, b]}}')
    const outcome = { status: 'fail', category: 'schema', messageTokens: ['a', 'b'] }
    expect(expectedOutcome(raw, 'ts')).toEqual(outcome)
  })

  test('may stand in expect itself', () => {
    const outcome = { status: 'skip', category: null, messageTokens: [] }
    expect(expectedOutcome(of('expect: {status: skip}'), 'ts')).toEqual(outcome)
  })

  test('differs for an implementation key by key, in either spelling', () => {
    const raw = of(
      [
        'expect:',
        '  portable: {status: fail, category: schema, message_tokens: [a]}',
        '  impl: {php: {status: skip, category: null}}',
        '  overrides: [{runner: ts, message_tokens: [b]}]',
      ].join('\n'),
    )
    expect(expectedOutcome(raw, 'php')).toMatchObject({ status: 'skip', category: null })
    expect(expectedOutcome(raw, 'ts')).toMatchObject({ status: 'fail', messageTokens: ['b'] })
    expect(expectedOutcome(raw, 'rust')).toMatchObject({ status: 'fail', messageTokens: ['a'] })
  })

  test('can be empty', () => {
    expect(expectedOutcome(of('type: text.file'), 'ts')).toBeUndefined()
  })
})

test('each missing capability is reported once by name', () => {
  const requires = requiresOf(of('requires: {capabilities: [c, " ", b, c, a]}'))
  expect(requires.whenMissing).toBe('fail')
  expect(missingCapabilities(requires, new Set(['a']))).toEqual(['b', 'c'])
  expect(requiresOf(of('title: t'))).toEqual({ capabilities: [], whenMissing: 'fail' })
})

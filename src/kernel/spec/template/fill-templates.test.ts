import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import { type Json, JsonNumber } from '../../json.ts'
import { type SpecValue, toJson } from '../lang/value.ts'
import { fillCase, fillValue, valueAt } from './fill-templates.ts'

const state = new Map([
  [
    'seed',
    new Map<string, SpecValue>([
      [
        'item',
        fromJson({ id: 7, tags: ['a', 'b'], none: null, on: true, price: new JsonNumber('7.0') }),
      ],
      ['text', '{{chain.seed.item.id}}'],
    ]),
  ],
])

const filled = (value: Readonly<Record<string, Json>>) => {
  const found = fillCase(fromJson(value) as ReadonlyMap<string, SpecValue>, { chain: state })
  return 'category' in found ? found : toJson(found as SpecValue)
}

describe('templates', () => {
  test.each([
    ['{{chain.seed.item.id}}', '7'],
    ['a {{ chain.seed.item.tags.1 }} b', 'a b b'],
    ['{{chain.seed.item.tags}}', '["a","b"]'],
    ['{{chain.seed.item.price}}', '7.0'],
    ['[{{chain.seed.item.none}}]', '[]'],
    ['{{chain.seed.item.on}}{{chain.seed.item.on}}', 'truetrue'],
    ['{{steps.a}} {chain}', '{{steps.a}} {chain}'],
  ])('%j becomes %j', (text, want) => {
    expect(filled({ argv: [text] })).toEqual({ argv: [want] })
  })

  test('are not expanded again in an inserted value', () => {
    expect(filled({ argv: '{{chain.seed.text}}' })).toEqual({ argv: '{{chain.seed.item.id}}' })
  })

  test('are filled in every text except those that name or judge the case', () => {
    const text = '{{chain.seed.item.id}}'
    const harness = { env: { A: text }, stdin_text: text, setup_files: [{ path: 'a', text }] }
    const chain = { steps: [{ id: text }] }
    expect(
      filled({ id: text, path: text, harness: { ...harness, chain }, assert: [text] }),
    ).toEqual({
      id: text,
      path: '7',
      harness: { env: { A: '7' }, stdin_text: '7', setup_files: [{ path: 'a', text: '7' }], chain },
      assert: [text],
    })
  })

  test('a missing value is an error at its place', () => {
    expect(filled({ harness: { env: { A: '{{chain.seed.item.gone}}' } } })).toEqual({
      category: 'schema',
      message: '{{chain.seed.item.gone}}: the chain exports no such value',
      path: 'harness.env.A',
    })
  })

  test('texts without templates stay as they are', () => {
    fc.assert(
      fc.property(
        fc.string().filter(text => !text.includes('{{')),
        text => {
          expect(filled({ argv: text })).toEqual({ argv: text })
        },
      ),
    )
  })
})

describe('spaces', () => {
  const vars = new Map([
    ['host', 'example.org'],
    ['loop', '{{chain.seed.item.id}}{{var.host}}'],
  ])
  const steps = new Map([
    ['log.in', fromJson({ body_json: { token: 't' } })],
    ['log', fromJson({ in: 'shorter' })],
  ])

  test.each([
    ['{{var.host}}/{{chain.seed.item.id}}', 'example.org/7'],
    ['{{ steps.log.in.body_json.token }}', 't'],
    ['{{var.loop}}', '{{chain.seed.item.id}}{{var.host}}'],
    ['{{env.HOME}} {{var}} {{ var.host', '{{env.HOME}} {{var}} {{ var.host'],
  ])('%j becomes %j', (text, want) => {
    const values = { chain: state, var: vars, steps }
    expect(fillValue(text, 'request.url', values)).toEqual({ value: want })
  })

  test('a space that is not there stays as written', () => {
    expect(fillValue('{{var.host}} {{steps.a.b}}', 'argv', { var: vars })).toEqual({
      value: 'example.org {{steps.a.b}}',
    })
  })

  test('an unknown name names the nearest', () => {
    expect(fillValue(['{{var.hots}}'], 'argv', { var: vars })).toEqual({
      category: 'schema',
      message: '{{var.hots}}: the run has no such variable',
      hint: 'Did you mean host?',
      path: 'argv[0]',
    })
    expect(fillValue('{{steps.log.in.status}}', 'request.url', { steps })).toMatchObject({
      category: 'schema',
      message: '{{steps.log.in.status}}: no earlier step has such a value',
    })
  })

  test('keys that a harness fills itself are left to it', () => {
    const text = '{{var.host}}'
    const value = new Map([
      ['path', text],
      ['requests', [text]],
    ] as [string, SpecValue][])
    expect(fillCase(value, { var: vars }, ['requests'])).toEqual(
      new Map([
        ['path', 'example.org'],
        ['requests', [text]],
      ] as [string, SpecValue][]),
    )
  })
})

test('a path follows keys and indices only', () => {
  const value = fromJson({ a: [{ b: 1 }], '0': 'zero' })
  expect(valueAt(value, ['a', '0', 'b'])).toBe(1)
  expect(valueAt(value, ['0'])).toBe('zero')
  expect(valueAt(value, [])).toBe(value)
  for (const path of [['a', '1'], ['a', '-1'], ['a', 'length'], ['a', '0', 'b', 'c'], ['size']]) {
    expect(valueAt(value, path)).toBeUndefined()
  }
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import { type Json, JsonNumber } from '../../json.ts'
import { type SpecValue, toJson } from '../lang/value.ts'
import { fillTemplates, valueAt } from './fill-templates.ts'

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
  const found = fillTemplates(fromJson(value) as ReadonlyMap<string, SpecValue>, state)
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

test('a path follows keys and indices only', () => {
  const value = fromJson({ a: [{ b: 1 }], '0': 'zero' })
  expect(valueAt(value, ['a', '0', 'b'])).toBe(1)
  expect(valueAt(value, ['0'])).toBe('zero')
  expect(valueAt(value, [])).toBe(value)
  for (const path of [['a', '1'], ['a', '-1'], ['a', 'length'], ['a', '0', 'b', 'c'], ['size']]) {
    expect(valueAt(value, path)).toBeUndefined()
  }
})

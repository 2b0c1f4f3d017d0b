import { expect, test } from 'vitest'
import { canonicalJson } from '../../kernel/canonical.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import { rowOrders, withRowsIn } from './conformance-check.ts'

const shuffled = (order: keyof typeof rowOrders, text: string) =>
  canonicalJson(withRowsIn(rowOrders[order], parseJson(text)))

test('rows, nested rows and refs are reversed', () => {
  expect(
    shuffled(
      'reversed',
      `{"capabilityClaims":["a","b"],"evidence":{
        "callSpec":{"toolPolicy":{"tools":[{"toolName":"x","allowedCallers":["m","n"]},{"toolName":"y"}]}},
        "searches":[{"searchRef":"s"},{"searchRef":"t"}],
        "stateViews":[{"sourceRefs":["p","q","r"]},{"viewId":"v"}]}}`,
    ),
  ).toBe(
    '{"capabilityClaims":["b","a"],"evidence":{' +
      '"callSpec":{"toolPolicy":{"tools":[{"toolName":"y"},{"allowedCallers":["n","m"],"toolName":"x"}]}},' +
      '"searches":[{"searchRef":"t"},{"searchRef":"s"}],' +
      '"stateViews":[{"viewId":"v"},{"sourceRefs":["r","q","p"]}]}}',
  )
})

test('a rotation moves the first row to the end', () => {
  expect(shuffled('rotated', '{"evidence":{"toolUse":[{"a":1},{"b":2},{"c":3}]}}')).toBe(
    '{"evidence":{"toolUse":[{"b":2},{"c":3},{"a":1}]}}',
  )
})

test('free-form values keep their order and numbers their spelling', () => {
  const text =
    '{"evidence":{"callSpec":{"toolChoice":[2,1]},"toolResults":[{"payload":[3,2.50,1]}]},"policies":{"x":{"y":[2,1]}}}'
  expect(shuffled('reversed', text)).toBe(canonicalJson(parseJson(text)))
})

test.each<[string, Json]>([
  ['null', null],
  ['a list', [1, 2]],
  ['evidence that is no object', { evidence: [] }],
  ['a surface that is no list', { evidence: { toolUse: {} } }],
  ['a row that is no object', { evidence: { toolUse: ['x'] } }],
])('%s is returned unchanged', (_, value) => {
  expect(canonicalJson(withRowsIn(rowOrders.reversed, value))).toBe(canonicalJson(value))
})

test('a key called __proto__ stays a key', () => {
  const text = '{"__proto__":{"a":1},"evidence":{"__proto__":2}}'
  expect(shuffled('reversed', text)).toBe(text)
})

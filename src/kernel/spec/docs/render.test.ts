import { expect, test } from 'vitest'
import { readJson } from '../lang/read-json.ts'
import type { SpecValue } from '../lang/value.ts'
import { renderTemplate } from './render.ts'
import { parseTemplate } from './template.ts'

/** The text, or `offset: message` of a problem. */
function rendered(template: string, json = '{}', strict = true): string {
  const nodes = parseTemplate(template)
  if ('message' in nodes) return `${nodes.offset}: ${nodes.message}`
  const data = readJson(json) as ReadonlyMap<string, SpecValue>
  const text = renderTemplate(nodes, data, { strict })
  return typeof text === 'string' ? text : `${text.offset}: ${text.message}`
}

test.each([
  ['plain text without a tag', '{}', 'plain text without a tag'],
  ['{{a}}, {{ a }}, {{\ta\n}}', '{"a": "x"}', 'x, x, x'],
  ['{{a.b.c}}', '{"a": {"b": {"c": 1}}}', '1'],
  ['{{a}} {{b}} {{c}} {{d}}', '{"a": 1.0, "b": 1, "c": 0.95, "d": 1e3}', '1.0 1 0.95 1000.0'],
  ['{{a}}|{{b}}|{{c}}', '{"a": true, "b": false, "c": null}', 'true|false|'],
  ['{{a}} {{b}}', '{"a": [1.0, "x"], "b": {"z": 1, "a": 2}}', '[1.0,"x"] {"z":1,"a":2}'],
  ['{{a}}', '{"a": "<b> & {{b}}"}', '<b> & {{b}}'],
  ['a{{! {{ }} b', '{}', 'a b'],
])('%j over %s is %j', (template, json, text) => {
  expect(rendered(template, json)).toBe(text)
})

test.each([
  ['a list is rendered per item', '{{#a}}<{{.}}>{{/a}}', '{"a": [1, "x", null]}', '<1><x><>'],
  ['a mapping is looked up first', '{{#a}}{{b}}{{/a}}', '{"a": {"b": 2}, "b": 1}', '2'],
  ['an outer name is found', '{{#a}}{{#b}}{{c}}{{/b}}{{/a}}', '{"a": {"b": [1]}, "c": 3}', '3'],
  ['a text is its own context', '{{#a}}{{.}}/{{a}}{{/a}}', '{"a": "x"}', 'x/x'],
  ['zero is not empty', '{{#a}}{{.}}{{/a}}{{^a}}no{{/a}}', '{"a": 0}', '0'],
  ['an empty list is empty', '{{#a}}yes{{/a}}{{^a}}no{{/a}}', '{"a": []}', 'no'],
  ['an empty mapping is empty', '{{#a}}yes{{/a}}{{^a}}no{{/a}}', '{"a": {}}', 'no'],
  ['an empty text is empty', '{{#a}}yes{{/a}}{{^a}}no{{/a}}', '{"a": ""}', 'no'],
  ['null is empty', '{{#a}}yes{{/a}}{{^a}}no{{/a}}', '{"a": null}', 'no'],
  ['false is empty', '{{#a}}yes{{/a}}{{^a}}no{{/a}}', '{"a": false}', 'no'],
  ['a dotted path in one frame', '{{#x}}{{a.b}}{{/x}}', '{"x": [{"a": {}}], "a": {"b": 1}}', '1'],
])('sections: %s', (_, template, json, text) => {
  expect(rendered(template, json)).toBe(text)
})

test('[spec.7.moustache] the line of a tag that stands alone stays', () => {
  expect(rendered('a\n{{#b}}\n- {{.}}\n{{/b}}\nc\n', '{"b": [1, 2]}')).toBe(
    'a\n\n- 1\n\n- 2\n\nc\n',
  )
  expect(rendered('a\r\n{{#b}}\r\n{{/b}}\r\n', '{"b": true}')).toBe('a\r\n\r\n\r\n')
})

test.each([
  ['ab {{> part}}', '3: partials are not supported'],
  ['{{=<% %>=}}', '0: the delimiters cannot be changed'],
  ['{{{a}}}', '0: tags without escaping are not supported'],
  ['{{&a}}', '0: tags without escaping are not supported'],
  ['{{< layout}}', '0: parent templates are not supported'],
  ['{{$ block}}', '0: blocks are not supported'],
  ['a {{b', '2: this tag is not closed'],
  ['{{ }}', '0: this tag has no name'],
  ['{{a..b}}', '0: "a..b" is not a name'],
  ['{{#a}}x', '0: the section a is not closed'],
  ['x{{/a}}', '1: {{/a}} closes no section'],
  ['\n{{#a}}{{#b}}{{/a}}', '13: {{/a}} does not close the section b, which line 2 opens'],
])('[spec.7.moustache] %j is refused: %s', (template, problem) => {
  expect(rendered(template, '{"a": 1, "b": 1}')).toBe(problem)
})

test('sections are nested a hundred deep at most', () => {
  const nested = (levels: number) => '{{#a}}'.repeat(levels) + '{{/a}}'.repeat(levels)
  expect(rendered(nested(100), '{"a": 1}')).toBe('')
  expect(rendered(nested(101), '{"a": 1}')).toContain('nested deeper than 100 levels')
})

test.each(['x {{a.c}}', 'x {{#b}}{{/b}}', 'x {{^b}}{{/b}}', 'x {{a.b.c}}', 'x {{a.0}}'])(
  'a missing key in %j is a problem, unless keys may be missing',
  template => {
    const json = '{"a": {"b": "text"}}'
    expect(rendered(template, json)).toMatch(/^2: the data has no key (?:a\.c|b|a\.b\.c|a\.0)$/)
    expect(rendered(template, json, false)).toBe('x ')
  },
)

test('lists in lists end at a limit', () => {
  const json = `{"a": [${Array(400).fill('1').join(',')}]}`
  const template = '{{#a}}{{#a}}{{#a}}{{/a}}{{/a}}{{/a}}'
  expect(rendered(template, json)).toMatch(/the template takes more than 5000000 steps/)
})

test('a long text ends at a limit', () => {
  const json = `{"a": [${Array(400).fill('1').join(',')}], "b": "${'x'.repeat(100_000)}"}`
  expect(rendered('{{#a}}{{b}}{{/a}}', json)).toMatch(/the template prints more than 33554432/)
})

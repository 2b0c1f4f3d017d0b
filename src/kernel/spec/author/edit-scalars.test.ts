import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument, stringify } from 'yaml'
import { readDocument } from '../document/read-document.ts'
import { toJson } from '../lang/value.ts'
import { type ScalarEdit, whyNotEdited, withScalars } from './edit-scalars.ts'

const block = (...lines: readonly string[]) => ['```yaml spec-test', ...lines, '```', ''].join('\n')

function edited(text: string, edits: readonly ScalarEdit[], file = 'a.spec.md'): string {
  const [raw] = readDocument(text, file).cases
  if (raw === undefined) throw new Error('there is no case')
  return whyNotEdited(text, file, { raw, edits }) ?? withScalars(text, file, [{ raw, edits }])
}

describe('a scalar', () => {
  test.each([
    ['plain', 'a: old # note', 'new text', 'a: new text # note'],
    ['plain that cannot be', 'a: old # note', 'yes', 'a: "yes" # note'],
    ['plain that is no text', 'a: old', '42', 'a: "42"'],
    ['plain with a sign', 'a: [old, x]', 'a, b', 'a: ["a, b", x]'],
    ['single quotes', "a: 'old'", "it's", "a: 'it''s'"],
    ['single quotes that cannot be', "a: 'old'", 'a\nb', 'a: "a\\nb"'],
    ['double quotes', 'a: "old"', 'a\u0085b', 'a: "a\\u0085b"'],
    ['a text on two lines', 'a: "old\n  text"', 'new', 'a: "new"'],
    ['lines', 'a: |\n  old\n  x\nb: 1', 'new\n\n  y\n', 'a: |\n  new\n\n    y\nb: 1'],
    ['lines without the last end', 'a: |-\n    old', 'new\ny', 'a: |-\n    new\n    y'],
  ])('in %s keeps its style', (_, before, value, after) => {
    const path = before.startsWith('a: [') ? 'a[0]' : 'a'
    expect(edited(block('id: A', before), [{ path, value }])).toBe(block('id: A', after))
  })

  test.each([
    ['that would end otherwise', 'a: |\n  old', 'new', 'a: |-\n  new'],
    ['with an empty last line', 'a: |\n  old\nb: 1', 'new\n\n', 'a: |+\n  new\n\nb: 1'],
    ['that would begin with a space', 'a: |\n  old', ' new\n', 'a: |2\n   new'],
    ['that are folded', 'a: > # note\n  old', 'new\nx\n', 'a: | # note\n  new\n  x'],
    ['that are not text', 'a: |\n  old\nb: 1', 'a\u0000\n', 'a: "a\\u0000\\n"\nb: 1'],
    ['of which the last is blank', 'a: |\n  old\nb: 1', ' x\n \n', 'a: " x\\n \\n"\nb: 1'],
    ['of which none is left', 'a: |\n  old\nb: 1', '', 'a: ""\nb: 1'],
    ['instead of one', 'a: ""\nb: 1', 'x\ny\n', 'a: |\n  x\n  y\nb: 1'],
    ['instead of one with a note', 'a: "" # note', 'x\n', 'a: "x\\n" # note'],
  ])('in lines %s changes its style', (_, before, value, after) => {
    expect(edited(block('id: A', before), [{ path: 'a', value }])).toBe(block('id: A', after))
  })

  test('in a list of a mapping gets lines below it, and quotes in a flow list', () => {
    const path = 'a[0].equal'
    const deep = block('id: A', 'a:', '  - equal: ""', '  - x')
    expect(edited(deep, [{ path, value: 'x\n' }])).toBe(
      block('id: A', 'a:', '  - equal: |', '      x', '  - x'),
    )
    expect(edited(block('id: A', 'a: [{equal: ""}]'), [{ path, value: 'x\n' }])).toBe(
      block('id: A', 'a: [{equal: "x\\n"}]'),
    )
  })

  test.each([
    ['a mark', 'a: &m old', 'new'],
    ['an alias', 'm: &m old\na: *m', 'new'],
    ['a mapping', 'a: {b: c}', 'new'],
    ['nothing', 'b: c', 'new'],
  ])('in %s is not changed by itself', (_, before, value) => {
    expect(edited(block('id: A', before), [{ path: 'a', value }])).toMatch(/^a (is|has) /)
  })

  test('can be edited several times in a case, in a quotation and in JSON', () => {
    const edits = [
      { path: 'exit_code', value: 3 },
      { path: 'b[1]', value: 'long' },
    ]
    expect(
      edited('> ```yaml spec-test\n> id: A\n> exit_code: 0\n> b: [x, y]\n> ```\n', edits),
    ).toBe('> ```yaml spec-test\n> id: A\n> exit_code: 3\n> b: [x, long]\n> ```\n')
    expect(edited('{"id": "A",\r\n"exit_code": 0, "b": ["x", "y"]}', edits, 'a.spec.json')).toBe(
      '{"id": "A",\r\n"exit_code": 3, "b": ["x", "long"]}',
    )
  })

  test('is read back as it was set, and the rest of the text stays', () => {
    const lines = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '#', '-') })
    const text = fc.oneof(lines, fc.string(), fc.string({ unit: 'binary' }))
    const type = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL')
    fc.assert(
      fc.property(text, text, type, fc.boolean(), (old, value, style, flow) => {
        fc.pre(!/[\0\ud800-\udfff]/.test(old + value))
        const before = stringify(
          { id: 'A', x: [old, { y: old }], z: 1 },
          {
            lineWidth: 0,
            defaultKeyType: 'PLAIN',
            defaultStringType: style as 'PLAIN',
            collectionStyle: flow ? 'flow' : 'block',
          },
        )
        // The library writes a few texts that it does not read itself.
        fc.pre(parseDocument(before).errors.length === 0)
        const next = edited(before, [{ path: 'x[1].y', value }], 'a.spec.yaml')
        const [raw] = readDocument(next, 'a.spec.yaml').cases
        const [was] = readDocument(before, 'a.spec.yaml').cases
        const expected = toJson(was?.value ?? null) as { x: [string, { y: string }] }
        expect(toJson(raw?.value ?? null)).toEqual({
          ...expected,
          x: [expected.x[0], { y: value }],
        })
      }),
    )
  })
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readDocument } from '../document/read-document.ts'
import { toJson } from '../lang/value.ts'
import { formatDocument } from './format-document.ts'

const block = (...lines: readonly string[]) => ['```yaml spec-test', ...lines, '```', ''].join('\n')

const formatted = (...lines: readonly string[]) => {
  const { text, problems } = formatDocument(block(...lines), 'a.spec.md')
  expect(problems).toEqual([])
  return text.split('\n').slice(1, -2)
}

const saying = (text: string, file: string) =>
  readDocument(text, file).cases.map(({ value, problems }) => ({
    value: toJson(value),
    problems: problems.length,
  }))

/** The formatted document has the same meaning, and formatting it again changes nothing. */
function holds(text: string, file: string): void {
  const once = formatDocument(text, file)
  expect(saying(once.text, file)).toEqual(saying(text, file))
  expect(formatDocument(once.text, file).text).toBe(once.text)
}

describe('the layout of a case', () => {
  test('puts the keys in one order, unknown keys before the assertions', () => {
    const lines = ['assert: []', 'x: 1', 'harness: {}', 'type: t', 'path: /p', 'title: T', 'id: A']
    expect(formatted(...lines)).toEqual([
      'id: A',
      'title: T',
      'type: t',
      'path: /p',
      'harness: {}',
      'x: 1',
      'assert: []',
    ])
  })

  test('writes a list that does not fit on one line with one entry a line', () => {
    const long = `[${'abcdefgh, '.repeat(10)}{a: b}]`
    expect(formatted('id: A', `tags: ${long}`, 'short: [ 1,2,   {a:   3} ]')).toEqual([
      'id: A',
      'tags:',
      ...Array.from({ length: 10 }, () => '- abcdefgh'),
      '- {a: b}',
      'short: [1, 2, {a: 3}]',
    ])
  })

  test('keeps characters escaped that cannot be seen', () => {
    const written = [
      'id: A',
      'title: "a\\u00a0b\\u200B\\tc\\e[1m"',
      'x: ["\\ufeff", "\\U000e0001"]',
    ]
    expect(formatted(...written)).toEqual(written)
    const folded = formatted('id: A', 'title: "one', '  two\\u200b \\U000e0001"').join('\n')
    expect(folded).toContain('\\u200b')
    expect(folded).toContain('\\U000e0001')
  })

  test('keeps comments where they are', () => {
    const written = [
      '# head',
      'id: A # id',
      '# before harness',
      'harness:',
      '  # inside',
      '  spec_lang: # of the language',
      '    max_steps: 10 # trailing',
      'assert:',
      '# before item',
      '- target: text',
      '  must:',
      '  # before contain',
      '  - contain: [x] # after',
      '  # last inside',
      '# the end',
    ]
    expect(formatted(...written)).toEqual(written)
    const text = ['id: A', 'stdin: |', '  # the end', 'x:', '  y: 1', '', '# the end']
    expect(formatted(...text)).toEqual(text)
  })

  test('moves comments with their key', () => {
    const lines = ['# of the type', 'type: t # a type', '', '# of the id', 'id: A', '# the end']
    expect(formatted(...lines)).toEqual([
      '# of the id',
      'id: A',
      '# of the type',
      'type: t # a type',
      '',
      '# the end',
    ])
  })

  test('folds a folded text again, with the same value', () => {
    const lines = ['id: A', 'b: >', '  one', '  two', '', '  three', 'c: "four', '  five"']
    expect(formatted(...lines)).toEqual([
      'id: A',
      'b: >',
      '  one two',
      '',
      '  three',
      'c: "four five"',
    ])
    holds(block(...lines), 'a.spec.md')
  })

  test('keeps numbers, quotes and texts of several lines unchanged', () => {
    const numbers = 'a: [010, 1.0, 0x1F, 1e3, \'x\', "y"]'
    const long = `c: "${'a word\\n'.repeat(20)}"`
    const lines = ['id: A', numbers, 'b: |', '  one  ', '', '   two', long]
    expect(formatted(...lines)).toEqual(lines)
  })

  test('keeps the order of keys if an alias refers back', () => {
    const lines = ['type: &t text.file', 'title: *t', 'id: A']
    expect(formatted(...lines)).toEqual(lines)
  })
})

describe('the surrounding document', () => {
  test('stays as it is, to the byte', () => {
    const around = ['# A  ', '', 'text\t ', '', block('type: t', 'id:   A'), ' `x`', '~~~', 'end']
    const text = around.join('\n')
    expect(formatDocument(text, 'a.spec.md').text).toBe(
      text.replace('type: t\nid:   A', 'id: A\ntype: t'),
    )
  })

  test.each([
    ['a list', '- one\n\n  ', '  '],
    ['a list of a list', '- - one\n\n    ', '    '],
    ['a quotation', '> ', '> '],
  ])('%s keeps the prefix of its lines', (_, first, lead) => {
    const lines = ['```yaml spec-test', 'type: t', 'id:  A', 'x:', '- 1', '```', '']
    const text = lines.map((line, at) => (at === 0 ? first : line && lead) + line).join('\n')
    const { text: next, problems } = formatDocument(text, 'a.spec.md')
    expect(problems).toEqual([])
    const want = ['```yaml spec-test', 'id: A', 'type: t', 'x:', '- 1', '```', '']
    expect(next).toBe(want.map((line, at) => (at === 0 ? first : line && lead) + line).join('\n'))
  })

  test('the byte-order mark and the line endings stay', () => {
    const text = '\ufeff# A\r\n```yaml spec-test\r\ntype: t\r\nid:  A\r\n```\r\nend'
    expect(formatDocument(text, 'a.spec.md').text).toBe(
      '\ufeff# A\r\n```yaml spec-test\r\nid: A\r\ntype: t\r\n```\r\nend',
    )
    expect(formatDocument('\ufefftype: t\r\nid:  A', 'a.spec.yaml').text).toBe(
      '\ufeffid: A\r\ntype: t',
    )
  })

  test('an unreadable block is left unchanged, and the others are formatted', () => {
    const text = `${block('id:   A', '\ttype: t')}${block('type: t', 'id: B')}`
    const { text: next, problems } = formatDocument(text, 'a.spec.md')
    expect(next).toBe(`${block('id:   A', '\ttype: t')}${block('id: B', 'type: t')}`)
    expect(problems).toMatchObject([{ code: 'yaml.tab', place: { line: 3 } }])
  })

  test('a duplicate key is reported, and the block is left unchanged', () => {
    const text = block('type: t', 'id: A', 'id: B')
    const { text: next, problems } = formatDocument(text, 'a.spec.md')
    expect([next, problems.map(one => one.code)]).toEqual([text, ['yaml.duplicate_key']])
  })

  test('JSON is left as it is', () => {
    const text = '{"type":"t",\n"id":"A"}'
    expect(formatDocument(text, 'a.spec.json')).toEqual({ text, problems: [] })
  })
})

const ours = ['vectors', 'specs', 'docs', 'demo'].filter(existsSync)
const suite = resolve('../shared/vectors/spec-conformance')
const present = existsSync(suite)
const documents = [...ours, ...(present ? [suite] : [])].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.spec\.(?:md|ya?ml)$/.test(name))
    .map(name => `${folder}/${name}`),
)

test.each(documents)('%s keeps its meaning when formatted', path => {
  holds(readFileSync(path, 'utf8'), path)
})

test.runIf(present)('the documents of the given suite are formatted too', () => {
  expect(documents.filter(path => path.startsWith(suite)).length).toBeGreaterThan(0)
})

describe('any case', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('a: b', '- x', '# no', ' lead', 'end ', '{', '[1]', 'yes', '010', '~', '', '|'),
    fc
      .array(fc.constantFrom('one', ' two', '', 'three '), { maxLength: 5 })
      .map(all => all.join('\n')),
    fc.constant('word '.repeat(30).trim()),
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  const cases = fc.record({ title: value, harness: value, id: fc.constant('A'), assert: value })
  const style = fc.record({
    indent: fc.constantFrom(1, 2, 3, 4),
    indentSeq: fc.boolean(),
    lineWidth: fc.constantFrom(0, 40, 80),
    collectionStyle: fc.constantFrom('any' as const, 'flow' as const, 'block' as const),
    defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_FOLDED'),
  })
  const remark = fc.tuple(fc.nat(), fc.constantFrom('# note', '  # deep  ', '', ' # x', '    '))

  test('keeps its meaning when formatted, and formatting twice changes nothing', () => {
    fc.assert(
      fc.property(cases, style, fc.array(remark, { maxLength: 4 }), (one, how, remarks) => {
        const lines = stringify(one, how as object).split('\n')
        for (const [at, text] of remarks) lines.splice(at % lines.length, 0, text)
        holds(lines.join('\n'), 'a.spec.yaml')
      }),
    )
  })

  test('can be formatted if it has no comments', () => {
    fc.assert(
      fc.property(cases, style, (one, how) => {
        const text = stringify(one, how as object)
        const codes = formatDocument(text, 'a.spec.yaml').problems.map(({ code }) => code)
        expect(codes).not.toContain('format.left_alone')
      }),
    )
  })
})

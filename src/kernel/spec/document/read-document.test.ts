import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTorture } from '../../../../test/sim/seeded.ts'
import { Float } from '../lang/float.ts'
import { type SpecValue, toJson } from '../lang/value.ts'
import { type Problem, placeName } from './raw-case.ts'
import { documentBytesMax, readDocument } from './read-document.ts'

const md = (...lines: readonly string[]) => readDocument(lines.join('\n'), 'a.spec.md')
const block = (...lines: readonly string[]) => md('```yaml spec-test', ...lines, '```')
const ids = ({ cases }: ReturnType<typeof readDocument>) => cases.map(({ id }) => id)
const placedCodes = (problems: readonly Problem[]) =>
  problems.map(({ place, code }) => `${place.line}:${place.column} ${code}`)
const plain = (value: SpecValue) => JSON.parse(JSON.stringify(toJson(value)))

describe('fences', () => {
  test.each([
    ['yaml spec-test'],
    ['spec-test yaml'],
    ['YML Spec-Test'],
    ['yaml spec-test title="more words"'],
    ['  yaml\tspec-test'],
  ])('```%s opens a case', info => {
    expect(ids(md(`\`\`\`${info}`, 'id: A', '```'))).toEqual(['A'])
  })

  test.each([['yaml'], [''], ['json spec']])('```%s does not open a case', info => {
    expect(md(`\`\`\`${info}`, 'id: A', '```', 'spec-test')).toEqual({ cases: [], problems: [] })
  })

  test('a fence that nearly opens a case gets a warning', () => {
    const { cases, problems } = md('```yaml,spec-test', 'id: A', '```')
    expect([cases, placedCodes(problems)]).toEqual([[], ['1:1 fence.not_a_case']])
    expect(problems[0]?.severity).toBe('warning')
  })

  const unsupported = '1:1 document.unsupported'

  test('a format that is not supported is an error', () => {
    const { cases, problems } = md('```yaml contract-spec', 'spec_version: 1', '```')
    expect([cases, placedCodes(problems)]).toEqual([[], [unsupported]])
    expect(problems[0]).not.toHaveProperty('severity')
    expect(md('It replaces contract-spec.').problems).toEqual([])
    const suite = 'spec_version: 1\ncontracts: {clauses: []}\n'
    expect(placedCodes(readDocument(suite, 'a.spec.yaml').problems)).toEqual([unsupported])
    const json = '{"schema_ref": "x", "contracts": {}}'
    expect(placedCodes(readDocument(json, 'a.spec.json').problems)).toEqual([unsupported])
  })

  test('a fence inside another one, in a comment or in indented code is not run', () => {
    const shown = ['```yaml spec-test', 'id: A', '```']
    const read = md(
      ...['````', ...shown, '````', '', '~~~ text', ...shown, '~~~', ''],
      ...['<!--', ...shown, '-->', '', ...shown.map(line => `    ${line}`)],
    )
    expect(read).toEqual({ cases: [], problems: [] })
  })

  test('a fence in a list or a quotation is run, with the places of the document', () => {
    const { cases } = md(
      '- first:',
      '',
      '  ~~~~ yaml spec-test',
      '  id: A',
      '  list:',
      '    - [1, two]',
      '  ~~~~',
      '',
      '> > ```yaml spec-test',
      '> > id: B',
      '> >   ',
      '> > x: {y: 1}',
      '> > ```',
    )
    expect(cases.map(({ id, line, column }) => [id, line, column])).toEqual([
      ['A', 4, 3],
      ['B', 10, 5],
    ])
    expect(cases[0]?.placeOf('list[0][1]')).toMatchObject({ line: 6, column: 11 })
    expect(cases[1]?.placeOf('x.y')).toMatchObject({ line: 12, column: 12 })
  })

  test('an unclosed fence is a problem at its opening', () => {
    expect(placedCodes(md('text', '', '  ```yaml spec-test', 'id: A').problems)).toEqual([
      '3:3 fence.unclosed',
    ])
    expect(placedCodes(md('> ```yaml spec-test', '> id: A', '', 'id: B').problems)).toEqual([
      '1:3 fence.unclosed',
    ])
    expect(placedCodes(md('```yaml spec-test').problems)).toEqual(['1:1 fence.unclosed'])
  })

  test('a fence with a shorter or another closing mark stays open', () => {
    const { cases, problems } = md('````yaml spec-test', 'id: A', '```', '~~~~')
    expect([cases, placedCodes(problems)]).toEqual([[], ['1:1 fence.unclosed']])
  })
})

describe('the text', () => {
  const lines = ['', '```yaml spec-test', 'id: A', 'x: [1, "ü"]', '```', '']
  test.each([['\n'], ['\r\n'], ['\r']])('may end its lines with %j', end => {
    const [one] = readDocument(lines.join(end), 'a.spec.md').cases
    expect([one?.line, one?.placeOf('x[1]')]).toEqual([
      3,
      { file: 'a.spec.md', line: 4, column: 8, lineText: 'x: [1, "ü"]' },
    ])
  })

  test('may begin with a byte order mark', () => {
    const { cases } = readDocument('\ufeff```yaml spec-test\nid: A\n```', 'a.spec.md')
    expect(cases[0]?.placeOf('id')).toMatchObject({ line: 2, column: 5 })
  })

  test('must not have NUL in it', () => {
    expect(placedCodes(md('text', 'a\0b').problems)).toEqual(['2:2 document.not_text'])
  })

  test('of fifty megabytes is refused, and not read', () => {
    const text = '```yaml spec-test\nid: A\n```\n'.repeat(1_800_000)
    expect(placedCodes(readDocument(text, 'a.spec.md').problems)).toEqual([
      '1:1 document.too_large',
    ])
  })

  test('of the largest size is read, with adversarial lines too', () => {
    const filled = (bytes: number, piece: string) =>
      piece.repeat(Math.floor(bytes / piece.length) - 20)
    const fill = (piece: string) => filled(isTorture ? documentBytesMax : 2 ** 19, piece)
    for (const piece of ['> - ', '`', '<!-- ', '[a]: ', '\t']) {
      expect(readDocument(`${fill(piece)} spec-test`, 'a.spec.md').cases).toEqual([])
    }
    expect(
      placedCodes(readDocument(filled(documentBytesMax, '- x\n'), 'a.spec.yaml').problems),
    ).toEqual(['200000:4 yaml.too_long'])
    for (const piece of ['- ', '[', '&a ', ']', '"\\q', '{}', 'a\n']) {
      const { problems } = readDocument(`x: ${fill(piece)}`, 'a.spec.yaml')
      expect([piece, problems.length > 0]).toEqual([piece, true])
    }
  })
})

describe('a block deep in quotations and lists', () => {
  const quoted = (depth: number) =>
    ['```yaml spec-test', 'id: A', '```'].map(line => `${'> '.repeat(depth)}${line}\n`).join('')
  const listed = (depth: number) =>
    `${'- '.repeat(depth)}\`\`\`yaml spec-test\n${'  '.repeat(depth)}id: A\n${'  '.repeat(depth)}\`\`\`\n`

  test.each([
    ['19 quotations', quoted(19)],
    ['20 quotations', quoted(20)],
    ['99 quotations', quoted(99)],
    ['49 lists', listed(49)],
  ])('of %s is read', (_, text) => {
    expect(ids(readDocument(text, 'a.spec.md'))).toEqual(['A'])
  })

  test.each([
    ['100 quotations', quoted(100), '1:201'],
    ['101 quotations', quoted(101), '1:203'],
    ['1000 quotations', quoted(1000), '1:2001'],
    ['50 lists', listed(50), '1:101'],
    ['a hundred thousand quotations', quoted(100_000), '1:200001'],
  ])('of %s is reported, and the rest is read', (_, text, place) => {
    const read = readDocument(`${text}\n\n${quoted(1)}`, 'a.spec.md')
    expect(ids(read)).toEqual(['A'])
    expect(placedCodes(read.problems)).toEqual([`${place} fence.too_deep`])
  })

  test('that is not a case is skipped', () => {
    const text = quoted(200).replace(' spec-test', '')
    expect(readDocument(`${text}\n\n${quoted(1)}`, 'a.spec.md').problems).toEqual([])
  })
})

describe('other forms', () => {
  test('a YAML document is one block', () => {
    const { cases } = readDocument('# all\n- id: A\n- id: B\n  type: text.file\n', 'a.spec.yml')
    expect(cases.map(({ id, type, line, column }) => [id, type, line, column])).toEqual([
      ['A', '', 2, 3],
      ['B', 'text.file', 3, 3],
    ])
  })

  test('a JSON document too, with tabs or without', () => {
    const text = JSON.stringify({ id: 'A', x: { y: ['\u{1f600}'] } }, null, '\t')
    const [one] = readDocument(text, 'a.spec.json').cases
    expect(plain(one?.value ?? null)).toEqual(JSON.parse(text))
    expect(one?.placeOf('x.y[0]')).toMatchObject({ line: 5, column: 4 })
  })

  test.each([
    ['a comma too many', '{"id": "A",\n"x": [1,]}', '2:9'],
    ['a key without quotes', '{\n  id: "A"}', '2:3'],
    ['a comment', '{"id": "A"} # mine', '1:13'],
    ['a raw tab in a text', '{"id":\r\n"A\tB"}', '2:3'],
    ['single quotes', "\ufeff{'id': 'A'}", '1:2'],
    ['YAML', 'id: A', '1:1'],
    ['a second value', '{"id": "A"}\n{"id": "B"}', '2:1'],
    ['nothing', '', '1:1'],
  ])('%s is not JSON, even if it is YAML', (_, text, place) => {
    const { cases, problems } = readDocument(text, 'a.spec.JSON')
    expect([cases, placedCodes(problems)]).toEqual([[], [`${place} json.syntax`]])
    expect(problems[0]?.hint).toContain('rename the document to .yaml')
  })
})

describe('a block', () => {
  test('is a case, or a list of cases', () => {
    expect(ids(block('id: A'))).toEqual(['A'])
    expect(ids(block('- id: A', '- {id: B}'))).toEqual(['A', 'B'])
  })

  test('that is empty, or holds something else, is a problem', () => {
    expect(placedCodes(block().problems)).toEqual(['1:1 block.empty'])
    expect(placedCodes(block('# nothing').problems)).toEqual(['1:1 block.empty'])
    expect(placedCodes(block('[]').problems)).toEqual(['1:1 block.empty'])
    expect(placedCodes(block('just text').problems)).toEqual(['2:1 block.not_a_case'])
    const { cases, problems } = block('- id: A', '- text', '- id: B')
    expect([cases.length, placedCodes(problems)]).toEqual([2, ['3:3 block.not_a_case']])
  })

  test('that is invalid does not affect the others', () => {
    const good = ['```yaml spec-test', 'id: A', '```']
    const { cases, problems } = md('```yaml spec-test', 'id: [', '```', ...good)
    expect(cases.map(({ id, line }) => [id, line])).toEqual([['A', 5]])
    expect(placedCodes(problems)).toEqual(['2:6 yaml.syntax'])
  })

  test('without a usable id is named by its place', () => {
    expect(ids(block('type: text.file'))).toEqual(['a.spec.md:2'])
    expect(ids(block('- id: 3', '- id: " "'))).toEqual(['a.spec.md:2', 'a.spec.md:3'])
  })
})

describe('YAML', () => {
  test.each<[string, string, string]>([
    ['a tab as indentation', 'a:\n\tb: 1', '4:1 yaml.tab'],
    ['a quote that is not closed', "a: 'b", '3:6 yaml.syntax'],
    ['a mapping within a line', 'a: b: c', '3:4 yaml.syntax'],
    ['a tag', 'a: !php/object x', '3:4 yaml.tag'],
    ['a tag of old YAML', 'a: !!binary x', '3:4 yaml.tag'],
    ['a second document', 'a: 1\n---\nb: 2', '4:1 yaml.second_document'],
    ['a hundred thousand levels', `a: ${'['.repeat(100_000)}`, '3:260 yaml.too_deep'],
    ['as many on lines of a list', `a:\n${'- '.repeat(100_000)}`, '4:513 yaml.too_deep'],
  ])('%s is a problem at its place', (_, yaml, expected) => {
    const { cases, problems } = block('id: A', yaml)
    expect([cases, placedCodes(problems)[0]]).toEqual([[], expected])
  })

  test.each([
    ["a: 'b", /^Close every quote/],
    ['a: b: c', /into quotes/],
    ['a: [b: c: d]', /write \{ \} around a mapping/],
    ['a: *', /starts with \* or &/],
    ['a: @b', /starts with @/],
    ['a: "\\d"', /^Write \\\\ for a backslash/],
    ['a:\n  b: 1\n c: 2', /^Align it/],
    ['a\nb: 1', /a colon and a space after a key/],
  ])('%s is reported with a correction', (yaml, hint) => {
    const [problem] = block('id: A', yaml).problems
    expect(problem).toMatchObject({ code: 'yaml.syntax', hint: expect.stringMatching(hint) })
  })

  test('of another version is refused', () => {
    expect(placedCodes(block('%YAML 1.1', '---', 'id: A').problems)).toEqual(['4:1 yaml.version'])
  })

  test('nested to the limit is read', () => {
    const [one] = block('id: A', `x: ${'['.repeat(255)}${']'.repeat(255)}`).cases
    expect(one?.problems).toEqual([])
  })

  test.each<[string, string, string]>([
    ['a key that is there twice', 'a: 1\n"a": 2', '4:1 yaml.duplicate_key'],
    ['an id that is there twice', 'id: B', '3:1 yaml.duplicate_key'],
    ['an integer with too many digits', `a: ${'1'.repeat(4301)}`, '3:4 yaml.number'],
    ['infinity', 'a: [.inf]', '3:5 yaml.number'],
    ['a number beyond all', 'a: 1.0e+999', '3:4 yaml.number'],
    ['a list as a key', '? [a]\n: 1', '3:3 yaml.key'],
    ['an alias of nothing', 'a: *b', '3:4 yaml.alias'],
    ['an alias of what it stands in', 'a: &a [*a]', '3:8 yaml.alias'],
    ['taking over what is no mapping', '<<: [1]', '3:1 yaml.merge'],
  ])('%s is a problem of the case', (_, yaml, expected) => {
    const { cases, problems } = block('id: A', yaml)
    expect([ids({ cases, problems }), placedCodes(cases[0]?.problems ?? []), problems]).toEqual([
      ['A'],
      [expected],
      [],
    ])
  })

  test('numbers that are passed on as text keep their digits', () => {
    const [one] = block(
      'id: A',
      'argv: [3.10, 007, 0x1F, +5, True, 1e3, 3, ~, x]',
      'harness: {env: {V: 3.10, N: null, T: TRUE}, setup_files: [{path: a, text: 1.50}], timeout_ms: 1e3}',
      'assert: [{must: [{contain: [3.10]}, {evaluate: [{contain: 3.10}]}]}]',
    ).cases
    expect(plain(one?.value ?? null)).toEqual({
      id: 'A',
      argv: ['3.10', '007', '0x1F', '+5', 'True', '1e3', 3, null, 'x'],
      harness: {
        env: { V: '3.10', N: null, T: 'TRUE' },
        setup_files: [{ path: 'a', text: '1.50' }],
        timeout_ms: { text: '1000.0' },
      },
      assert: [{ must: [{ contain: ['3.10'] }, { evaluate: [{ contain: 3.1 }] }] }],
    })
  })

  test('an assertion about JSON compares with the number', () => {
    const [one] = block(
      'id: A',
      'request: {query: {v: 3.10}, headers: {V: [3.10]}, body_json: {v: 3.10}}',
      'assert: [{target: stdout_json, must: [{equal: [3.10]}, {target: stdout, can: [{equal: [3.10]}]}]}]',
    ).cases
    expect(plain(one?.value ?? null)).toMatchObject({
      request: { query: { v: '3.10' }, headers: { V: ['3.10'] }, body_json: { v: 3.1 } },
      assert: [{ must: [{ equal: [3.1] }, { can: [{ equal: ['3.10'] }] }] }],
    })
  })

  test('an aliased number is text or a value, depending on the place of the alias', () => {
    const [one] = block(
      'id: A',
      'argv: &a [3.10]',
      'other: *a',
      'harness: {env: {<<: {V: 007}}}',
    ).cases
    expect(plain(one?.value ?? null)).toEqual({
      id: 'A',
      argv: ['3.10'],
      other: [3.1],
      harness: { env: { V: '007' } },
    })
  })

  test('an integer beyond 2^53 is exact', () => {
    const [one] = block(
      'id: A',
      'x: [9007199254740993, -12345678901234567890, 0x20000000000001]',
    ).cases
    expect(one?.value.get('x')).toEqual([
      9007199254740993n,
      -12345678901234567890n,
      9007199254740993n,
    ])
  })

  test('aliases are values, and mappings can be taken over', () => {
    const [one] = block(
      'id: A',
      'x: &x {a: 1, b: [2]}',
      'y: *x',
      'z: {<<: *x, a: 3}',
      'all: {<<: [*x, {c: 4}]}',
    ).cases
    expect(plain(one?.value ?? null)).toEqual({
      id: 'A',
      x: { a: 1, b: [2] },
      y: { a: 1, b: [2] },
      z: { a: 3, b: [2] },
      all: { a: 1, b: [2], c: 4 },
    })
    expect(one?.placeOf('y.b[0]')).toMatchObject({ line: 3, column: 18 })
  })

  test.each([10, 40])('aliases of aliases are bounded, %i levels of them too', levels => {
    const lines = Array.from({ length: levels }, (_, level) => {
      const item = level === 0 ? 'lol' : `*a${level - 1}`
      return `a${level}: &a${level} [${Array(9).fill(item).join(', ')}]`
    })
    const [one] = block('id: A', ...lines).cases
    expect(one?.problems.map(({ code }) => code)).toEqual(['yaml.alias_limit'])
  })

  test('aliases do not nest deeper than the limit', () => {
    const lines = Array.from({ length: 10 }, (_, level) => {
      const inner = level === 0 ? '' : `*a${level - 1}`
      return `a${level}: &a${level} ${'['.repeat(50)}${inner}${']'.repeat(50)}`
    })
    const [one] = block('id: A', ...lines).cases
    expect(new Set(one?.problems.map(({ code }) => code))).toEqual(new Set(['yaml.alias_limit']))
  })

  test('keys are text, whatever else they could be', () => {
    const [one] = block('id: A', '1: a', 'true: b', '__proto__: c', 'constructor: d').cases
    expect([...(one?.value.keys() ?? [])]).toEqual(['id', '1', 'true', '__proto__', 'constructor'])
  })

  test('reads a mapping with 30,000 keys', () => {
    const keys = Array.from({ length: 30_000 }, (_, key) => `k${key}: ${key}`)
    expect(block('id: A', keys.join('\n')).cases[0]?.value.size).toBe(30_001)
  })

  test.each<[string, SpecValue]>([
    ['1.0', new Float(1)],
    ['+2.', new Float(2)],
    ['-.0', new Float(0)],
    ['1.0e+1', new Float(10)],
    ['1.0e+21', 1e21],
    ['1.50', 1.5],
    ['1', 1],
    ['0x1E', 30],
    ['"1.0"', '1.0'],
  ])('%s keeps whether it was written as an integer', (written, value) => {
    const { cases, problems } = block('id: A', `x: [&a ${written}, *a]`)
    expect([cases[0]?.value.get('x'), problems]).toEqual([[value, value], []])
  })

  test('the numbers of a JSON document keep it too', () => {
    const { cases } = readDocument('{"id": "A", "x": [1.0, 1E2, 1]}', 'a.spec.json')
    expect(cases[0]?.value.get('x')).toEqual([new Float(1), new Float(100), 1])
  })

  test.each([
    ['yes', 'yes', 'true'],
    ['Off', 'Off', 'false'],
    ['010', 10, 'a number in base 8'],
    ['0o10', 8, 'text'],
    ['1:30', '1:30', 'a number in base 60'],
    ['2024-01-01', '2024-01-01', 'a date'],
    ['2024-01-01 10:00:00', '2024-01-01 10:00:00', 'a date'],
    ['1_000', '1_000', 'a number'],
    ['1e3', new Float(1000), 'text'],
    ['0b11', '0b11', 'a number in base 2'],
  ])('%s is read as YAML 1.2 does, with a warning', (word, value, old) => {
    const { cases, problems } = block('id: A', `x: ${word}`)
    expect([cases[0]?.value.get('x'), cases[0]?.problems]).toEqual([value, []])
    expect(problems).toMatchObject([
      { code: 'yaml.ambiguous', severity: 'warning', place: { line: 3, column: 4 } },
    ])
    expect(problems[0]?.message).toContain(`reads ${word} as ${old}`)
  })

  test.each(['"yes"', 'true', '10', '1.5', 'y', 'nowhere', 'on the', '0', '-3', '1.2.3', '0x1f'])(
    '%s gets no warning',
    word => {
      expect(block('id: A', `x: ${word}`).problems).toEqual([])
    },
  )
})

describe('places', () => {
  const [one] = block(
    'id: A',
    'assert:',
    '- target: text',
    '  must:',
    '  - evaluate:',
    '    - {std.string.contains: [{var: subject}, x]}',
    'empty:',
  ).cases
  test.each([
    ['', '2:1', '2:1'],
    ['id', '2:5', '2:1'],
    ['assert[0].target', '4:11', '4:3'],
    ['assert[0].must[0].evaluate[0].std.string.contains[1]', '7:46', '7:46'],
    ['assert[0].must[0].evaluate[0].std.string.contains', '7:29', '7:8'],
    ['assert[7].must', '4:1', '3:1'],
    ['nothing.of[2]', '2:1', '2:1'],
    ['empty', '8:7', '8:1'],
  ])('of %j', (path, value, key) => {
    const at = (place = one?.placeOf(path)) => `${place?.line}:${place?.column}`
    expect([at(), at(one?.keyPlaceOf(path))]).toEqual([value, key])
  })
})

describe('any text', () => {
  const piece = fc.constantFrom(
    ...['```yaml spec-test\n', '```\n', '~~~yml spec-test\n', '> ', '- ', '\t', '  ', '\r\n'],
    ...['id: A\n', 'type: text.file\n', 'a: &a [', ']', '{', '}', '*a', '<<: ', '? ', ': ', '|\n'],
    ...['"', "'", '#', '%YAML 1.1\n', '---\n', '!!set ', '<!--', '-->', '\0', '日本', '010', 'é'],
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(piece, { maxLength: 30 }).map(pieces => pieces.join('')),
    fc
      .array(piece, { maxLength: 12 })
      .map(pieces => `\`\`\`yaml spec-test\n${pieces.join('')}\n\`\`\`\n`),
  )

  test('is read without an exception, and each place lies in it', () => {
    const file = fc.constantFrom('a.spec.md', 'a.spec.yaml', 'a.spec.json')
    fc.assert(
      fc.property(text, file, (written, name) => {
        const lines = written.replace(/^\ufeff/, '').split(/\r\n?|\n/)
        const { cases, problems } = readDocument(written, name)
        const places = [
          ...[...problems, ...cases.flatMap(one => one.problems)].map(({ place }) => place),
          ...cases.flatMap(one => ['', 'a[0]', 'type'].map(path => one.placeOf(path))),
          ...cases.map(one => one.placeOf('')),
        ]
        for (const place of places) {
          const line = lines[place.line - 1]
          expect([placeName(place), place.lineText]).toEqual([placeName(place), line])
          expect(place.column).toBeGreaterThanOrEqual(1)
          expect(place.column).toBeLessThanOrEqual((line?.length ?? 0) + 1)
        }
      }),
      { numRuns: 300 },
    )
  })
})

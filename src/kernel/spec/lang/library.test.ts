import { describe, expect, test } from 'vitest'
import { outcomeOf } from '../../../../test/an-expression.ts'
import { fromJson } from '../../../testing/spec-value.ts'
import type { Json } from '../../json.ts'
import { defaultBudget } from './budget.ts'
import { caseScope, type Library, linkLibraries, visibleSymbols } from './library.ts'
import { libraryImports } from './library-case.ts'
import type { SpecValue } from './value.ts'

const mapping = (json: Json) => fromJson(json) as ReadonlyMap<string, SpecValue>

/** Links files given as `{path: [definitions and imports of a case, …]}`. */
function link(files: Record<string, readonly Json[]>, includes: readonly string[]) {
  return linkLibraries({
    includes,
    find: path => {
      // Two paths can name the same file.
      const file = path.replace('/./', '/')
      const cases = files[file]?.map((one, at) => ({ id: `LIB-${at + 1}`, value: mapping(one) }))
      return cases && { file, cases }
    },
    budget: defaultBudget,
    startTimer: () => () => 0,
    regex: { test: () => false },
  })
}

const x = { var: 'x' }
const linked = (files: Record<string, readonly Json[]>, includes: readonly string[]) =>
  link(files, includes) as Library

describe('a library', () => {
  test('links private definitions before it hides them', () => {
    const library = linked(
      {
        '/a': [
          {
            definitions: {
              public: { twice: { fn: [['x'], { call: [{ var: 'times' }, x, 2] }] } },
              private: { times: { fn: [['x', 'n'], { mul: [x, { var: 'n' }] }] } },
            },
          },
        ],
      },
      ['/a'],
    )
    const symbols = visibleSymbols(library, ['twice'])
    const scope = caseScope(undefined, symbols as Library['symbols'])
    expect(outcomeOf({ call: [{ var: 'twice' }, 4] }, { scope })).toBe(8)
    expect(visibleSymbols(library, ['twice', 'times', 'nope'])).toEqual([
      {
        category: 'schema',
        message: 'spec_lang export is private in the included libraries: times',
        path: 'harness.spec_lang.exports[1]',
      },
      {
        category: 'schema',
        message: 'spec_lang export is not defined in the included libraries: nope',
        path: 'harness.spec_lang.exports[2]',
      },
    ])
  })

  test('is read once, under any path', () => {
    const files = { '/lib/a': [{ definitions: { public: { one: 1 } } }] }
    expect(linked(files, ['/lib/a', '/lib/./a', '/lib/a']).symbols.size).toBe(1)
  })

  test('may have values that refer to each other in any order, but not to themselves', () => {
    const values = { three: { inc: [{ var: 'two' }] }, two: { inc: [{ var: 'one' }] }, one: 1 }
    const library = linked({ '/a': [{ definitions: { public: values } }] }, ['/a'])
    expect(library.symbols.get('three')?.value).toBe(3)
    const circular = { a: { inc: [{ var: 'b' }] }, b: { call: [{ fn: [[], { var: 'a' }] }] } }
    expect(link({ '/a': [{ definitions: { public: circular } }] }, ['/a'])).toMatchObject([
      { category: 'schema', message: expect.stringContaining('needs its own value: a') },
    ])
  })

  test('merges the cases of one file', () => {
    const library = linked(
      {
        '/a': [
          { definitions: { public: { one: 1 } } },
          { definitions: { public: { two: { inc: [{ var: 'one' }] } } } },
        ],
      },
      ['/a'],
    )
    expect(library.symbols.get('two')?.value).toBe(2)
  })

  test('is evaluated within a budget', () => {
    const endless = { fn: [['n'], { call: [{ var: 'f' }, { var: 'n' }] }] }
    const definitions = { public: { f: endless, value: { call: [{ var: 'f' }, 1] } } }
    expect(link({ '/a': [{ definitions }] }, ['/a'])).toEqual([
      {
        category: 'runtime',
        message: 'spec_lang budget exceeded: steps',
        path: 'definitions.public.value',
        file: '/a',
        caseId: 'LIB-1',
      },
    ])
  })

  test('names the libraries it imports', () => {
    const value = mapping({ imports: ['/a', { from: 'std.math', names: ['add'] }, '/b'] })
    expect(libraryImports(value)).toEqual(['/a', '/b'])
  })
})

describe('a library error names its place', () => {
  const one = { definitions: { public: { one: 1 } } }

  test.each<[string, Record<string, readonly Json[]>, object]>([
    ['a missing file', {}, { path: 'harness.spec_lang.includes[0]' }],
    ['a file without a library', { '/a': [] }, { path: 'harness.spec_lang.includes[0]' }],
    [
      'a missing import',
      { '/a': [{ ...one, imports: ['/b'] }] },
      { path: 'imports[0]', file: '/a', caseId: 'LIB-1' },
    ],
    [
      'a cycle',
      { '/a': [{ ...one, imports: ['/b'] }], '/b': [{ ...one, imports: ['/a'] }] },
      { path: 'imports[0]', file: '/b', message: expect.stringContaining('/a -> /b -> /a') },
    ],
    ['a file that imports itself', { '/a': [{ ...one, imports: ['/a'] }] }, { file: '/a' }],
    [
      'imports that are no list',
      { '/a': [{ ...one, imports: '/b' }] },
      { path: 'imports', file: '/a' },
    ],
    ['no definitions', { '/a': [{}] }, { path: 'definitions', file: '/a' }],
    [
      'an unknown section',
      { '/a': [{ definitions: { pubic: {} } }] },
      { path: 'definitions.pubic' },
    ],
    [
      'a bad expression',
      { '/a': [{ definitions: { public: { bad: { fn: [['x'], [1]] } } } }] },
      { path: 'definitions.public.bad.fn[1]', file: '/a', caseId: 'LIB-1' },
    ],
    [
      'a name in both sections',
      { '/a': [{ definitions: { public: { a: 1 }, private: { a: 2 } } }] },
      { path: 'definitions.private.a', message: expect.stringContaining('defined twice: a') },
    ],
    [
      'the subject',
      { '/a': [{ definitions: { public: { a: { var: 'subject' } } } }] },
      { path: 'definitions.public.a', message: 'undefined variable: subject' },
    ],
  ])('%s', (_, files, place) => {
    expect(link(files, ['/a'])).toContainEqual(expect.objectContaining(place))
  })

  test('an error inside a library names its file when a case meets it', () => {
    const half = { fn: [['x'], { div: [1, x] }] }
    const { symbols } = linked({ '/a': [{ definitions: { public: { half } } }] }, ['/a'])
    const scope = caseScope(undefined, symbols)
    expect(outcomeOf({ call: [{ var: 'half' }, 0] }, { scope })).toMatchObject({
      path: '/a#LIB-1.definitions.public.half.fn[1].div',
    })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caseTypes, isExecutable } from '../../../runner/cases/index.ts'
import { caseProblems } from '../case/check-case.ts'
import { readDocument } from '../document/read-document.ts'
import { chainGraph, missingDocuments, type PlacedDocument } from './chain-graph.ts'

/** Documents by path; each case is an id and the refs of its steps. */
function graph(files: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>) {
  const documents = Object.entries(files).map(([path, cases]): PlacedDocument => {
    const yaml = Object.entries(cases).map(([id, refs]) => {
      const steps = refs.map((ref, index) => ({ id: `s${index}`, ref }))
      const harness = steps.length > 0 ? { harness: { chain: { steps } } } : {}
      return { id, type: id.startsWith('lib') ? 'spec_lang.library' : 'text.file', ...harness }
    })
    const { cases: read } = readDocument(JSON.stringify(yaml), `${path.slice(1)}.json`)
    return { root: '/repo', path: path as `/${string}`, cases: read }
  })
  const built = chainGraph(documents, { isExecutable })
  const byId = new Map(documents.flatMap(({ cases }) => cases).map(one => [one.id, one]))
  const of = (id: string) => {
    const found = byId.get(id)
    if (!found) throw new Error(`no case ${id}`)
    return found
  }
  return {
    documents,
    problems: (id: string) => built.problemsOf(of(id)).map(({ message }) => message),
    codes: (id: string) => built.problemsOf(of(id)).map(({ code }) => code),
    steps: (id: string) => built.stepsOf(of(id)).map(({ cases }) => cases.map(one => one.id)),
    before: (id: string) => built.prerequisitesOf(of(id)).map(one => one.id),
  }
}

describe('references', () => {
  const { steps, before } = graph({
    '/docs/a.spec.md': {
      A: ['#B', 'b.spec.md#C', '/docs/b.spec.md', '../c.spec.md#E'],
      B: [],
    },
    '/docs/b.spec.md': { C: ['#D'], D: [], library: [], lib: [] },
    '/c.spec.md': { E: [] },
  })

  test('[spec.3.chain-refs] name a case here, a case there, or all cases of a document', () => {
    expect(steps('A')).toEqual([['B'], ['C'], ['C', 'D'], ['E']])
  })

  test('[spec.3.chain-relative] start at the folder of their document', () => {
    const { steps: found } = graph({
      '/docs/a.spec.md': { A: ['b.spec.md', '../b.spec.md', 'sub/b.spec.md', '/b.spec.md'] },
      '/docs/b.spec.md': { HERE: [] },
      '/b.spec.md': { ABOVE: [] },
      '/docs/sub/b.spec.md': { BELOW: [] },
    })
    expect(found('A')).toEqual([['HERE'], ['ABOVE'], ['BELOW'], ['ABOVE']])
  })

  test('list every prerequisite in order, each once', () => {
    expect(before('A')).toEqual(['B', 'D', 'C', 'E'])
    expect(before('B')).toEqual([])
  })
})

test.each([
  ['#X', 'names X, which is not a case of /a.spec.md'],
  ['b.spec.md#AA', 'names AA, which occurs 2 times in /b.spec.md'],
  ['b.spec.md#lib', 'names lib, which is a spec_lang.library and cannot run'],
  ['c.spec.md', 'names /c.spec.md, which does not exist'],
  ['empty.spec.md', 'names /empty.spec.md, which has no executable case'],
  ['../c.spec.md', 'escapes contract root'],
])('%s is a problem', (ref, expected) => {
  const a = graph({ '/a.spec.md': { A: [ref] }, '/empty.spec.md': { lib: [] } })
  const b = readDocument('[{id: AA}, {id: AA}, {id: lib, type: spec_lang.library}]', 'b.yaml')
  const documents = [...a.documents, { root: '/repo', path: '/b.spec.md' as const, cases: b.cases }]
  const [raw] = a.documents[0]?.cases ?? []
  if (!raw) throw new Error('no case was read')
  expect(chainGraph(documents, { isExecutable }).problemsOf(raw)).toMatchObject([
    { code: 'chain.ref', message: `harness.chain.steps[0].ref ${expected}` },
  ])
})

describe('cycles', () => {
  test('[spec.3.chain-self] a case that runs itself is refused', () => {
    expect(graph({ '/a.spec.md': { A: ['#A'] } }).problems('A')).toEqual([
      'the chain of A runs itself: a.spec.md.json#A → a.spec.md.json#A',
    ])
  })

  test('a case that runs all of its own document runs itself too', () => {
    expect(graph({ '/a.spec.md': { A: [], B: ['a.spec.md'] } }).codes('B')).toEqual(['chain.cycle'])
  })

  test('[spec.3.chain-cycle] a cycle through three files is reported from file to file', () => {
    const { problems } = graph({
      '/a.spec.md': { A: ['b.spec.md#B'] },
      '/b.spec.md': { B: ['c.spec.md#C'] },
      '/c.spec.md': { C: ['a.spec.md#A'], D: [] },
      '/d.spec.md': { E: ['c.spec.md#D'], F: ['#E', 'b.spec.md#B'] },
    })
    const way = ['a.spec.md.json#A', 'b.spec.md.json#B', 'c.spec.md.json#C']
    const [a, b, c] = way
    expect(problems('A')).toEqual([`the chain is a cycle: ${[...way, a].join(' → ')}`])
    expect(problems('C')).toEqual([`the chain is a cycle: ${[c, a, b, c].join(' → ')}`])
    expect(problems('D')).toEqual([])
    expect(problems('E')).toEqual([])
    // F leads into the cycle, so it can never run.
    expect(problems('F')).toEqual([
      `the chain is a cycle: ${['d.spec.md.json#F', b, c, a, b].join(' → ')}`,
    ])
  })

  test('a step that two cases share is no cycle', () => {
    const { problems, before } = graph({
      '/a.spec.md': { A: ['#B', '#C'], B: ['#D'], C: ['#D'], D: [] },
    })
    expect([problems('A'), before('A')]).toEqual([[], ['D', 'B', 'C']])
  })

  test('a chain of many thousand cases is walked', () => {
    const many = 12_000
    const cases = Object.fromEntries(
      Array.from({ length: many }, (_, at) => [`c${at}`, at + 1 < many ? [`#c${at + 1}`] : []]),
    )
    expect(graph({ '/a.spec.md': cases }).before('c0').length).toBe(many - 1)
  })

  test('a long path into a cycle is shortened', () => {
    const cases = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`c${at}`, [`#c${Math.min(49, at + 1)}`]]),
    )
    expect(graph({ '/a.spec.md': cases }).problems('c0')[0]).toMatch(/#c11 → …$/)
  })

  test('exactly the cases that reach a cycle are refused', () => {
    const size = 7
    const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1))
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 12 }), pairs => {
        const cases = Object.fromEntries(
          Array.from({ length: size }, (_, at) => [
            `c${at}`,
            pairs.filter(([from]) => from === at).map(([, to]) => `#c${to}`),
          ]),
        )
        const { codes } = graph({ '/a.spec.md': cases })
        const reach = (from: number, seen = new Set<number>()): Set<number> => {
          for (const [a, b] of pairs) {
            if (a === from && !seen.has(b)) reach(b, seen.add(b))
          }
          return seen
        }
        for (let at = 0; at < size; at++) {
          const endless = [at, ...reach(at)].some(one => reach(one).has(one))
          expect([at, codes(`c${at}`)]).toEqual([at, endless ? ['chain.cycle'] : []])
        }
      }),
    )
  })
})

test('missing documents are requested once', () => {
  const { documents } = graph({ '/a.spec.md': { A: ['b.spec.md', 'b.spec.md#B', '#A', '/../x'] } })
  expect(missingDocuments(documents)).toEqual([{ root: '/repo', path: '/b.spec.md' }])
})

describe('the shape of a chain', () => {
  const problems = (...lines: readonly string[]) => {
    const head = ['id: A', 'type: text.file', 'harness:', '  chain:']
    const { cases } = readDocument([...head, ...lines].join('\n'), 'a.spec.yaml')
    const [one] = cases
    if (!one) throw new Error('no case was read')
    return caseProblems(one, caseTypes).map(
      ({ place, message }) => `${place.line}:${place.column} ${message}`,
    )
  }
  const chain = (step: string) => problems('    steps:', `    - ${step}`)

  test('[spec.3.chain-shape] steps with ids, refs and exports are right', () => {
    expect(
      problems(
        '    fail_fast: false',
        '    steps:',
        '    - {id: a, ref: "#B", allow_continue: true}',
        '    - id: b',
        '      ref: x/y.spec.md#C-1.a:b',
        '      exports: {n: {from_target: body_json, path: items.0.id, required: false}}',
      ),
    ).toEqual([])
    expect(problems('    null')).toEqual([])
  })

  test.each([
    ['{ref: "#B"}', '6:7 missing required key: harness.chain.steps[0].id'],
    ['{id: a}', '6:7 missing required key: harness.chain.steps[0].ref'],
    ['{id: a, ref: "#B", when: x}', '6:26 unknown key in harness.chain.steps[0]: when'],
    [
      '{id: a, ref: {path: x}}',
      '6:20 harness.chain.steps[0].ref must be non-blank text, but is a mapping',
    ],
    ['{id: a, ref: "x#"}', '6:20 harness.chain.steps[0].ref has no case id after #'],
    [
      '{id: a, ref: "#a b"}',
      '6:20 harness.chain.steps[0].ref must have a case id of letters, digits and . _ : - after #',
    ],
    [
      '{id: a, ref: "external://x/y"}',
      '6:20 harness.chain.steps[0].ref must not be an external reference',
    ],
    [
      '{id: a, ref: x, exports: {n: {from_target: t}}}',
      '6:32 harness.chain.steps[0].exports requires a single case, but ref names a whole document',
    ],
    [
      '{id: a, ref: "#B", exports: {n: {path: t}}}',
      '6:39 missing required key: harness.chain.steps[0].exports.n.from_target',
    ],
    [
      '{id: a, ref: "#B", exports: {n: {from_target: t, path: "a..b"}}}',
      '6:62 harness.chain.steps[0].exports.n.path must be keys separated by dots, each of letters, digits and _ -',
    ],
  ])('[spec.3.chain-shape] %s', (step, expected) => {
    expect(chain(step)).toEqual([expected])
  })

  test('[spec.3.chain-quotes] a ref without quotes is a comment, and the hint says so', () => {
    const lines = [
      ...['id: A', 'type: text.file', 'harness:', '  chain:', '    steps:'],
      ...['    - id: a', '      ref: #B'],
    ]
    const { cases } = readDocument(lines.join('\n'), 'a.spec.yaml')
    const found = cases.flatMap(one => caseProblems(one, caseTypes))
    expect(found.map(({ message, hint }) => [message, hint])).toEqual([
      [
        'harness.chain.steps[0].ref must be non-blank text, but is null',
        'Put a text that starts with # in quotes: YAML reads it as a comment.',
      ],
    ])
  })

  test('[spec.3.chain-shape] refuses an empty chain, two steps of one name, and unknown keys', () => {
    expect(problems('    {}')).toEqual(['5:5 missing required key: harness.chain.steps'])
    expect(problems('    steps: []')).toEqual([
      '5:12 harness.chain.steps must be a non-empty list, but is an empty list',
    ])
    expect(problems('    stepz: []')).toContain('5:5 unknown key in harness.chain: stepz')
    expect(problems('    steps: [{id: a, ref: "#B"}, {id: a, ref: "#C"}]')).toEqual([
      '5:38 harness.chain.steps[1].id must be unique, but a is used twice',
    ])
  })

  test('templates name a step and its export', () => {
    const lines = [
      '    steps:',
      '    - {id: seed.1, ref: "#B", exports: {item: {from_target: text}}}',
      'path: "/a/{{chain.seed.1.item.id}}/{{ chain.seed.1.itm }}/{{chain.sed.x}}/{{chain.seed.1}}"',
      'title: "{{chain.none.x}}"',
      'assert: []',
    ]
    expect(problems(...lines)).toEqual([
      '7:7 {{ chain.seed.1.itm }}: the step seed.1 does not export itm',
      '7:7 {{chain.sed.x}}: no step is named "sed"',
      '7:7 {{chain.seed.1}}: the step seed.1 is named without an export',
    ])
  })
})

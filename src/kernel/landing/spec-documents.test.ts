import { expect, test } from 'vitest'
import { documentsNamedIn } from './spec-documents.ts'

const documentOf = (...lines: readonly string[]) =>
  ['```yaml spec-test', ...lines, '```', ''].join('\n')

test.each([
  [
    'a chain, from the folder of the document',
    ['id: A', 'type: text.file', 'harness: {chain: {steps: [{id: b, ref: "b.md#B"}]}}'],
    ['specs/b.md'],
  ],
  [
    'a chain, from the contract root',
    ['id: A', 'type: text.file', 'harness: {chain: {steps: [{id: b, ref: "/b.md#B"}]}}'],
    ['b.md'],
  ],
  [
    'included libraries',
    ['id: A', 'type: text.file', 'harness: {spec_lang: {includes: [/lib/a.md, lib/b.md]}}'],
    ['lib/a.md', 'lib/b.md'],
  ],
  [
    'libraries of a library',
    ['id: L', 'type: spec_lang.library', 'imports: [/lib/c.md, {from: std.math, names: [add]}]'],
    ['lib/c.md'],
  ],
  ['paths that lead out of the root', ['id: A', 'harness: {spec_lang: {includes: [../x]}}'], []],
  ['no document', ['id: A', 'type: text.file'], []],
])('%s', (_, lines, named) => {
  expect(documentsNamedIn(documentOf(...lines), 'specs/a.spec.md')).toEqual(named)
})

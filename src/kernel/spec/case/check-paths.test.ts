import { expect, test } from 'vitest'
import { caseTypes } from '../../../runner/cases/index.ts'
import { readDocument } from '../document/read-document.ts'
import { caseProblems } from './check-case.ts'

function told(text: string) {
  const [one] = readDocument(text, 'a.spec.yaml').cases
  if (!one) throw new Error('no case was read')
  return caseProblems(one, caseTypes).map(
    ({ place, message }) => `${place.line}:${place.column} ${message}`,
  )
}

test.each([
  ['{id: A, type: text.file, path: ../x}', '1:32 text.file path escapes contract root'],
  ['{id: A, type: text.file, path: " "}', '1:32 text.file path must not be blank'],
  [
    '{id: A, type: text.file, harness: {spec_lang: {includes: [/a, ../b]}}}',
    '1:63 harness.spec_lang.includes[1] escapes contract root',
  ],
  [
    '{id: A, type: text.file, harness: {spec_lang: {includes: ["external://x/"]}}}',
    '1:59 harness.spec_lang.includes[0] must be of the form external://provider/id',
  ],
  [
    '{id: A, type: spec_lang.library, definitions: {}, imports: ["C:/a"]}',
    '1:61 imports[0] names a drive or a machine, and must be within the contract root',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: ../../x}]}}',
    '1:70 harness.setup_files[0].path escapes tmp_path',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: {path: /etc/x}}}',
    '1:69 harness.setup_files.path must be relative',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: " "}]}}',
    '1:70 harness.setup_files[0].path must be text that is not blank, and is blank',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: a}, {path: ./a/b}]}}',
    '1:81 harness.setup_files[0].path and harness.setup_files[1].path cannot both be there: a would be a file and a folder',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: d/a/b}, {path: d/a}]}}',
    '1:85 harness.setup_files[0].path and harness.setup_files[1].path cannot both be there: d/a would be a file and a folder',
  ],
  [
    '{id: A, type: cli.run, harness: {entrypoint: a, setup_files: [{path: a}, {path: ./a}]}}',
    '1:81 harness.setup_files[0].path and harness.setup_files[1].path both name a',
  ],
])('%s is refused before anything is touched', (text, expected) => {
  expect(told(text)).toEqual([expected])
})

test('a reference of the right form is left to whoever may follow it', () => {
  const spec = '{spec_lang: {includes: ["external://x/y"]}}'
  expect(told(`{id: A, type: text.file, harness: ${spec}}`)).toEqual([])
})

test('files beside each other in a folder are fine', () => {
  const files = '[{path: d/a}, {path: d/b}, {path: da}, {path: e/d/a}]'
  const harness = `{entrypoint: a, setup_files: ${files}}`
  expect(told(`{id: A, type: cli.run, harness: ${harness}}`)).toEqual([])
})

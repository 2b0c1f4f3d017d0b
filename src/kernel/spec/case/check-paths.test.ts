import { expect, test } from 'vitest'
import { readDocument } from '../document/read-document.ts'
import { caseTypes } from './case-types.ts'
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
])('%s is refused before anything is touched', (text, expected) => {
  expect(told(text)).toEqual([expected])
})

test('a reference of the right form is left to whoever may follow it', () => {
  const spec = '{spec_lang: {includes: ["external://x/y"]}}'
  expect(told(`{id: A, type: text.file, harness: ${spec}}`)).toEqual([])
})

import { describe, expect, test } from 'vitest'
import { earlierRules, sha256 } from '../../../test/required-rules.ts'
import { InstructionRefusal } from '../instruction/instruction-refusal.ts'
import type { Json } from '../json.ts'
import { changedPathsOf } from './changed-paths.ts'
import { projectChecks } from './projection.ts'
import { coreDigests, normalizerIdDefault } from './typed-core.ts'

const at = { at: 'changedPaths', failureClass: 'required_projection_invalid' } as const

function projected(...given: readonly string[]) {
  const paths = changedPathsOf(given, at)
  if (paths instanceof InstructionRefusal) throw new Error(paths.message)
  return projectChecks(earlierRules, paths, sha256)
}

describe('the rules of the earlier implementation give its digests', () => {
  test('for a source file [required.1.projection]', () => {
    const projection = projected('crates/premath-bd/src/lib.rs')
    expect(projection).toEqual({
      schema: 1,
      projectionPolicy: 'ci-topos-v0',
      projectionDigest: 'proj1_a650cc9dd752ba9cec31cecc5f872e19f588906e6cf557cb6aecb9da495285ce',
      changedPaths: ['crates/premath-bd/src/lib.rs'],
      requiredChecks: ['build', 'test'],
      docsOnly: false,
      reasons: ['rust_surface_changed'],
    })
    const { projectionDigest, projectionPolicy: policyDigest } = projection
    const bound = { projectionDigest, policyDigest, normalizerId: normalizerIdDefault }
    expect(coreDigests(bound, sha256)).toEqual({
      typedCoreProjectionDigest:
        'ev1_b55120ffc21641b3da237a8a52a98882bd7989d66044d8515f67798847bbd519',
      authorityPayloadDigest: projectionDigest,
    })
  })

  test('for a change without paths [required.1.projection]', () => {
    expect(projected()).toMatchObject({
      projectionDigest: 'proj1_ace4d9d49dbfaf18361f3b20bb37333e253039251f14d1872b1ccfb3c27cee8d',
      requiredChecks: ['baseline'],
      docsOnly: true,
      reasons: ['empty_delta_fallback_baseline'],
    })
  })
})

test.each<[string, readonly string[], readonly string[], boolean]>([
  [
    'the kernel',
    ['crates/premath-kernel/a.rs'],
    ['build', 'test', 'test-toy', 'test-kcir-toy'],
    false,
  ],
  [
    'conformance tools',
    ['tools/conformance/run.py'],
    ['test-toy', 'test-kcir-toy', 'conformance-check', 'conformance-run'],
    false,
  ],
  [
    'documents and a raw spec',
    ['README.md', 'specs/premath/raw/A.md'],
    ['conformance-check', 'doctrine-check'],
    true,
  ],
  ['an unknown script', ['scripts/unknown_surface.sh'], ['baseline'], false],
  [
    'an unknown file beside the kernel',
    ['crates/premath-kernel/a.rs', '.claude/session.log'],
    ['baseline'],
    false,
  ],
  ['the pipeline', ['tools/ci/run.py', 'crates/a.rs'], ['baseline'], false],
  ['documents elsewhere', ['docs/a.html', 'LICENSE'], [], true],
])('%s: %j requires %j [required.2.rules]', (_name, paths, requiredChecks, docsOnly) => {
  expect(projected(...paths)).toMatchObject({ requiredChecks, docsOnly })
})

test('a project may require checks of documents too [required.2.rules]', () => {
  const rules = { ...earlierRules, docs: { paths: ['**/*.md'], checks: ['doctrine-check'] } }
  expect(projectChecks(rules, ['a.md'], sha256)).toMatchObject({
    requiredChecks: ['doctrine-check'],
    reasons: ['docs_only'],
  })
})

test('paths have one form, whatever order and spelling they come in [required.1.projection]', () => {
  const one = projected('src/b', ' ./src/a ', '', 'src\\b', 'docs/x.md')
  expect(one.changedPaths).toEqual(['docs/x.md', 'src/a', 'src/b'])
  expect(projected('docs/x.md', 'src/a', 'src/b')).toEqual(one)
})

test('a document is told from other files by its exact name [required.2.rules]', () => {
  expect(projected('DOCS/run.sh').requiredChecks).toEqual(['baseline'])
})

test.each<[string, Json]>([
  ['leaves the project', ['a', '../b']],
  ['leaves it in its middle', ['a/../../b']],
  ['is absolute', ['/etc/passwd']],
  ['is absolute elsewhere', ['C:\\a']],
  ['has a NUL', ['a\0b']],
  ['is no text', [1]],
])('a path that %s is refused [required.3.paths]', (_name, paths) => {
  expect(changedPathsOf(paths, at)).toMatchObject({ failureClass: 'required_projection_invalid' })
})

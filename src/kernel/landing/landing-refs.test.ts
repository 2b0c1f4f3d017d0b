import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWithGit } from '../../../test/a-repository.ts'
import { attemptsFolder, candidateRef, issueBranch, refName } from './landing-refs.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('a usual id stays readable', () => {
  expect(issueBranch('bd-7.1', sha256)).toBe('premath/bd-7.1')
  expect(candidateRef('bd-7', sha256)).toBe('refs/premath/candidates/bd-7')
  expect(attemptsFolder('bd-7', sha256)).toBe('refs/premath/attempts/bd-7')
})

test('two ids never share a name', () => {
  const id = fc.stringMatching(/^[a-z.%/~^:?*[@{}\\-]{1,12}$/)
  fc.assert(
    fc.property(id, id, (a, b) => {
      fc.pre(a !== b)
      expect(refName(a, sha256)).not.toBe(refName(b, sha256))
    }),
  )
})

describeWithGit('the branch of an issue', () => {
  test.each(['a..b', '.a', 'a.', 'a.lock', 'a/b', '@', '@{', 'ä~^:?*[\\', '...', 'x'.repeat(200)])(
    'is legal for %s',
    id => {
      const ref = `refs/heads/${issueBranch(id, sha256)}`
      expect(execFileSync('git', ['check-ref-format', ref]).toString()).toBe('')
    },
  )
})

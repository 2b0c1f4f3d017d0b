import { expect, test } from 'vitest'
import {
  branchIn,
  commitOf,
  idsIn,
  packedRefs,
  plainConfig,
  privateConfig,
  usesOtherRefs,
} from './private-git.ts'

const config = `[core]
	bare = false
[remote "o"]
	url = https://user:token@example.org/r.git
[http "https://github.com/"]
	extraheader = AUTHORIZATION: basic x
[credential]
	helper = store
[user]
	name = N
`

test('the configuration keeps the identity and loses passwords', () => {
  expect(privateConfig(config)).toBe(`[core]
	bare = false
[remote "o"]
	url = https://example.org/r.git
[http "https://github.com/"]
[user]
	name = N
[gc]
	auto = 0
[maintenance]
	auto = false
`)
})

test('outside of the sandbox git reads the format of objects and nothing else', () => {
  expect(plainConfig(config)).toBe('[core]\n\trepositoryformatversion = 0\n\tbare = false\n')
  expect(plainConfig('[extensions]\n\tobjectFormat = sha256\n')).toContain('objectFormat = sha256')
})

test.each([
  ['[extensions]\n\trefstorage = reftable\n', true],
  ['[extensions]\n\trefStorage = files\n', false],
  ['[core]\n', false],
])('refs in another format are known by %j', (text, is) => {
  expect(usesOtherRefs(text)).toBe(is)
})

const id = 'a'.repeat(40)
const refs = packedRefs(`${id} refs/heads/main\n${'b'.repeat(40)} refs/heads/x/main\n`)

test.each([
  ['ref: refs/heads/main\n', 'refs/heads/main', id],
  ['ref: refs/heads/none\n', 'refs/heads/none', undefined],
  [`${id}\n`, undefined, id],
  ['ref: ../../evil\n', undefined, undefined],
])('HEAD %j stands for a branch and a commit', (head, branch, commit) => {
  expect([branchIn(head), commitOf(head, refs)]).toEqual([branch, commit])
})

test('ids are whole hexadecimal words, each once', () => {
  expect(idsIn(`pick ${id} x\n${id}\nabc ${'f'.repeat(41)}`)).toEqual([id])
})

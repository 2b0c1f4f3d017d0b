/** Digests of files that were read before. */
import type { Mutants } from './mutant.ts'

const test = 'src/harness/worktree/known-digests.test.ts'
const rules = 'src/kernel/proof/known-file.ts'
const tree = 'src/harness/worktree/tree.ts'

export const memoryDigestMutants: Mutants = {
  'memory.6.digest-known': {
    file: tree,
    find: 'this.#known?.unchanged(path, state.stamp)',
    replace: 'this.#known?.unchanged(path.slice(1), state.stamp)',
    test,
    named: 'not read again',
  },
  'memory.6.digest-exact': [
    {
      file: rules,
      find: 'one.changedNs === other.changedNs &&',
      replace: '',
      test,
      named: 'with the time set back',
    },
    {
      file: rules,
      find: ' &&\n  one.identity === other.identity',
      replace: '',
      test,
      named: 'a folder that takes the place',
    },
    {
      file: tree,
      find: 'if (this.#known?.hasLink(entry)) this.#reused += 1',
      replace: 'this.#reused += 1',
      test,
      named: 'a link in place of a file',
    },
    {
      file: tree,
      find: 'isAll && this.#reused === known.count',
      replace: 'isAll',
      test,
      named: 'a deleted file',
    },
  ],
  'memory.6.digest-racy': [
    {
      file: rules,
      find: 'file.changedNs < now.modifiedNs',
      replace: 'file.changedNs <= now.modifiedNs',
      test,
      named: 'a change of the time alone',
    },
    {
      file: rules,
      find: 'deviceOf(file) === deviceOf(now)',
      replace: 'true',
      test,
      named: 'another device',
    },
    {
      file: tree,
      find: 'const isWhole = isSameState(state.stamp, stamp)',
      replace: 'const isWhole = state.stamp.size === stamp.size',
      test,
      named: 'while it was read has',
    },
    {
      file: tree,
      find: 'const isKept = now !== undefined && isWhole && isSettled(stamp, now)',
      replace:
        'const later = await this.#known?.now()\n    const isKept = now !== undefined && later !== undefined && isWhole && isSettled(stamp, later)',
      test,
      named: 'written after it was read',
    },
  ],
  'memory.6.digest-damaged': [
    {
      file: 'src/store/cache-file.ts',
      find: 'if (sum !== checksum(bytes.subarray(4))) return undefined',
      replace: '',
      test,
      named: 'a damaged cache',
    },
    {
      file: 'src/store/known-files.ts',
      find: 'await unlessFault(() => this.#disk.replaceLoosely',
      replace: 'await (act => act())(() => this.#disk.replaceLoosely',
      test,
      named: 'cannot be written',
    },
  ],
  'memory.6.digest-once': {
    file: 'src/project/proofs/issue-closing.ts',
    find: 'findProof(issue, project, tree)',
    replace: 'findProof(issue, project)',
    test: 'test/digest-once.test.ts',
  },
}

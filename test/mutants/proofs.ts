/** docs/decisions/proofs.md. */
import type { Mutants } from './mutant.ts'

const rerun = 'src/project/proofs/rerun.ts'
const rerunCommit = 'src/project/proofs/rerun-commit.ts'
const rerunTest = 'test/witness-rerun.test.ts'
const closesTest = 'test/unproven-closes.test.ts'

export const proofMutants: Mutants = {
  'proofs.1.closed-has-proof': [
    {
      file: 'src/project/proofs/witness-verdict.ts',
      find: "(memory?.all() ?? []).filter(issue => issue.status === 'closed')",
      replace:
        "(memory?.all() ?? []).filter(issue => issue.status === 'closed' && issue.metadata !== undefined)",
      test: closesTest,
    },
    {
      file: 'src/project/doctor/proofs.ts',
      find: '[...unprovenFindings(unproven)]',
      replace: '[...unprovenFindings(unproven.slice(1))]',
      test: closesTest,
    },
    {
      file: 'src/project/proofs/imported-issues.ts',
      find: 'said.filter(id => !seenOpen.has(id))',
      replace: "said.filter(id => !seenOpen.has('') || seenOpen.has(id))",
      test: closesTest,
    },
  ],
  'proofs.2.forced': {
    file: 'src/project/proofs/witness-verdict.ts',
    find: 'options.allowForced || rows.some(isPast)',
    replace: 'options.allowForced || !options.named || rows.some(isPast)',
    test: closesTest,
  },
  'proofs.3.rerun': [
    {
      file: rerun,
      find: 'await clone.checkOut(base)',
      replace: 'await clone.checkOut(landed.commit)',
      test: rerunTest,
      named: 'changed the spec that judges it',
    },
    {
      file: rerun,
      find: 'await clone.takeSpecs(',
      replace: 'if (specs === undefined) await clone.takeSpecs(',
      test: rerunTest,
      named: 'changed the spec that judges it',
    },
    {
      file: rerun,
      find: '[...specsOf(issue), ...(await this.#specsThen())]',
      replace: '[...specsOf(issue), ...(await this.#specsThen()).slice(1)]',
      test: rerunTest,
      named: 'taken out of the row',
    },
    {
      file: rerun,
      find: 'if (tree === chain.treeDigest) return undefined',
      replace: 'if (tree !== undefined) return undefined',
      test: rerunTest,
      named: 'about other files',
    },
    {
      file: rerunCommit,
      find: 'if (named.length === 0 || named.includes(id)) return undefined',
      replace: 'if (named.length >= 0 || named.includes(id)) return undefined',
      test: rerunTest,
      named: 'the work of another issue',
    },
    {
      file: rerunCommit,
      find: "one.id === id && one.status !== 'closed'",
      replace: "one.id === id && one.status === ''",
      test: rerunTest,
      named: 'claims to be imported',
    },
  ],
}

/** docs/decisions/steps.md. */
import type { Mutants } from './mutant.ts'

const gitCheckout = 'src/harness/landing/git-checkout.ts'
const checkoutTest = 'test/work-checkout.test.ts'

export const stepMutants: Mutants = {
  'steps.1.clean-checkout': {
    file: gitCheckout,
    find: "['add', '--all', '--ignore-errors', '--', ':/', ...others]",
    replace: "['add', '--all', '--force', '--ignore-errors', '--', ':/', ...others]",
    test: checkoutTest,
  },
  'steps.2.fresh-index': {
    file: gitCheckout,
    find: 'return { env: { ...env, GIT_INDEX_FILE: this.#index } }',
    replace: 'return { env: { ...env } }',
    test: checkoutTest,
  },
  'steps.3.pinned-documents': [
    {
      file: 'src/harness/landing/judge-change.ts',
      find: 'used.has(path) && !isAllowed(path)',
      replace: "used.has(path) && !isAllowed(path) && path === ''",
      test: checkoutTest,
    },
    {
      file: 'src/kernel/landing/spec-documents.ts',
      find: '...libraries.map(library => contractPath(library)),',
      replace: '...libraries.slice(99).map(library => contractPath(library)),',
      test: checkoutTest,
      named: 'a library that',
    },
    {
      file: 'src/harness/landing/judge-change.ts',
      find: 'if (edits.every(({ path }) => isOwnSpec(path))) return used',
      replace:
        "if (edits.every(({ path }) => isOwnSpec(path) || !path.endsWith('.md'))) return used",
      test: checkoutTest,
      named: 'a library that',
    },
  ],
  'steps.4.left-work': {
    file: 'src/kernel/landing/left-work.ts',
    find: 'const isTakenOver = made !== undefined && head !== headAfter && isCommitted(state.path)',
    replace: 'const isTakenOver = head !== headAfter || isCommitted(state.path) || left === null',
    test: checkoutTest,
    named: 'killed',
  },
  'steps.5.own-witness': {
    file: 'src/project/proofs/step-proofs.ts',
    find: 'const proof = await specProof(issue, left ? [left] : [], project)',
    replace:
      "const proof = left === '' ? await specProof(issue, [], project) : await (await import('./close-proof.ts')).findProof(issue, project)",
    test: checkoutTest,
  },
}

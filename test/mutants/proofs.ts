/** docs/decisions/proofs.md. */
import type { Mutants } from './mutant.ts'

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
      find: "event.action === 'upsert_issue' && event.issue.status !== 'closed'",
      replace: "event.action === 'upsert_issue' && event.issue.status === ''",
      test: closesTest,
    },
  ],
  'proofs.2.forced': {
    file: 'src/project/proofs/witness-verdict.ts',
    find: 'options.allowForced || rows.some(isPast)',
    replace: 'options.allowForced || !options.named || rows.some(isPast)',
    test: closesTest,
  },
}

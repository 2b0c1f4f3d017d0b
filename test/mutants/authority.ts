/** docs/decisions/instructions-and-policy.md. */
import type { Mutants } from './mutant.ts'

const chainTest = 'test/door-chain.test.ts'

export const authorityMutants: Mutants = {
  'authority.1.standing': [
    {
      file: 'src/kernel/authority/agent-admission.ts',
      find: 'standing === true || !entries.has(entry)',
      replace: '!entries.has(entry)',
      test: chainTest,
    },
    {
      file: 'src/kernel/instruction/scope-mutations.ts',
      find: 'standing && !mayStand.includes(action)',
      replace: "standing && action === ''",
      test: chainTest,
    },
  ],
}

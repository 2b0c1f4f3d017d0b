/** The gate at the door, and the turn that a step makes of itself. */
import type { Mutants } from './mutant.ts'

const refsTest = 'test/door-refs.test.ts'

export const gateMutants: Mutants = {
  'gate.1.refs-resolve': [
    {
      file: 'src/kernel/turn/mutation-ready.ts',
      find: '|| unresolved.length > 0',
      replace: '|| unresolved.length > 99',
      test: refsTest,
    },
    {
      file: 'src/kernel/turn/turn-refs.ts',
      find: '...turn.uses.flatMap(use => usesOf(turn, use)),',
      replace: '...turn.uses.slice(99).flatMap(use => usesOf(turn, use)),',
      test: refsTest,
    },
    {
      file: 'src/project/gate/resolve-refs.ts',
      find: "value['sessionKind'] === 'premath.harness.session.v1'",
      replace: "value['sessionKind'] !== 'another'",
      test: refsTest,
    },
  ],
}

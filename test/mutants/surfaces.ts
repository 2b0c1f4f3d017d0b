/** The surfaces beside the command line. */
import type { Mutants } from './mutant.ts'

const callTest = 'src/operations/call.test.ts'

export const surfaceMutants: Mutants = {
  'surfaces.1.paths': {
    file: 'src/operations/call-arguments.ts',
    find: 'if (isPath(field)) await',
    replace: "if (name === 'x') await",
    test: callTest,
  },
  'surfaces.2.policy': {
    file: 'src/project/authority/authority.ts',
    find: 'const mode = modes[context.surface]',
    replace: 'const mode = modes.cli',
    test: callTest,
  },
  'surfaces.3.agents': {
    file: 'src/project/authority/authority.ts',
    find: "surface === 'mcp' ? 'an agent' : undefined",
    replace: 'surface ? undefined : undefined',
    test: callTest,
  },
}

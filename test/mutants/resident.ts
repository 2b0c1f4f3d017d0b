/** The resident process. */
import type { Mutants } from './mutant.ts'

const residentTest = 'test/resident.test.ts'
const mcpTest = 'test/mcp/resident.test.ts'
const servicesTest = 'src/world/local-services.test.ts'
const keptTest = 'src/store/file/kept-issues.test.ts'

export const residentMutants: Mutants = {
  'resident.1.no-step': [
    {
      file: 'src/resident/ask.ts',
      find: 'const known = await inStepOf(context, {})',
      replace: 'const known = context',
      test: residentTest,
      named: 'whose ancestors belong to the step',
    },
    {
      file: 'src/resident/ask.ts',
      find: "if (env['PREMATH_STEP_ID']) return undefined",
      replace: "if (env['PREMATH_STEP_ID'] === '') return undefined",
      test: residentTest,
      named: 'by the variable of the step',
    },
  ],
  'resident.2.reads-only': [
    {
      file: 'src/operations/call.ts',
      find: 'prepared.writes ? undefined : await conclude(prepared, context)',
      replace: 'await conclude(prepared, context)',
      test: residentTest,
      named: 'refuses every command that writes',
    },
    {
      file: 'src/resident/read-only-context.ts',
      find: 'replaceLoosely: refuse',
      replace: 'replaceLoosely: async () => {}',
      test: 'src/resident/read-only-context.test.ts',
    },
  ],
  'resident.3.never-stale': [
    {
      file: 'src/store/file/kept-issues.ts',
      find: 'isSettled: now - metAt > stampNsMax',
      replace: 'isSettled: true',
      test: keptTest,
      named: 'leaves size and time alone',
    },
    {
      file: 'src/store/file/kept-issues.ts',
      find: 'if (!isContinued) this.#warm.forget()',
      replace: '',
      test: keptTest,
      named: 'before rows that were appended',
    },
  ],
  'resident.4.private': [
    {
      file: 'src/world/local-services.ts',
      find: 'chmodSync(path, ownerOnlyFile)',
      replace: '',
      test: servicesTest,
      named: 'only its owner may use',
    },
    {
      file: 'src/world/local-services.ts',
      find: 'found.uid === user && (found.mode & othersBits) === 0',
      replace: 'found.uid === user',
      test: servicesTest,
      named: 'others can enter it',
    },
    {
      file: 'src/world/local-services.ts',
      find: 'const found = lstatSync(path',
      replace: 'const found = statSync(path',
      test: servicesTest,
      named: 'it is a link',
    },
  ],
  'resident.5.mcp': [
    {
      file: 'src/operations/call-warm.ts',
      find: 'askResident({ command, args, names',
      replace: 'askResident({ command, args: {}, names',
      test: mcpTest,
      named: 'word for word',
    },
    {
      file: 'src/resident/ask.ts',
      find: "if (env['CI'] || !(await isWanted(project))) return",
      replace: 'if (!(await isWanted(project))) return',
      test: mcpTest,
      named: 'in CI, and starts none',
    },
  ],
}

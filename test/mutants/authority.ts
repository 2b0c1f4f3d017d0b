/** docs/decisions/instructions-and-policy.md. */
import type { Mutants } from './mutant.ts'

const chainTest = 'test/door-chain.test.ts'
const overrideTest = 'test/override.test.ts'

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
  'authority.2.override': [
    {
      file: 'src/cli/run.ts',
      find: 'world.err.isTerminal() && world.isAtTerminal() ? askerAt(world) : undefined',
      replace: "world.env['TERM'] === 'xterm' || world.isAtTerminal() ? askerAt(world) : undefined",
      test: overrideTest,
      named: 'with variables that look like a terminal',
    },
    {
      file: 'src/project/authority/override.ts',
      find: ': agentRefusal(what, project)',
      replace: ': agentRefusal(what, { env: {} })',
      test: overrideTest,
      named: 'under an agent',
    },
    {
      file: 'src/project/authority/authority.ts',
      find: 'const operator = isRecorded\n',
      replace: 'const operator = isRecorded && isAtTerminal\n',
      test: overrideTest,
      named: 'has no name of the environment',
    },
    {
      file: 'src/operations/policy/set.ts',
      find: 'operator: by.actor',
      replace: "operator: context.env['PREMATH_OPERATOR'] ?? by.actor",
      test: overrideTest,
      named: 'is recorded as terminal',
    },
  ],
  'authority.3.script': [
    {
      file: 'src/project/authority/override.ts',
      find: '(await policyOnTarget(project)) ?? (await policyInForce(project))',
      replace: '(await project.writtenPolicy()).policy',
      test: overrideTest,
      named: 'only if the commit of the target says so',
    },
    {
      file: 'src/project/authority/override.ts',
      find: '=== undefined ? undefined : {}',
      replace: '=== undefined ? undefined : await project.policy()',
      test: overrideTest,
      named: 'on a detached head',
    },
  ],
}

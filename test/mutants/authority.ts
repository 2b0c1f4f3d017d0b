/** docs/decisions/instructions-and-policy.md. */
import type { Mutants } from './mutant.ts'

const chainTest = 'test/door-chain.test.ts'
const overrideTest = 'test/override.test.ts'
const inForceTest = 'test/instruction-in-force.test.ts'
const runTest = 'test/run-instruction.test.ts'

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
      replace: ': agentRefusal(what, { ...project, env: {} })',
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
      file: 'src/operations/issue/replay-events.ts',
      find: 'if (gone.length + older.length === 0) return undefined',
      replace: 'if (gone.length + older.length < 5) return undefined',
      test: overrideTest,
      named: 'without a terminal',
    },
    {
      file: 'src/operations/issue/replay-events.ts',
      find: 'await recordConfirmed(by,',
      replace: "await recordConfirmed({ ...by, actor: 'script' },",
      test: overrideTest,
      named: 'that a replay loses',
    },
    {
      file: 'src/operations/policy/set.ts',
      find: 'operator: by.actor',
      replace: "operator: context.env['PREMATH_OPERATOR'] ?? by.actor",
      test: overrideTest,
      named: 'is recorded as terminal',
    },
  ],
  'authority.4.required-checks': [
    {
      file: 'src/kernel/instruction/envelope.ts',
      find: 'const lacking = requiredChecks.find(',
      replace: 'const lacking = requiredChecks.slice(1).find(',
      test: runTest,
      named: 'does not ask for a required check',
    },
    {
      file: 'src/kernel/instruction/instruction-policy.ts',
      find: '...(requiredChecks && {',
      replace: '...(requiredChecks?.length === 0 && {',
      test: 'src/kernel/instruction/instruction-policy.test.ts',
    },
    {
      file: 'src/input/work-options.ts',
      find: 'checkedVerifier(checks(harness.authority()),',
      replace: 'checkedVerifier([],',
      test: runTest,
      named: 'lands nothing that a required check rejects',
    },
    {
      file: 'src/project/policies/required-checks.ts',
      find: 'named(authority.instruction.policyDigest)',
      replace: 'named(null)',
      test: runTest,
      named: 'fails after the work',
    },
    {
      file: 'src/harness/step/checked-verifier.ts',
      find: 'if (ran.passed && !ran.stopped) continue',
      replace: 'if (!ran.stopped) continue',
      test: runTest,
      named: 'lands nothing that a required check rejects',
    },
  ],
  'authority.5.run': [
    {
      file: 'src/operations/land-one.ts',
      find: 'given.run ? step : await asRun(step, project)',
      replace: "given.run || as === '' ? await asRun(step, project) : step",
      test: runTest,
      named: 'premath land is one too',
    },
    {
      file: 'src/operations/landing-run.ts',
      find: 'if (isVerified && !(await refusesAll(coordinator)))',
      replace: 'if (isVerified || (await refusesAll(coordinator)))',
      test: runTest,
      named: 'does not verify the target first',
    },
    {
      file: 'src/project/authority/override.ts',
      find: "if (project.isAtTerminal()) return { actor: 'terminal', uid }",
      replace: "return { actor: 'terminal', uid }",
      test: runTest,
      named: 'is refused, and says how to start it',
    },
    {
      file: 'src/project/authority/override.ts',
      find: "callerRefusal('start a run without an instruction', project)",
      replace: "stepWorkRefusal('start a run without an instruction', project)",
      test: runTest,
      named: 'is refused to an agent',
    },
    {
      file: 'src/project/authority/authority.ts',
      find: 'return instructionIn(asking, context) ?? own',
      replace: 'return instructionIn(asking, context) ?? (own && undefined)',
      test: runTest,
      named: 'lands its work under its own instruction',
    },
    {
      file: 'src/kernel/instruction/instruction-id.ts',
      find: '|latest-|run-[0-9a-f]{64}$)',
      replace: '|latest-)',
      test: runTest,
      named: 'that an agent could act under',
    },
  ],
  'authority.8.new-instruction': [
    {
      file: 'src/operations/instruction/new.ts',
      find: 'if (isAgent(context)) return',
      replace: 'if (isAgent(context) && context.json === undefined) return',
      test: 'test/instruction-new.test.ts',
    },
    {
      file: 'src/kernel/instruction/new-instruction.ts',
      find: '({ action, issueId, standing: true })',
      replace: '({ action, issueId })',
      test: 'test/instruction-new.test.ts',
    },
    {
      file: 'src/operations/instruction/new.ts',
      find: "return 'yes' in set && set.yes",
      replace: 'return !set',
      test: 'test/instruction-new.test.ts',
      named: 'is put in force by the person',
    },
  ],
  'authority.7.instruction-in-force': [
    {
      file: 'src/project/authority/agent-authority.ts',
      find: 'if (text === undefined || isSame(text)) return undefined',
      replace: 'if (text === undefined || text !== null) return undefined',
      test: inForceTest,
      named: 'that differs from the one on the target',
    },
    {
      file: 'src/project/authority/agent-authority.ts',
      find: 'isInstructionInForce(digest, log)',
      replace: 'log.entries.length > 0',
      test: inForceTest,
      named: 'that a person put in force',
    },
    {
      file: 'src/project/authority/agent-authority.ts',
      find: 'if (unknown) return unknown',
      replace: "if (unknown?.diagnostic === '') return unknown",
      test: inForceTest,
      named: 'only in the working tree',
    },
  ],
  'authority.6.closed-by': [
    {
      file: 'src/kernel/proof/proof-chain.ts',
      find: ', ...confirmedBy }',
      replace: ' }',
      test: runTest,
    },
    {
      file: 'src/kernel/proof/proof-check.ts',
      find: "recorded['actor'] ?? null, actor]",
      replace: 'actor, actor]',
      test: runTest,
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
      file: 'src/project/authority/on-target.ts',
      find: '=== undefined ? undefined : null',
      replace:
        '=== undefined ? undefined : new TextDecoder().decode(await project.files.readIfPresent(project.at(path)))',
      test: overrideTest,
      named: 'on a detached head',
    },
  ],
}

/** The gate at the door, and the turn that a step makes of itself. */
import type { Mutants } from './mutant.ts'

const stop = 'src/kernel/harness/step/stop-policy.ts'
const stopTest = 'src/kernel/harness/step/stop-policy.test.ts'
const stepTest = 'test/step-context.test.ts'
const refsTest = 'test/door-refs.test.ts'
const stepTurnFile = 'src/kernel/harness/step/step-turn.ts'

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
    {
      file: 'src/project/gate/resolve-refs.ts',
      find: '(await proofs.reread(issueId, chainDigest)) === chainDigest',
      replace: '(await proofs.holds(issueId, chainDigest))',
      test: refsTest,
    },
    {
      file: 'src/kernel/turn/turn-refs.ts',
      find: "if (proof) return { is: 'proof', ...proof }",
      replace: "if (proof) return { is: 'part of the turn' }",
      test: refsTest,
    },
  ],
  'gate.2.state-view': [
    {
      file: stepTurnFile,
      find: 'viewDigest: work.viewDigest',
      replace: 'viewDigest: work.queueDigest',
      test: stepTest,
    },
    {
      file: 'src/harness/step/state-view.ts',
      find: '{ ...seen, treeDigest }',
      replace: '{ ...seen, treeDigest: null }',
      test: stepTest,
    },
    {
      file: 'src/project/proofs/step-context.ts',
      find: '=== row[digest]) continue',
      replace: '!== null) continue',
      test: stepTest,
    },
    {
      file: 'src/project/proofs/step-context.ts',
      find: ".includes('verified')",
      replace: ".includes('verified') || refs.length > 0",
      test: stepTest,
      named: 'in another clone',
    },
  ],
  'gate.3.reminder-queue': [
    {
      file: 'src/kernel/harness/step/reminder-queue.ts',
      find: '!seen.has(text) && seen.add(text)',
      replace: 'seen.add(text)',
      test: 'src/kernel/harness/step/reminder-queue.test.ts',
    },
    {
      file: 'src/harness/step/state-view.ts',
      find: 'reminderQueue(given, policy.reminderLines)',
      replace: 'reminderQueue(given, 10_000)',
      test: stepTest,
    },
  ],
  'gate.4.stop-policy': [
    {
      file: stop,
      find: "if (issue.status === 'closed') {",
      replace: "if (issue.status === 'deferred') {",
      test: stopTest,
    },
    {
      file: stop,
      find: 'lease.fence === claim.fence',
      replace: 'lease.fence >= 0',
      test: stopTest,
    },
    {
      file: 'src/harness/step/step.ts',
      find: 'if (stopped) {',
      replace: 'if (stopped && attempts.length > 99) {',
      test: stepTest,
    },
  ],
  'gate.5.error-result': {
    file: stepTurnFile,
    find: "status: work.failure ? 'error' : 'ok'",
    replace: "status: 'ok'",
    test: stepTest,
  },
  'gate.6.policy-in-force': [
    {
      file: 'src/project/loop/step-gate.ts',
      find: 'activeMutationPolicyDigest: mutationPolicyDigest }',
      replace: "...(!mutationPolicyDigest && { activeMutationPolicyDigest: '' }) }",
      test: stepTest,
    },
    {
      file: 'src/kernel/harness/step/step-decision.ts',
      find: 'facts.requireAgentEvidence && facts.turnsLeft === 0',
      replace: 'facts.requireAgentEvidence && facts.turnsLeft < 0',
      test: stepTest,
    },
  ],
}

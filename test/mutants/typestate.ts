/** HARNESS-TYPESTATE. */
import type { Mutants } from './mutant.ts'

const test = 'test/typestate.test.ts'
const closure = 'src/kernel/turn/normalize.ts'
const join = 'src/kernel/turn/join.ts'
const ready = 'src/kernel/turn/mutation-ready.ts'
const mutation = 'src/kernel/turn/rules/mutation.ts'

export const typestateMutants: Mutants = {
  'typestate.2.ordered-chain': {
    file: join,
    find: ' && turn.claims.mutation !== undefined && unmet.length === 0',
    replace: '',
    test,
  },
  'typestate.2.fail-closed': {
    file: 'src/kernel/turn/evidence/surface.ts',
    find: 'if (!isJsonObject(raw)) {',
    replace: 'if (!isJsonObject(raw)) {\n      if (raw !== null) continue',
    test,
  },
  'typestate.2.no-mutation': {
    file: ready,
    find: 'return #issued in value && value.#issued',
    replace: 'return value instanceof MutationReady',
    test,
  },
  'typestate.3.1.minimum-binding': {
    file: 'src/kernel/turn/evidence/read-row.ts',
    find: 'if (value === undefined) {',
    replace: "if (value === undefined) {\n      if (name === 'stateViewPolicyDigest') continue",
    test,
  },
  'typestate.3.2.rows': {
    file: 'src/kernel/turn/evidence/surface.ts',
    find: 'if (repeated && textOf(previous as Keyed) === textOf(next)) continue',
    replace: '',
    test,
  },
  'typestate.3.2.error-envelope': {
    file: 'src/kernel/turn/evidence/rows.ts',
    find: 'retryable: found.retryable ?? false,',
    replace: 'retryable: false,',
    test,
  },
  'typestate.3.2.envelope-missing': {
    file: 'src/kernel/turn/evidence/rows.ts',
    find: "typeof retryable !== 'boolean' && 'retryable',",
    replace: '',
    test,
  },
  'typestate.4.kind': {
    file: 'src/kernel/turn/report.ts',
    find: "'premath.harness.typestate_normalized.v1'",
    replace: "'premath.harness.typestate_normalized.v2' as never",
    test,
  },
  'typestate.4.digest-bindings': {
    file: 'src/kernel/turn/evidence/seal.ts',
    find: 'useSetDigest: digest(texts.uses),',
    replace: 'useSetDigest: digest(texts.requests),',
    test,
  },
  'typestate.4.byte-stable': {
    file: 'src/kernel/turn/evidence/surface.ts',
    find: 'return inOrder ? rows :',
    replace: 'return inOrder || rows.length < 3 ? rows :',
    test,
  },
  'typestate.5.result-for-request': {
    file: closure,
    find: 'without(requestedCallIds, resultCallIds)',
    replace: 'without(requestedCallIds, requestedCallIds)',
    test,
  },
  'typestate.5.no-orphan': {
    file: closure,
    find: 'without(resultCallIds, requestedCallIds)',
    replace: 'without(resultCallIds, resultCallIds)',
    test,
  },
  'typestate.5.use-for-result': {
    file: closure,
    find: 'without(resultCallIds, usedCallIds)',
    replace: 'without(resultCallIds, resultCallIds)',
    test,
  },
  'typestate.5.no-unknown-use': {
    file: closure,
    find: 'without(usedCallIds, resultCallIds)',
    replace: 'without(usedCallIds, usedCallIds)',
    test,
  },
  'typestate.5.stop-reason': {
    file: 'src/kernel/turn/rules/protocol.ts',
    find: '|| !handled.includes(stopReason)',
    replace: '',
    test,
  },
  'typestate.5.context': [
    { file: closure, find: 'views.length > 0', replace: 'views.length >= 0', test },
    { file: closure, find: 'queues.length > 0', replace: 'queues.length >= 0', test },
    {
      file: closure,
      find: 'row.policyDigest === digest',
      replace: 'digest !== undefined',
      test,
    },
  ],
  'typestate.5.decomposition': [
    {
      file: 'src/kernel/turn/rules/coordination.ts',
      find: 'widest > most,',
      replace: 'widest > most + 1,',
      test,
    },
    {
      file: 'src/kernel/turn/rules/coordination.ts',
      find: '!admitted.includes(pattern)',
      replace: 'admitted.length === 0',
      test,
    },
    {
      file: 'src/kernel/turn/rules/coordination.ts',
      find: 'requireTrigger.value === true &&',
      replace: 'requireTrigger.malformed === true &&',
      test,
    },
    {
      file: 'src/kernel/turn/rules/coordination.ts',
      find: 'admissible === false',
      replace: 'admissible === undefined',
      test,
    },
    {
      file: 'src/kernel/turn/mutation-demand.ts',
      find: '!policy && splittingPatterns.includes(pattern)',
      replace: '!policy && splittingPatterns.length === 0',
      test,
    },
  ],
  'typestate.5.handoff': [
    {
      file: 'src/kernel/turn/rules/handoff.ts',
      find: 'artifacts.filter(ref => !carried.has(ref))',
      replace: 'carried.size > 0 ? [] : artifacts',
      test,
    },
    {
      file: 'src/kernel/turn/rules/handoff.ts',
      find: '|| !targets.includes(target)',
      replace: '|| targets.length === 0',
      test,
    },
    {
      file: 'src/kernel/turn/rules/handoff.ts',
      find: 'turn.handoff?.returnPathRef === undefined',
      replace: 'turn.handoff === undefined',
      test,
    },
  ],
  'typestate.6.join-closed': {
    file: join,
    find: 'mutationReady: joinClosed &&',
    replace: 'mutationReady: turn.joinState.joinClosed &&',
    test,
  },
  'typestate.6.continuation': [
    {
      file: closure,
      find: 'protocolState.continuationAllowed !== true || complete',
      replace: 'protocolState.continuationAllowed !== true || stateViewPresent || complete',
      test,
    },
    {
      file: 'src/kernel/turn/rules/context.ts',
      find: 'protocolState.continuationAllowed === true ||',
      replace: '',
      test,
    },
  ],
  'typestate.6.active-policy': [
    { file: mutation, find: 'active !== bound,', replace: 'bound === undefined,', test },
    {
      file: mutation,
      find: 'when(mutation !== undefined, at,',
      replace: 'when(mutation === undefined, at,',
      test,
    },
  ],
  'typestate.6.witness-linkage': [
    {
      file: mutation,
      find: 'turn.trajectoryRefs.length === 0',
      replace: 'turn.sessionRefs.length === 0',
      test,
    },
    {
      file: ready,
      find: 'witnessDigest(turn, join, kit.sha256)',
      replace: 'turn.digests.joinSetDigest',
      test,
    },
  ],
  'typestate.6.reject-missing-closure': {
    file: mutation,
    find: 'if (!turn.claims.mutation) return none',
    replace: 'if (!turn.claims.mutation || turn.uses.length === 0) return none',
    test,
  },
  'typestate.7.no-free-text-calls': {
    file: 'src/kernel/turn/checks/schema-invalid.ts',
    find: 'adapterProfile === undefined || !admitted',
    replace: 'adapterProfile !== undefined && !admitted',
    test,
  },
  'typestate.7.text-adapter': {
    file: 'src/kernel/turn/checks/schema-invalid.ts',
    find: 'turn.callSpec.textAdapterProfiles ?? []',
    replace: 'turn.requests.map(request => request.adapterProfile)',
    test,
  },
  'typestate.8.machine-readable': {
    file: join,
    find: '[...new Set(sorted.map(finding => finding.failureClass))]',
    replace: 'sorted.map(finding => finding.failureClass)',
    test,
  },
  'typestate.8.minimum-classes': {
    file: 'src/kernel/turn/rules/tool.ts',
    find: 'find: truncationViolations,',
    replace: 'find: () => none,',
    test,
  },
  'typestate.8.claim-gated': [
    {
      file: 'src/kernel/turn/rules/governance.ts',
      find: '(governanceClaimed(turn) ? rule.find(turn, kit) : none)',
      replace: 'rule.find(turn, kit)',
      test,
    },
    {
      file: 'src/kernel/turn/governance-claim.ts',
      find: '(registryClaims?.includes(governanceProfileId) ?? false)',
      replace: 'false',
      test,
    },
  ],
  'typestate.9.join-check': {
    file: 'src/operations/harness/join-check.ts',
    find: 'yes: report.joinClosed,',
    replace: 'yes: true,',
    test,
  },
  'typestate.9.vectors': {
    file: 'src/project/conformance/conformance-check.ts',
    find: 'expected === came ? []',
    replace: 'expected !== undefined ? []',
    test,
  },
  'typestate.9.issue-graph': {
    file: 'src/kernel/issues/graph/graph-compactness.ts',
    find: ".filter(target => memory.get(target)?.status === 'closed')",
    replace: ".filter(target => memory.get(target)?.status === 'deferred')",
    test: 'test/dep-commands.test.ts',
  },
}

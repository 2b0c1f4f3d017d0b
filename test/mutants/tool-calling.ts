/** TOOL-CALLING-HARNESS-TYPESTATE. */
import type { Mutants } from './mutant.ts'

const test = 'test/typestate.test.ts'

export const toolCallingMutants: Mutants = {
  'tool-calling.0.executable-authority': {
    file: 'src/kernel/turn/rules/tool.ts',
    find: 'find: invalidEdges,',
    replace: 'find: () => none,',
    test,
  },
  'tool-calling.3.caller-scoped': [
    {
      file: 'src/kernel/turn/checks/caller.ts',
      find: 'if (tool.allowedCallers.includes(caller)) return none',
      replace: 'if (tool.allowedCallers.length > 0) return none',
      test,
    },
    {
      file: 'src/kernel/turn/checks/caller.ts',
      find: '!toolEntry(turn, request.toolName)?.codeExecution',
      replace: '!toolEntry(turn, request.toolName)',
      test,
    },
  ],
  'tool-calling.3.compaction-checked': [
    {
      file: 'src/kernel/turn/rules/runtime.ts',
      find: 'if (stateDigest !== computed) {',
      replace: 'if (stateDigest === undefined) {',
      test,
    },
    {
      file: 'src/kernel/turn/rules/runtime.ts',
      find: 'policyDigest === undefined || policyDigest !== turn.callSpec.compactionPolicyDigest',
      replace: 'policyDigest === undefined',
      test,
    },
  ],
  'tool-calling.4.2.text-adapter': {
    file: 'src/kernel/turn/checks/schema-invalid.ts',
    find: ' || !admitted.includes(adapterProfile)',
    replace: '',
    test,
  },
  'tool-calling.4.3.caller-edge': {
    file: 'src/kernel/turn/rules/tool.ts',
    find: "...catalogMismatch(turn, 'allowedCallersDigest', kit),",
    replace: '',
    test,
  },
  'tool-calling.4.5.stop-reason': {
    file: 'src/kernel/turn/rules/protocol.ts',
    find: 'policy?.handled?.map(lowerAscii) ?? handledByDefault',
    replace: 'handledByDefault',
    test,
  },
  'tool-calling.4.5.handoff-artifacts': {
    file: 'src/kernel/turn/rules/handoff.ts',
    find: '...(requiredArtifacts.value ?? []),',
    replace: '',
    test,
  },
  'tool-calling.4.5.use-evidence': [
    {
      file: 'src/kernel/turn/rules/mutation.ts',
      find: "use.disposition === 'consumed' && !isLinked(use)",
      replace: "use.disposition === 'discarded' && !isLinked(use)",
      test,
    },
    {
      file: 'src/kernel/turn/rules/mutation.ts',
      find: 'use.handoffRef !== undefined ||',
      replace: '',
      test,
    },
  ],
  'tool-calling.5.2.json-composition': [
    {
      file: 'src/kernel/turn/checks/parallel.ts',
      find: "if (actionMode === 'json') {",
      replace: "if (actionMode === 'text') {",
      test,
    },
    {
      file: 'src/kernel/turn/checks/caller.ts',
      find: "if (turn.callSpec.actionMode === 'json')",
      replace: "if (turn.callSpec.actionMode === 'text')",
      test,
    },
  ],
  'tool-calling.7.minimum-classes': {
    file: 'src/kernel/turn/rules/tool.ts',
    find: 'find: unresolvedDiscoveries,',
    replace: 'find: () => none,',
    test,
  },
  'tool-calling.7.no-mutation': {
    file: 'src/kernel/turn/mutation-ready.ts',
    find: '!join.mutationReady || ',
    replace: '',
    test,
  },
}

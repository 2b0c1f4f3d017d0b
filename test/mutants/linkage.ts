/** docs/decisions/steps.md: what rows and sessions link to. */
import type { Mutants } from './mutant.ts'

const linkageTest = 'test/linkage.test.ts'

export const linkageMutants: Mutants = {
  'linkage.1.snapshot': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'issuesSnapshotRef: await store.logRef(sha256),',
      replace: 'issuesSnapshotRef: undefined,',
      test: linkageTest,
    },
    {
      file: 'src/harness/loop/loop.ts',
      find: 'issuesSnapshotRef: await store.logRef(sha256) }',
      replace: 'issuesSnapshotRef: sha256.name || undefined }',
      test: linkageTest,
      named: 'a run',
    },
    {
      file: 'src/store/file/log-ref.ts',
      find: "return bytes === end ? 'same' : 'moved'",
      replace: "return bytes <= end ? 'same' : 'moved'",
      test: linkageTest,
    },
  ],
  'linkage.2.instruction': [
    {
      file: 'src/harness/step/commit-step.ts',
      find: 'const ids = [journal?.instructionId, instructionId]',
      replace: 'const ids = [journal?.instructionId && undefined, instructionId]',
      test: linkageTest,
      named: 'finishes',
    },
    {
      file: 'src/harness/stop.ts',
      find: 'instructionRefs: instructionRefsOf(harness),',
      replace: 'instructionRefs: instructionRefsOf({ ...harness, instructionId: undefined }),',
      test: linkageTest,
      named: 'everywhere',
    },
  ],
  'linkage.3.target': {
    file: 'src/harness/boot.ts',
    find: 'if (OperatorGrant.isIssued(starter)) return undefined',
    replace: "if (!('failureClass' in starter)) return undefined",
    test: linkageTest,
    named: 'not allow',
  },
  'linkage.4.reread': [
    {
      file: 'src/harness/step/reread-close.ts',
      find: 'if (want !== got) throw',
      replace: "if (want !== got && name === 'status') throw",
      test: 'src/harness/step/reread-close.test.ts',
      named: 'both values',
    },
    {
      file: 'src/store/file/last-row.ts',
      find: 'length *= 2) {',
      replace: 'length = size + length) {\n    if (from < size) break',
      test: 'src/harness/step/reread-close.test.ts',
      named: 'behind many',
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: '...(reread === undefined ? [] : [reread]),',
      replace: '...(reread === undefined ? [] : []),',
      test: linkageTest,
      named: 'names the reading',
    },
  ],
  'linkage.5.stop': [
    {
      file: 'src/harness/offload-handoff.ts',
      find: 'export const handoffBytesMax = 8 * 1024',
      replace: 'export const handoffBytesMax = 64 * 1024',
      test: linkageTest,
      named: '8 KB',
    },
    {
      file: 'src/harness/offload-handoff.ts',
      find: 'witnessRefs: [...ownRefs, ref],',
      replace: 'witnessRefs: [...ownRefs],',
      test: linkageTest,
      named: '8 KB',
    },
    {
      file: 'src/harness/offload-handoff.ts',
      find: 'if (stamp && stamp.size > handoffBytesMax)',
      replace: 'if (stamp && stamp.size > 2 * handoffBytesMax)',
      test: linkageTest,
      named: 'long outputs',
    },
    {
      file: 'src/harness/step/step-folder.ts',
      find: "return (await disk.sha256(path)) === named.sha256 ? 'verified' : 'changed'",
      replace: "return (await disk.sha256(path)) !== '' ? 'verified' : 'changed'",
      test: linkageTest,
      named: 'long outputs',
    },
    {
      file: 'src/harness/stop.ts',
      find: 'const compacted = await options.compact()',
      replace: 'const compacted = options.keepLease ? await options.compact() : undefined',
      test: linkageTest,
      named: 'compacts',
    },
  ],
  'linkage.6.feature-write': [
    {
      file: 'src/operations/harness/feature-write.ts',
      find: 'if (flaws.length > 0) throw',
      replace: 'if (flaws.length > 1) throw',
      test: 'test/harness-feature.test.ts',
    },
    {
      file: 'src/kernel/harness/ledger-check.ts',
      find: '(isInProgress && one.class === inProgressClass)',
      replace: '(isInProgress && one.class === inProgressName)',
      test: 'test/harness-feature.test.ts',
      named: 'correct',
    },
  ],
  'linkage.3.scope': [
    {
      file: 'src/harness/boot.ts',
      find: 'startupCommand ?? scope?.verifyCommand',
      replace: 'startupCommand',
      test: linkageTest,
      named: 'verify command',
    },
    {
      file: 'src/harness/scope-check.ts',
      find: 'const errors = await specErrors(specs)',
      replace: 'const errors = (await specErrors(specs)).slice(20)',
      test: linkageTest,
      named: 'specs',
    },
  ],
}

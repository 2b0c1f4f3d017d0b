/** Clear ends of issue memory and of the commands around it. */
import type { Mutants } from './mutant.ts'

const test = 'test/clear-ends.test.ts'

const lease = 'src/kernel/issues/lease.test.ts'

export const memoryEndsMutants: Mutants = {
  'memory.5.import': [
    {
      file: 'src/project/named-document.ts',
      find: 'if (bytes > documentBytesMax) {',
      replace: 'if (bytes > documentBytesMax) return joinedBytes(chunks)\n    if (bytes < 0) {',
      test,
      named: 'without an end',
    },
    {
      file: 'src/operations/issue/import.ts',
      find: 'if (list.length > rowsMax) throw',
      replace: 'if (list.length > 2 * rowsMax) throw',
      test,
      named: 'than fit into memory',
    },
  ],
  'memory.1.renewal': {
    file: 'src/kernel/issues/lease.ts',
    find: 'if (expiresAt !== undefined || now >= lastRenewal(lease)) return expiry',
    replace: 'if (expiresAt !== undefined || now >= 0n) return expiry',
    test: lease,
  },
  'memory.1.far-lease': {
    file: 'src/project/doctor/memory.ts',
    find: '--lease-id',
    replace: '--lease',
    test,
  },
  'memory.5.trajectory': [
    {
      file: 'src/harness/step/step.ts',
      find: '  await harness.trajectory.checkWritable()\n',
      replace: '',
      test,
      named: 'before its claim',
    },
    {
      file: 'src/harness/step/commit-step.ts',
      find: '  await harness.trajectory.checkWritable()\n',
      replace: '',
      test,
      named: 'that work put there',
    },
    {
      file: 'src/harness/stop.ts',
      find: '  await harness.trajectory.checkWritable()\n',
      replace: '',
      test,
      named: 'at harness-stop',
    },
  ],
  'memory.5.descriptors': {
    file: 'src/cli/run.ts',
    find: 'scarcityFault(thrown) ?? thrown',
    replace: 'thrown',
    test: 'src/cli/run.test.ts',
  },
  'memory.5.proc': {
    file: 'src/world/node-processes.ts',
    find: "if (hasProc || process.platform !== 'linux') return",
    replace: "if (hasProc || process.platform === 'linux') return",
    test,
  },
  'memory.5.newer': [
    {
      file: 'src/kernel/artifact/flaw.ts',
      find: 'theirs.version <= ours.version',
      replace: 'theirs.version >= ours.version',
      test,
      named: 'policy.json',
    },
    {
      file: 'src/kernel/config/read-config.ts',
      find: 'Number(version) > 1',
      replace: 'Number(version) > 2',
      test,
      named: 'config.json',
    },
  ],
  'memory.5.folder': [
    {
      file: 'src/world/node-world.ts',
      find: 'return mustBeUtf8(currentFolder())',
      replace: 'return currentFolder()',
      test,
      named: 'is not UTF-8 is refused before',
    },
    {
      file: 'src/project/root.ts',
      find: '  mustBeOneLine(here.cwd())\n',
      replace: '',
      test,
      named: 'below a project',
    },
    {
      file: 'src/operations/project/init.ts',
      find: '  mustBeOneLine(path)\n',
      replace: '',
      test,
      named: 'argument of init',
    },
  ],
  'memory.5.case': [
    {
      file: 'src/kernel/harness/step/step-id.ts',
      find: '!/[A-Z]/.test(plain)',
      replace: '!/[!]/.test(plain)',
      test: 'src/kernel/harness/step/step-id.test.ts',
    },
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'isGiven ? twinOf(id, memory) : undefined',
      replace: 'isGiven ? undefined : twinOf(id, memory)',
      test,
    },
  ],
  'memory.5.worker-name': {
    file: 'src/project/open-harness.ts',
    find: 'if (isReservedName(name)) {',
    replace: "if (isReservedName(name) && name === '') {",
    test,
    named: 'named coordinator',
  },
}

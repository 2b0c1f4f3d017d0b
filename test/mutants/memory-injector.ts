/** Commands of which one file call is broken. */
import type { Mutants } from './mutant.ts'

const test = 'test/file-faults.test.ts'

export const memoryInjectorMutants: Mutants = {
  'memory.7.injected': [
    {
      file: 'src/store/file/issue-writer.ts',
      find: 'if (size === bytes) return known\n',
      replace: 'if (size >= bytes) return known\n',
      test,
    },
    {
      file: 'src/store/trajectory/bad-lines.ts',
      find: 'else places.push({ at, bytes: end - at - 1 })',
      replace: 'else void end',
      test: 'src/store/trajectory/trajectory-log.test.ts',
      named: 'no other line moves',
    },
    {
      file: 'src/store/trajectory/bad-lines.ts',
      find: 'blank(bytes), at)',
      replace: 'blank(bytes), at + 1)',
      test: 'src/store/trajectory/trajectory-log.test.ts',
      named: 'no other line moves',
    },
  ],
  'memory.7.mark': [
    {
      file: 'src/store/file/high-water-mark.ts',
      find: "error instanceof Fault && error.code === 'corrupt'",
      replace: 'error instanceof Fault',
      test,
      named: 'survives EIO',
    },
  ],
  'memory.7.environment': [
    {
      file: 'src/world/file-lock.ts',
      find: "await awaitSystem('lock', path, () => tryUntil(until, tryLock, file, path))",
      replace: 'await tryUntil(until, tryLock, file, path)',
      test,
      named: 'stat .premath/issues.jsonl.lock',
    },
    {
      file: 'src/world/node-disk.ts',
      find: "if (!isSynced) throw diskFault('write', path, error)",
      replace: 'throw error',
      test,
      named: 'close .premath/issues.jsonl',
    },
    {
      file: 'src/world/write-file.ts',
      find: 'rmSync(draft, { force: true })\n    throw error\n  }\n}\n\ninterface',
      replace: "rmSync('no draft', { force: true })\n    throw error\n  }\n}\n\ninterface",
      test,
      named: 'close artifacts',
    },
  ],
}

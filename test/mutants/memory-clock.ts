/** Issue memory while somebody sets the clock. */
import type { Mutants } from './mutant.ts'

export const memoryClockMutants: Mutants = {
  'memory.7.clock-lease': [
    {
      file: 'src/kernel/issues/lease.ts',
      find: 'if (expiresAt !== undefined || now >= lastRenewal(lease)) return expiry',
      replace: 'if (expiresAt !== undefined || now !== lastRenewal(lease)) return expiry',
      test: 'src/kernel/issues/lease.test.ts',
    },
    {
      file: 'src/kernel/issues/lease.ts',
      find: 'if (expiresAt !== undefined || now >= lastRenewal(lease)) return expiry',
      replace: 'if (now >= lastRenewal(lease)) return expiry',
      test: 'src/kernel/issues/lease.test.ts',
    },
    {
      file: 'src/harness/step/lease-renewer.ts',
      find: 'now - this.#renewed >= third || clock.steady()',
      replace: 'clock.steady()',
      test: 'src/harness/step/lease-renewer.test.ts',
    },
    {
      file: 'src/harness/step/lease-renewer.ts',
      find: ' || clock.steady() - this.#renewedSteady >= third',
      replace: '',
      test: 'src/harness/step/lease-renewer.test.ts',
    },
  ],
  'memory.7.clock-jumps': {
    file: 'src/world/time-span.ts',
    find: 'this.#clock.steady() - this.#began',
    replace: 'this.#clock.now() - this.startedAt',
    test: 'test/clock-jumps.test.ts',
  },
  'memory.7.clock-durations': [
    {
      file: 'src/harness/loop/run-budget.ts',
      find: 'const now = this.#clock.steady()',
      replace: 'const now = this.#clock.now()',
      test: 'src/harness/loop/run-budget.test.ts',
    },
  ],
  'memory.7.clock-times': [
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'if (now > last) return timestampOf(now)',
      replace: 'if (now >= last) return timestampOf(now)',
      test: 'src/kernel/issues/issue-edit.test.ts',
    },
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'if (now > last) return timestampOf(now)',
      replace: 'if (last > 0n) return timestampOf(now)',
      test: 'src/kernel/issues/issue-edit.test.ts',
    },
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'last < lastInstant - millis(1) ? last + millis(1) : lastInstant',
      replace: 'last + millis(1)',
      test: 'src/kernel/issues/issue-edit.test.ts',
    },
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'timestampOf(laterOf(writtenTime(updated_at), now))',
      replace: 'timestampOf(now)',
      test: 'src/kernel/issues/issue-edit.test.ts',
    },
  ],
}

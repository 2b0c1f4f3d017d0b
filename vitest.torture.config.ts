import { defineConfig } from 'vitest/config'
import { define } from './vitest.config.ts'

/** `TORTURE_KILLS=5000 SEEDS=40 SEED=7 npm run torture`; without them, 2,000 kills, 1,000 races at the door, 200 runs of specs on a busy machine, 200 runs of an HTTP service and 5 simulations of the loop, each of about three minutes. Suites of which `npm test` runs a part run whole. */
export default defineConfig({
  define,
  test: {
    include: [
      'test/torture.test.ts',
      'test/attacks.test.ts',
      'test/step-torture.test.ts',
      'test/spec-http-service.test.ts',
      'test/loop-torture.test.ts',
      'test/loop-run.test.ts',
      'test/landing-kills.test.ts',
      'test/door-chain.test.ts',
      'test/landing-order.test.ts',
      'test/landing-revert.test.ts',
      'test/landing-run.test.ts',
      'test/override.test.ts',
      'test/relocation.test.ts',
      'test/run-requests.test.ts',
      'test/work-checkout.test.ts',
      'test/spec-load.test.ts',
      'test/merge-rounds.test.ts',
      'test/door-races.test.ts',
      'test/sim/**/*.test.ts',
      'src/store/file/event-log.test.ts',
      'src/store/file/issue-cache.test.ts',
      'src/store/trajectory/trajectory-log.test.ts',
      'src/kernel/spec/document/read-document.test.ts',
    ],
    setupFiles: ['./test/no-agent.ts'],
    reporters: ['./test/reporter.ts'],
    env: {
      TORTURE_KILLS: process.env['TORTURE_KILLS'] ?? '2000',
      TORTURE_STEP_KILLS: process.env['TORTURE_STEP_KILLS'] ?? '300',
      TORTURE_HTTP_RUNS: process.env['TORTURE_HTTP_RUNS'] ?? '200',
      TORTURE_DOOR_RACES: process.env['TORTURE_DOOR_RACES'] ?? '1000',
      TORTURE_SPEC_ROUNDS: process.env['TORTURE_SPEC_ROUNDS'] ?? '200',
      TORTURE_LOOP_KILLS: process.env['TORTURE_LOOP_KILLS'] ?? '300',
      TORTURE_LANDING_KILLS: process.env['TORTURE_LANDING_KILLS'] ?? '300',
      TORTURE_LANDING_ROUNDS: process.env['TORTURE_LANDING_ROUNDS'] ?? '100',
    },
    testTimeout: 24 * 3600 * 1000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
})

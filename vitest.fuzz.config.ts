import { defineConfig } from 'vitest/config'
import { define } from './vitest.config.ts'

/**
 * `FUZZ_RUNS=1000000 FUZZ_SEED=7 npm run fuzz`; without them, many runs from a new seed. The
 * properties of the source run with it: `PROPERTY_RUNS=100000`.
 */
export default defineConfig({
  define,
  test: {
    include: ['test/*fuzz.test.ts', 'src/**/*.test.ts'],
    setupFiles: ['./test/property-seed.ts'],
    reporters: ['./test/reporter.ts'],
    env: {
      FUZZ_RUNS: process.env['FUZZ_RUNS'] ?? '200000',
      PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? '10000',
    },
    testTimeout: 24 * 3600 * 1000,
    hookTimeout: 120_000,
  },
})

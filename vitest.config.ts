import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

export default defineConfig({
  define: { __PREMATH_VERSION__: JSON.stringify(version) },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['./test/reporter.ts'],
    // A snapshot that is missing is as stale as one that differs; `npm run generate` writes both.
    update: 'none',
    // Suites wait for processes more than they compute.
    maxWorkers: '100%',
    // Several suites start real processes, and a busy two-core machine is slow to start them.
    testTimeout: 120_000,
    // Suites leave thousands of files to remove, and a busy disk takes its time.
    hookTimeout: 120_000,
  },
})

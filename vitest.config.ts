import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Suites sync thousands of small files. In memory a sync takes no time; a container may have too little of it. */
const memory = '/dev/shm'
const roomMin = 2 ** 31
const isRoomy = ({ bavail, bsize }: { bavail: number; bsize: number }) => bavail * bsize > roomMin
const env = existsSync(memory) && isRoomy(statfsSync(memory)) ? { TMPDIR: memory } : {}

export default defineConfig({
  define: { __PREMATH_VERSION__: JSON.stringify(version) },
  test: {
    projects: [
      {
        extends: true,
        // Pure functions share nothing that one suite could change for the next. To load the
        // modules afresh for each of them takes longer than most of the tests.
        test: { name: 'kernel', include: ['src/kernel/**/*.test.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'suites',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['src/kernel/**', '**/node_modules/**'],
        },
      },
    ],
    reporters: ['./test/reporter.ts'],
    sequence: { sequencer: LongestFirst },
    env,
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

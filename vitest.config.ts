import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
export const define = { __PREMATH_VERSION__: JSON.stringify(version) }

/** Suites sync thousands of small files. In memory a sync takes no time; a container may have too little of it. */
const memory = '/dev/shm'
const roomMin = 2 ** 31
const isRoomy = ({ bavail, bsize }: { bavail: number; bsize: number }) => bavail * bsize > roomMin
const env = existsSync(memory) && isRoomy(statfsSync(memory)) ? { TMPDIR: memory } : {}

const simulations = ['test/sim/**/*.test.ts', 'test/*fuzz.test.ts']
const starting = ['src/harness/worktree/*.test.ts', 'src/{testing,world}/*.test.ts']

export default defineConfig({
  define,
  test: {
    // No suite changes what another one sees. To load the modules afresh for each of them takes
    // longer than most of the tests.
    isolate: false,
    // Suites that compute make a process large, and a large one takes long to start others.
    projects: [
      {
        extends: true,
        test: {
          name: 'computing',
          include: ['src/**/*.test.ts', ...simulations],
          exclude: starting,
        },
      },
      {
        extends: true,
        test: {
          name: 'starting',
          include: ['test/**/*.test.ts', ...starting],
          exclude: simulations,
        },
      },
    ],
    reporters: ['./test/reporter.ts'],
    globalSetup: './test/no-resident-left.ts',
    setupFiles: ['./test/no-agent.ts', './test/property-seed.ts'],
    sequence: { sequencer: LongestFirst },
    env,
    // A snapshot that is missing is as stale as one that differs; `npm run generate` writes both.
    update: 'none',
    // Suites often wait for processes; another one computes meanwhile.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A limit ends a test that hangs. A busy machine must not reach it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
})

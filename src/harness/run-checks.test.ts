import { expect, test } from 'vitest'
import { SimDisk } from '../testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../testing/sim-processes.ts'
import { runChecks } from './run-checks.ts'

const scripts: Readonly<Record<string, SimScript>> = {
  passes: { stdout: 'fine\n' },
  fails: { exitCode: 2, stderr: 'tool.result_missing: no\n' },
  hangs: { takesMs: 60_000 },
  crashes: { signal: 'SIGSEGV' },
  'is not there': { spawnFailed: { code: 'ENOENT', reason: 'no such file' } },
}

async function run(checkIds: readonly string[], stop = new AbortController()) {
  const disk = new SimDisk()
  await disk.makeFolder('/project/out')
  const processes = new SimProcesses({
    disk,
    script: ({ command }) => scripts[String(command)],
  })
  const results = await runChecks(checkIds, {
    checks: new Map(Object.keys(scripts).map(name => [name, name])),
    processes,
    disk,
    sha256: text => `hash of ${text}`,
    env: {},
    cwd: '/project',
    outputFolder: '/project/out',
    timeoutMs: 1000,
    stop: stop.signal,
    print: () => {},
  })
  return { results, started: processes.started }
}

test.each([
  ['passes', 'passed', 0, undefined],
  ['fails', 'failed', 2, 'check_failed'],
  ['hangs', 'failed', 124, 'flaky_execution'],
  ['crashes', 'failed', 139, 'flaky_execution'],
  ['is not there', 'failed', 127, 'executor_unavailable'],
  ['has no command', 'failed', 127, 'executor_unavailable'],
])('a check that %s has %s', async (checkId, status, exitCode, failureClass) => {
  const { results } = await run([checkId])
  expect(results).toMatchObject([{ checkId, status, exitCode }])
  expect(results?.[0]?.failureClass).toBe(failureClass)
})

test('every check runs, whatever the result of the earlier ones', async () => {
  const { results } = await run(['fails', 'has no command', 'passes'])
  expect(results?.map(({ exitCode }) => exitCode)).toEqual([2, 127, 0])
})

test('a stopped run returns no results and starts no further check', async () => {
  const stop = new AbortController()
  stop.abort()
  const { results, started } = await run(['hangs', 'passes'], stop)
  expect(results).toBeUndefined()
  expect(started.length).toBeLessThan(2)
})

test('a check is known by its id, as a safe file name', async () => {
  const { started } = await run(['is not there', 'passes'])
  expect(started.map(({ stdoutPath }) => stdoutPath)).toEqual(['/project/out/passes.stdout'])
  expect(started[0]?.env['PREMATH_CHECK_ID']).toBe('passes')
})

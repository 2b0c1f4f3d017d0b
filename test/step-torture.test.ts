/**
 * Steps that are killed at any moment. Whatever was being written, the next start finishes or
 * undoes it: no issue is closed twice, no step is lost or counted twice. `SEED=…` draws the same
 * moments again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { main } from './built-command.ts'
import { seeded, seedOf } from './sim/seeded.ts'

const kills = Number(process.env['TORTURE_STEP_KILLS'] ?? 6)
const seed = seedOf(process.env)
const chance = seeded(seed)
const root = mkdtempSync(join(tmpdir(), 'premath-steps-'))
const running = new Set<ChildProcess>()

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(root, { recursive: true })
})

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('PREMATH_')),
)

const stepArgs = [
  'harness-step',
  '--sandbox',
  'off',
  '--work-cmd',
  'sleep 0.02',
  '--verify-cmd',
  'true',
  '--json',
]

/** A step that nobody lets end. */
async function killedStep(afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [main, ...stepArgs], { cwd: root, env, stdio: 'ignore' })
  running.add(child)
  const ended = new Promise(settle => child.on('exit', settle))
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await ended
  clearTimeout(timer)
  running.delete(child)
}

function answer(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args, '--json'], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  return { status, stderr, json: stdout === '' ? undefined : JSON.parse(stdout) }
}

/** The duration of a whole step, which depends on the load of the machine. */
function timedStep(): number {
  const began = performance.now()
  expect(answer(...stepArgs.slice(0, -1)).status).toBe(0)
  return performance.now() - began
}

const linesOf = (path: string) =>
  readFileSync(join(root, '.premath', path), 'utf8')
    .trimEnd()
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => JSON.parse(line))

test(`[tusk.4.restart] steps killed ${kills} times are each recorded once, and close each issue once (seed ${seed})`, async () => {
  mkdirSync(join(root, '.premath'))
  const issues = Array.from({ length: Math.ceil(0.7 * kills) + 3 }, (_, at) => ({
    id: `bd-${at + 1}`,
    title: `Issue ${at + 1}`,
  }))
  writeFileSync(
    join(root, '.premath/issues.jsonl'),
    issues.map(issue => `${JSON.stringify(issue)}\n`).join(''),
  )
  const recovered = { finished: 0, undone: 0 }
  let stepMs = 0
  for (let kill = 0; kill < kills; kill++) {
    if (kill % 10 === 0) stepMs = timedStep()
    await killedStep((0.2 + chance() * 1.4) * stepMs)
    const { status, stderr, json } = answer('harness-boot')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const how: 'finished' | 'undone' | undefined = json.recovered?.how
    if (how) recovered[how]++
  }
  for (let round = 0; ; round++) {
    const { status, json } = answer(...stepArgs.slice(0, -1))
    expect(status).toBe(0)
    if (json.result === 'idle') break
    expect(round).toBeLessThan(2 * issues.length)
  }

  const rows = linesOf('harness_trajectory.jsonl')
  const stepIds = rows.map(({ stepId }) => stepId)
  expect(stepIds).toEqual([...new Set(stepIds)])
  const completed = rows.filter(({ resultClass }) => resultClass === 'completed')
  expect(completed.map(({ issueId }) => issueId).sort()).toEqual(issues.map(({ id }) => id).sort())

  // Rows decide: the log tells a row again, whole, where a crash came before its event.
  const memory = linesOf('issues.jsonl')
  for (const { id } of issues) {
    const states = memory.filter(row => row.id === id).map(({ status = 'open' }) => status)
    const closings = states.filter((state, at) => state === 'closed' && states[at - 1] !== state)
    expect({ id, closings: closings.length }).toEqual({ id, closings: 1 })
  }

  // Every acquisition was somebody's step, and each is reported.
  const acquired = memory
    .filter(({ metadata }) => metadata?.premathFence !== undefined)
    .map(({ id, metadata }) => `worker.${id}.${metadata.premathFence}.1`)
  expect([...new Set(acquired)].filter(id => !stepIds.includes(id))).toEqual([])

  const doctor = answer('doctor')
  expect({ status: doctor.status, findings: doctor.json.findings }).toEqual({
    status: 0,
    findings: [],
  })
  if (kills >= 100) {
    expect(recovered.finished).toBeGreaterThan(0)
    expect(recovered.undone).toBeGreaterThan(0)
  }
}, 3_600_000)

/** Somebody sets the clock between commands, and inside one: back and ahead by hours, to 1970 and to 2200. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lease } from '../src/wire/issue/issue.ts'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'
import { seeded, seedOf } from './sim/seeded.ts'

const project = aProject()

const hourMs = 3_600_000
const msTo = (time: string) => Date.parse(time) - Date.now()

/** How far the clock is wrong, in milliseconds. */
const jumps = [
  ...[0, -1, 1, -6, 6].map(hours => hours * hourMs),
  msTo('1970-01-02T00:00:00Z'),
  msTo('2200-01-01T00:00:00Z'),
]

/** A file that is there. */
const always = main

const asked = (skewMs: number, ...args: readonly string[]) =>
  project.asked(args, { laterFrom: { path: always, ms: skewMs } })

const rounds = Number(process.env['TORTURE_JUMPS'] ?? 60)
const workers = ['ann', 'bob']
const ids = ['bd-1', 'bd-2', 'bd-3']
const ms = (time: string | undefined) => Date.parse(time ?? '')

const reads: readonly (readonly string[])[] = [
  ['status'],
  ['log'],
  ['prime'],
  ['issue', 'list'],
  ['issue', 'show', 'bd-1'],
  ['issue', 'ready'],
  ['issue', 'lease-projection'],
  ['harness-kpi'],
  ['harness-trajectory', 'query'],
  ['witness', 'list'],
  ['clean', '--dry-run'],
  ['doctor'],
]

interface Row {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly updated_at: string
  readonly closed_at?: string
  readonly lease?: Lease
  readonly metadata?: { readonly premathFence?: number }
}

/** What the leases may do, in a few lines: the rows are compared with it after each command. */
class Leases {
  readonly #last = new Map<string, Row>()

  check(rows: Readonly<Record<string, Row>>, now: number, what: string): void {
    for (const row of Object.values(rows)) {
      const before = this.#last.get(row.id)
      if (before && JSON.stringify(before) !== JSON.stringify(row)) compare(before, row, now, what)
      this.#last.set(row.id, row)
    }
  }
}

const fenceOf = ({ metadata }: Row) => metadata?.premathFence ?? 0

function compare(before: Row, row: Row, now: number, what: string): void {
  const place = `${what}: ${JSON.stringify([before, row])}`
  expect(ms(row.updated_at), place).toBeGreaterThanOrEqual(ms(row.created_at))
  expect(ms(row.updated_at), place).toBeGreaterThan(ms(before.updated_at))
  if (row.closed_at) expect(ms(row.closed_at), place).toBeGreaterThanOrEqual(ms(row.created_at))
  expect(fenceOf(row), place).toBeGreaterThanOrEqual(fenceOf(before))
  const [had, has] = [before.lease, row.lease]
  if (!has) return
  const isSame = had?.owner === has.owner && fenceOf(row) === fenceOf(before)
  if (had && !isSame) {
    // Another claim: the lease before it had run out, by the clock of whoever claimed.
    expect(ms(had.expires_at), place).toBeLessThanOrEqual(now)
    expect(fenceOf(row), place).toBe(fenceOf(before) + 1)
  }
  if (had && isSame && now < ms(had.renewed_at ?? had.acquired_at)) {
    expect(ms(has.expires_at), place).toBeGreaterThanOrEqual(ms(had.expires_at))
  }
}

/** Every number of the answer is a count, an amount or a duration. */
function mustNotBeNegative(value: unknown, what: string): void {
  const text = JSON.stringify(value) ?? ''
  expect([...text.matchAll(/"[^"]+":-\d[^,}]*/g)].map(String), what).toEqual([])
}

const seed = seedOf(process.env)

test(`[memory.7.clock-jumps] no fence goes back, no lease is lost and no duration is negative (SEED=${seed})`, () => {
  const random = seeded(seed)
  const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const leases = new Leases()
  for (const id of ids) asked(0, 'issue', 'add', id, '--id', id)
  for (let round = 0; round < rounds; round++) {
    const skew = oneOf(jumps)
    const [worker, id] = [oneOf(workers), oneOf(ids)]
    const row = project.rowsById()[id] as Row
    const proof = ['--lease-id', row.lease?.lease_id ?? 'none', '--fence', `${fenceOf(row)}`]
    const holder = ['--assignee', row.lease?.owner ?? worker, ...proof]
    const command = oneOf<readonly string[]>([
      ['issue', 'claim', id, '--assignee', worker, '--lease-ttl-seconds', '7200'],
      ['issue', 'claim-next', '--assignee', worker],
      ['issue', 'lease-renew', id, ...holder, '--lease-ttl-seconds', '600'],
      ['issue', 'lease-renew', id, ...holder],
      ['issue', 'lease-release', id, ...holder],
      ['issue', 'update', id, '--notes', `round ${round}`, ...holder.slice(2)],
      ['issue', 'comment', id, `round ${round}`],
      ['issue', 'close', id, '--force', '--reason', 'done', ...holder.slice(2)],
      ['reopen', id],
      ['issue', 'compact'],
      ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'true', '--worker', worker],
      ['issue', 'replay-events'],
    ])
    const what = `round ${round}, clock off by ${skew} ms: premath ${command.join(' ')}`
    const now = Date.now() + skew
    const { status, stderr, json } = asked(skew, ...command)
    // A person in the wrong year is refused, and never told that memory is damaged.
    expect([0, 1, 4], `${what}\n${stderr}`).toContain(status)
    mustNotBeNegative(json, what)
    leases.check(project.rowsById() as Record<string, Row>, now + 5_000, what)
    const read = oneOf(reads)
    const answer = asked(oneOf(jumps), ...read)
    expect([0, 1], `${what}, then ${read.join(' ')}\n${answer.stderr}`).toContain(answer.status)
    mustNotBeNegative(answer.json, `${what}, then ${read.join(' ')}`)
  }
  const { json } = asked(0, 'doctor')
  const found = json.findings.map(({ check }: { check: string }) => check)
  expect(found.filter((check: string) => check !== 'leases')).toEqual([])
}, 3_600_000)

test.each(jumps.filter(ms => ms !== 0))(
  '[memory.7.clock-jumps] a clock that is set by %d ms while a step works changes no duration',
  ms => {
    asked(0, 'issue', 'add', 'one')
    const set = join(project.folder, 'the clock is set')
    const work = `touch '${set}'; sleep 0.1`
    const step = ['harness-step', '--work-cmd', work, '--verify-cmd', 'true']
    const { status, stderr, json } = project.asked(step, { laterFrom: { path: set, ms } })
    mustNotBeNegative(json, stderr)
    const path = join(project.folder, '.premath/harness_trajectory.jsonl')
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    for (const { startedAt, finishedAt, durationMs } of rows) {
      expect(durationMs).toBeGreaterThanOrEqual(0)
      expect(durationMs).toBeLessThan(10 * hourMs)
      expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
    }
    const row = project.rowsById()['bd-1'] as Row
    // Ahead of its end, the lease has run out for everybody, and another worker may have the issue.
    const isOver = ms >= hourMs
    expect({ status, closed: row.status === 'closed' }, stderr).toEqual(
      isOver ? { status: 4, closed: false } : { status: 0, closed: true },
    )
    if (row.closed_at) {
      expect(Date.parse(row.closed_at ?? '')).toBeGreaterThanOrEqual(Date.parse(row.created_at))
    }
  },
)

/** Sets the clock of one process, as nothing else can without the rights of root. */
const library = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long shift(void) {
  const char *path = getenv("CLOCK_SET"), *by = getenv("CLOCK_BY");
  return path && by && access(path, F_OK) == 0 ? atol(by) : 0;
}
int clock_gettime(clockid_t id, struct timespec *t) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int r = real(id, t);
  if (r == 0 && id == CLOCK_REALTIME) t->tv_sec += shift();
  return r;
}
int gettimeofday(struct timeval *t, void *zone) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
`

function builtLibrary(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'premath-clock-'))
  const [source, built] = [join(folder, 'clock.c'), join(folder, 'clock.so')]
  writeFileSync(source, library)
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', built, source, '-ldl'], { stdio: 'ignore' })
    return built
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

const preload = process.platform === 'linux' ? builtLibrary() : undefined

test.skipIf(preload === undefined)(
  '[memory.7.clock-jumps] the built command under a clock that is really set keeps leases and fences',
  () => {
    const set = join(project.folder, 'the clock is set')
    const at = (seconds: number, ...args: readonly string[]) =>
      project.asked(args, {
        isSpawned: true,
        env: { LD_PRELOAD: preload ?? '', CLOCK_SET: set, CLOCK_BY: `${seconds}` },
      })
    project.done('init')
    project.done('issue', 'add', 'one')
    project.done('issue', 'add', 'two')
    const claimed = project.done('issue', 'claim', 'bd-2', '--assignee', 'ann').issue.lease
    const proof = ['--assignee', 'ann', '--lease-id', claimed.leaseId, '--fence', '1']
    writeFileSync(set, '')
    const inYear = (year: number) => (year - 2026) * 365 * 86_400
    for (const seconds of [-3600, inYear(1980)]) {
      const renewed = at(seconds, 'issue', 'lease-renew', 'bd-2', ...proof)
      expect(renewed).toMatchObject({ status: 0 })
      expect(renewed.json.issue.lease.expiresAt).toBe(claimed.expiresAt)
      expect(renewed.json.issue.lease.fence).toBe(1)
    }
    expect(at(0, 'issue', 'claim', 'bd-2', '--assignee', 'bob').status).toBe(4)
    rmSync(set)
    // The clock goes back while the work runs, and stays there.
    const work = ['harness-step', '--issue', 'bd-1', '--work-cmd', `touch '${set}'; sleep 0.1`]
    const step = at(-7200, ...work, '--verify-cmd', 'true')
    expect(step, step.stderr).toMatchObject({ status: 0, json: { result: 'completed' } })
    mustNotBeNegative(step.json, 'step')
    const taken = at(inYear(2200), 'issue', 'claim', 'bd-2', '--assignee', 'bob')
    expect(taken.json.issue.lease.fence).toBe(2)
    expect(at(0, 'issue', 'lease-renew', 'bd-2', ...proof).json.failureClasses).toEqual([
      'lease_fence_stale',
    ])
    const { json } = at(0, 'doctor')
    expect(json.findings.map(({ check }: { check: string }) => check)).toEqual(['leases'])
  },
)

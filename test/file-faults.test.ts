/**
 * The built command, of which a preloaded library breaks one file call: the process is killed before it
 * or after it, in the middle of a write, or the call fails or does less than it was asked for. All calls
 * below the project's folder, in torture; a few of them in `npm test`. `SEED=7` draws the same again.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Prepared, prepared, problemsAfter } from './injector/broken-run.ts'
import {
  type Action,
  type Break,
  breakOfSites,
  buildLibrary,
  type Call,
  everyBreak,
  isChange,
  isThere,
  siteOf,
} from './injector/injector.ts'
import { type Scenario, scenarios } from './injector/scenarios.ts'
import { seeded, seedOf } from './sim/seeded.ts'

/**
 * `all`, or a number for each command. To see a problem again, name its command and its site, as it was
 * printed: `TORTURE_INJECTED_ONLY=landing TORTURE_INJECTED_SITE='write .git/index.lock'`. A run that was
 * interrupted goes on at a call: `TORTURE_INJECTED_ONLY=landing TORTURE_INJECTED_FROM=2000`.
 */
const runs = process.env['TORTURE_INJECTED'] ?? '2'
const only = process.env['TORTURE_INJECTED_ONLY']?.split(',')
const site = process.env['TORTURE_INJECTED_SITE']
const from = Number(process.env['TORTURE_INJECTED_FROM'] ?? 0)
const seed = seedOf(process.env)
const chance = seeded(seed)

if (!isThere) console.log('skipped: no C compiler on this Linux, or another system')

function drawn(all: readonly Break[]): readonly Break[] {
  if (site !== undefined) return all.filter(({ call }) => siteOf(call).includes(site))
  if (runs === 'all') return all
  const keyed = all.map(one => ({ one, key: chance() })).sort((a, b) => a.key - b.key)
  return keyed.slice(0, Number(runs)).map(({ one }) => one)
}

const rowsOfMark = '.git/premath/memory/issues/rows.jsonl'

/** Breaks that did harm: the command, the action and the site. */
const ofMark = [
  ['add', 'tear', `write ${rowsOfMark}`],
  ['an update after the file went back', 'EIO', `read ${rowsOfMark}`],
] as const
const ofEnvironment = [
  ['add', 'EIO', 'stat .premath/issues.jsonl.lock'],
  ['add', 'EIO', 'close .premath/issues.jsonl'],
  ['close with proof', 'EIO', 'close artifacts/ciwitness/verify/<digest>.json.tmp.<n>.<n>'],
] as const

describe.skipIf(!isThere)('a command of which one file call is broken', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'premath-faults-')))
  let library = ''
  const projects = new Map<Scenario, Promise<Prepared>>()
  const projectOf = (scenario: Scenario) => {
    const made = projects.get(scenario) ?? prepared(scenario, folder, library)
    projects.set(scenario, made)
    return made
  }
  beforeAll(() => {
    library = buildLibrary(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))

  async function mustSurvive(name: string, action: Action, site: string): Promise<void> {
    const scenario = scenarios.find(one => one.name === name)
    if (!scenario) throw new Error(`there is no scenario ${name}`)
    const given = await projectOf(scenario)
    const calls = given.calls.filter(call => siteOf(call) === site)
    expect(calls).not.toEqual([])
    for (const call of calls) expect(await problemsAfter(given, { call, action })).toEqual([])
  }

  test('[memory.7.injected] a torn row is not continued by the next one', () =>
    mustSurvive('add', 'tear', 'write .premath/issues.jsonl'))

  test.each(ofMark)('[memory.7.mark] %s survives %s at each %s', mustSurvive)

  test.each(ofEnvironment)('[memory.7.environment] %s survives %s at each %s', mustSurvive)

  for (const scenario of scenarios.filter(({ name }) => only?.includes(name) ?? true)) {
    test(`[memory.7.injected] ${scenario.name} loses nothing, and the next commands work (SEED=${seed})`, async () => {
      const given = await projectOf(scenario)
      const calls = given.calls.filter(call => !isEvidence(call))
      const breaks = scenario.isLong ? breakOfSites(calls) : everyBreak(calls)
      const rest = breaks.filter(({ call }) => call.number >= from)
      const { problems, missed } = await tell(given, drawn(rest))
      expect(problems).toEqual([])
      // Times and random numbers decide about a few calls.
      expect(missed).toBeLessThanOrEqual(0.02 * breaks.length)
    })
  }
})

/** The gate refuses a step whose evidence cannot be read: the work could have made it so. */
const isEvidence = (call: Call) => !isChange(call) && call.path.endsWith('/evidence.ndjson')

/** Two at a time. */
async function tell(given: Prepared, breaks: readonly Break[]) {
  const problems: string[] = []
  const rest = [...breaks]
  const began = performance.now()
  let missed = 0
  async function work(): Promise<void> {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const found = await problemsAfter(given, next)
      if (!found) missed++
      const { call, action } = next
      for (const one of found ?? []) {
        problems.push(`${action} at call ${call.number}, ${siteOf(call)}: ${one}`)
        console.log(problems.at(-1))
      }
    }
  }
  await Promise.all([work(), work()])
  console.log(covered(given.scenario, given, breaks, performance.now() - began))
  return { problems, missed }
}

/** The call sites that were broken: their counts in `npm test`, and each of them in torture. */
function covered({ name }: Scenario, { calls }: Prepared, breaks: readonly Break[], ms: number) {
  const broken = new Set(breaks.map(({ call }) => call))
  const sites = new Map<string, number>()
  for (const call of broken) sites.set(siteOf(call), (sites.get(siteOf(call)) ?? 0) + 1)
  const head = `${name}: ${breaks.length} runs broke ${broken.size} of ${calls.length} calls, at ${sites.size} sites, in ${Math.round(ms / 1000)} s`
  const rows = [...sites].sort().map(([site, count]) => `  ${count} ${site}`)
  return runs === 'all' ? [head, ...rows].join('\n') : head
}

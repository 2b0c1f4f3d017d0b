/**
 * Two real processes that want the one entry of a witness, at once: one of them gets it. A few races
 * run with every test; `npm run torture` has a thousand, and tells how far it has come.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { witnessInstruction } from '../src/kernel/instruction/instruction-witness.ts'
import { checked, envelope, read, runtimeOf, sha256 } from './an-instruction.ts'
import { anInstructionProject } from './an-instruction-project.ts'
import { main } from './built-command.ts'

const races = Number(process.env['TORTURE_DOOR_RACES'] ?? 5)
const progressEvery = 100

/** Long enough for a busy machine; a process that takes longer hangs. */
const raceMsMax = 120_000

const { project, begin, put, text } = anInstructionProject()
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

const claim = 'capabilities.change_morphisms'

/** Good for one issue that is added, and accepted just now. */
function allowOne(race: number): string {
  const id = `20260221T000000Z-race-${race}`
  const ref = `instructions/${id}.json`
  const instruction = {
    ...envelope,
    intent: `Race ${race}.`,
    capabilityClaims: [claim, `${claim}.issue_add`],
    scope: { kind: 'repo', mutations: [{ action: 'issue_add' }] },
  }
  const now = new Date().toISOString()
  const run = checked(instruction)
  const members = { instructionId: id, instructionRef: ref, runStartedAt: now, runFinishedAt: now }
  const runtime = read({ ...runtimeOf(run), ...members } as never)
  put(ref, instruction)
  put(`artifacts/ciwitness/${id}.json`, witnessInstruction(run, runtime, sha256))
  return id
}

function add(title: string, id: string) {
  const args = ['issue', 'add', title, '--instruction', id, '--json']
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project.folder,
    env: project.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: raceMsMax,
    killSignal: 'SIGKILL',
  })
  running.add(child)
  let output = ''
  child.stdout?.on('data', chunk => {
    output += chunk
  })
  return new Promise<{ status: number | null; failureClasses: readonly string[] }>(settle => {
    child.once('close', status => {
      running.delete(child)
      const { failureClasses = [] } = output === '' ? {} : JSON.parse(output)
      settle({ status, failureClasses })
    })
  })
}

beforeEach(() => {
  begin()
  put('.premath/issues.jsonl', '')
  put('.premath/policy.json', { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } })
})

const won = { status: 0, failureClasses: [] }
const lost = { status: 4, failureClasses: ['instruction_entry_used'] }

test(`each of ${races} races of two processes for one entry has one winner`, async () => {
  const winners: string[] = []
  for (let race = 1; race <= races; race++) {
    const id = allowOne(race)
    // The first process alternates.
    const names = race % 2 === 0 ? ['a', 'b'] : ['b', 'a']
    const titles = names.map(name => `Race ${race} of ${name}`)
    const ends = await Promise.all(titles.map(title => add(title, id)))
    const isFirst = ends[0]?.status === 0
    expect(isFirst ? ends : ends.toReversed(), `race ${race}`).toEqual([won, lost])
    winners.push(titles[isFirst ? 0 : 1] ?? '')
    if (race % progressEvery === 0) process.stderr.write(`${race} of ${races} races\n`)
  }
  const rows = text('.premath/issues.jsonl').trimEnd().split('\n')
  expect(rows.map(row => JSON.parse(row).title)).toEqual(winners)
  const uses = winners.map((_, at) => usesOf(at + 1).map(({ entry }) => entry))
  expect(uses).toEqual(winners.map(() => [0]))
  expect(project.asked(['doctor']).json.findings).toEqual([])
})

function usesOf(race: number): readonly { readonly entry: number }[] {
  const { instructionDigest } = JSON.parse(
    text(`artifacts/ciwitness/20260221T000000Z-race-${race}.json`),
  )
  const path = `${project.folder}/.premath/memory/uses/${instructionDigest}.jsonl`
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map(line => JSON.parse(line))
}

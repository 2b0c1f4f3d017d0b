/**
 * Programs that try for a close that was not earned: with bindings that they forge, with recorded
 * effects, with files that they must not write, and as the work of a step.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exposed } from '../src/operations/exposed.ts'
import { operations } from '../src/operations/index.ts'
import { premathInShell } from './a-loop.ts'
import { id } from './an-instruction-project.ts'
import {
  askers,
  callListOf,
  exposedCall,
  inProcesses,
  type Means,
  otherSurfaces,
  schemeOf,
  wordsIn,
} from './call-surfaces.ts'
import { exposedRows } from './exposed-rows.ts'
import { aDoor, instruction, under } from './mutation-surfaces.ts'
import { fewOf, inTurn } from './sim/seeded.ts'

const { project, put, pathOf, json, worked, leaseOf, close } = aDoor()
const { asked, premath } = project

const agent = { CLAUDECODE: '1' }
const memory = () => readFileSync(project.issues, 'utf8')
const other = '20260221T000000Z-other'

/** Asked by the agent, under the instruction. */
const env = { ...agent, PREMATH_INSTRUCTION_ID: id }
const means: Means = {
  run: async (words, input = '') => premath(words, { input, env }),
  tool: (era, name, args) =>
    inProcesses({ cwd: project.folder, env: { ...project.env, ...env } }).tool(era, name, args),
}

const updateArgs = () => ({ id: 'bd-1', status: 'closed', ...leaseOf() })

/** The effects of a list with one call, which closes the issue. */
function calledBy(call: object, more: object = {}, ...flags: readonly string[]) {
  put('calls.json', { ...more, calls: [{ action: 'issue.update', args: updateArgs(), ...call }] })
  return asked(['scheme-eval', '--program', 'calls.json', ...flags], { env: agent })
}

describe('a program cannot forge what binds its call', () => {
  const unearned = { answer: 'no\n' }
  const mustBeRefused = (answer: ReturnType<typeof calledBy>, before: string) => {
    expect(answer.status).toBe(1)
    expect(memory()).toBe(before)
    expect(project.rowsById()['bd-1'].status).not.toBe('closed')
  }

  test.each([
    ['of the call', { policyDigest: 'sha256:00' }, {}],
    ['of the program', {}, { policyDigest: 'sha256:00' }],
  ])('[surfaces.7.attacks] by the digest of a policy %s', (_, call, program) => {
    worked(unearned)
    const before = memory()
    const answer = calledBy(call, program, ...under)
    mustBeRefused(answer, before)
    expect(answer.json.failureClasses).toEqual(['mutation.policy_digest_mismatch'])
  })

  test.each([
    ['of the call', { instructionRef: `instructions/${other}.json` }, {}],
    ['of the program', {}, { instructionRef: `instructions/${other}.json` }],
    ['of the arguments', { args: { id: 'bd-1', status: 'closed', instructionId: other } }, {}],
  ])('[surfaces.7.attacks] by an instruction that nobody accepted: %s', (_, call, program) => {
    worked(unearned)
    put(`instructions/${other}.json`, instruction)
    const before = memory()
    const answer = calledBy(call, program)
    mustBeRefused(answer, before)
    const direct = asked(['close', 'bd-1', '--instruction', other], { env: agent })
    expect(answer.json.failureClasses).toEqual(direct.json.failureClasses)
    expect(answer.json.failureClasses).toEqual(['instruction_witness_missing'])
  })

  test('[surfaces.7.attacks] by claims and witnesses that it asserts', () => {
    worked({ ...unearned, instruction: { capabilityClaims: [] } })
    const before = memory()
    const claimed = { capabilityClaims: ['capabilities.change_morphisms.all'] }
    const named = { ...claimed, witnessRefs: [`proof://bd-1/${'a'.repeat(64)}`] }
    const answer = calledBy(named, claimed, ...under)
    mustBeRefused(answer, before)
    expect(answer.json.failureClasses).toEqual(close().json.failureClasses)
  })

  test('[surfaces.7.attacks] by effects that it recorded itself: a replay changes nothing', () => {
    worked(unearned)
    const before = memory()
    const refused = calledBy({}, {}, ...under).json
    const [effect] = refused.effects
    const forged = {
      ...{ ...effect, resultClass: 'accepted', failureClasses: [] },
      payload: { action: 'issue.update', issue: { id: 'bd-1', status: 'closed' } },
    }
    put('forged.json', { ...refused, effects: [forged] })
    const answer = calledBy({}, {}, ...under, '--replay', 'forged.json')
    expect(answer.json).toMatchObject({ result: 'accepted', replayedRows: 1, trajectoryPath: null })
    expect(memory()).toBe(before)
    expect(existsSync(pathOf('.premath/proofs/bd-1'))).toBe(false)
    expect(calledBy({}, {}, ...under).json.failureClasses).toEqual(refused.failureClasses)
  })
})

/** Files that decide, or that git runs. Each is written as the projection of a harness. */
const kept = [
  '.git/hooks/post-commit',
  '.premath/config.json',
  '.premath/trust.json',
  '.premath/policy.json',
  '.premath/checks.json',
  '.premath/issues.jsonl',
  '.premath/memory/grants.jsonl',
  '.premath/memory/uses/instr1_a.jsonl',
  '.premath/proofs/bd-1/proof.json',
  '.premath/steps/worker.jsonl',
  `artifacts/ciwitness/${other}.json`,
  'policies/instruction/x.json',
]

const writers = [
  ['harness-session', 'write', '--state', 'active'],
  ['harness-feature', 'write', '--feature-id', 'a', '--status', 'pending'],
  [
    ...['harness-trajectory', 'append', '--step-id', 'a', '--action', 'b'],
    ...['--result-class', 'completed'],
  ],
]

describe('a projection is not written over a file that decides', () => {
  const rows = kept.flatMap((path, at) =>
    inTurn(writers, at).map((words, which) => ({ path, words, at: at + which })),
  )

  test.each(rows)('[surfaces.8.projection-paths] $path', async ({ path, words, at }) => {
    worked()
    execFileSync('git', ['init', '--quiet', project.folder])
    const content = () => (existsSync(pathOf(path)) ? readFileSync(pathOf(path), 'utf8') : '')
    const before = content()
    const asking = [...words, '--path', path]
    const direct = await askers['the command line'](asking, means)
    expect(direct.json).toMatchObject({ error: { code: 'usage' }, exitCode: 2 })
    for (const name of inTurn(otherSurfaces, at)) {
      const { json: answer } = await askers[name](asking, means)
      expect([name, wordsIn(answer)]).toEqual([name, wordsIn(direct.json)])
    }
    expect(content()).toBe(before)
  })
})

/** The command lines that change something, each with its call. */
const changing = (
  await Promise.all(
    exposed.map(async ({ action, command }) => {
      const { words = [] } = exposedRows[action] ?? {}
      const isRead = (await operations[command]?.())?.effect === 'read'
      const call = await exposedCall(words)
      return isRead || call === undefined ? [] : [{ action, words, call }]
    }),
  )
).flat()

describe('as the work of a step', () => {
  const step = (issueId: string, ...flags: readonly string[]) =>
    asked(['harness-step', '--issue', issueId, '--verify-cmd', 'false', ...flags])
  /** The result of the last program. */
  const resultOf = (issueId: string) => {
    const names = readdirSync(pathOf('artifacts/steps')).filter(name => name.includes(issueId))
    return json(`artifacts/steps/${names.toSorted().at(-1)}/work.stdout`)
  }

  /** The class in a program, where it is not that of the command: programs may do less. */
  const inProgram: Readonly<Record<string, string>> = {
    init: 'mutation_not_granted',
    'spec.run': 'mutation_not_granted',
    'issue.lease_renew': 'control_plane_host_action_mcp_transport_required',
    'issue.lease_release': 'control_plane_host_action_mcp_transport_required',
  }
  const open = { schema: 1, surfaces: { cli: { mode: 'open' } } }
  const calls = changing.filter(({ action }) => action !== 'scheme.eval')

  test('[surfaces.7.attacks] a program is refused the calls that commands are refused', () => {
    put('.premath/policy.json', open)
    const refused = "(guard (e ((hash? e) (hash-ref e 'classes)))"
    put(
      'work.scm',
      `(list ${calls.map(({ call }) => `${refused} ${schemeOf(call)} '())`).join(' ')})`,
    )
    step('bd-1', '--work-program', 'work.scm')
    const byProgram: readonly string[][] = resultOf('bd-1').value
    const answers = join(project.folders, 'answers')
    const quoted = (words: readonly string[]) => words.map(word => `'${word}'`).join(' ')
    const lines = calls.map(
      ({ words }) => `${premathInShell} ${quoted(words)} --json | tr -d '\\n'; echo`,
    )
    // One attempt shows it.
    put('work.sh', `[ -e '${answers}' ] || { ${lines.join('\n')}\n} > '${answers}'\n`)
    step('bd-2', '--work-cmd', 'sh work.sh')
    const byCommand = readFileSync(answers, 'utf8').trimEnd().split('\n').map(classesIn)
    const both = calls.map(({ action }, at) => ({
      action,
      classes: byProgram[at],
      expected: action in inProgram ? [inProgram[action]] : byCommand[at],
    }))
    expect(both.map(({ action, classes }) => [action, classes])).toEqual(
      both.map(({ action, expected }) => [action, expected]),
    )
    expect(both.filter(({ classes }) => classes?.length === 0).map(({ action }) => action)).toEqual(
      [...['issue.discover', 'issue.comment', 'dep.add']],
    )
    expect(project.rowsById()['bd-1'].status).not.toBe('closed')
  })

  const classesIn = (line: string): readonly string[] => {
    const { failureClasses, error } = JSON.parse(line)
    return failureClasses ?? (error ? [error.code] : [])
  }

  test.each(
    fewOf(
      calls.filter(({ action }) => !isRequest(action)),
      2,
    ),
  )(
    '[surfaces.7.attacks] a list of calls is refused $action, and nothing is written',
    ({ call }) => {
      put('.premath/policy.json', open)
      put('work.json', callListOf(call))
      const { json: answer } = step('bd-1', '--work-program', 'work.json')
      expect(answer.result).not.toBe('completed')
      expect(resultOf('bd-1').effects).toMatchObject([{ failureClasses: [expect.any(String)] }])
      expect(Object.keys(project.rowsById())).toEqual(['bd-1', 'bd-2'])
      expect(project.rowsById()['bd-1'].status).not.toBe('closed')
    },
  )
})

/** The harness takes these after the step. */
const isRequest = (action: string) =>
  ['issue.discover', 'issue.comment', 'dep.add'].includes(action)

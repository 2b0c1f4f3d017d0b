/**
 * A command, its MCP tool and its host function answer alike: one row per exposed operation, each
 * surface in the same state of the same project.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { exposed } from '../src/operations/exposed.ts'
import { id, instructionPath } from './an-instruction-project.ts'
import {
  askers,
  exposedCall,
  type Means,
  otherSurfaces,
  type SurfaceName,
} from './call-surfaces.ts'
import { type ExposedRow, exposedRows } from './exposed-rows.ts'
import { type Connected, connected, type Era } from './mcp/a-client.ts'
import { aDoor, claims, instruction, policy } from './mutation-surfaces.ts'
import { inTurn } from './sim/seeded.ts'

const { project, put, json, turn, judge } = aDoor()
const { done, premath } = project

const prepared = join(project.folders, 'prepared')
const before = join(project.folders, 'before')

const open = { schema: 1, surfaces: { cli: { mode: 'open' } } }
const changes = [
  ...['issue_comment', 'issue_discover', 'issue_update', 'dep_add'].map(action => ({
    action,
    issueId: 'bd-1',
  })),
  ...['dep_remove', 'dep_replace'].map(action => ({ action, issueId: 'bd-3' })),
  ...['issue_lease_renew', 'issue_lease_release'].map(action => ({ action, issueId: 'bd-2' })),
  { action: 'issue_add' },
  { action: 'issue_claim' },
  { action: 'issue_claim_next' },
]

const rules = {
  schema: 1,
  requiredChecksKind: 'premath.required_checks.v1',
  projectionPolicy: 'test-v1',
  order: ['said'],
  baseline: ['said'],
  docs: { paths: ['**/*.md'] },
  rules: [],
  checks: { said: { command: 'true' } },
}

function prepare() {
  put('.premath/policy.json', open)
  done('issue', 'add', 'A third')
  done('dep', 'add', 'bd-3', 'bd-1')
  done('issue', 'claim', 'bd-2', '--assignee', 'holder')
  done('harness-feature', 'write', '--feature-id', 'alpha', '--status', 'in_progress')
  put('.premath/policy.json', policy)
  put('said.txt', 'yes\n')
  put('.premath/required-checks.json', rules)
  premath(['ci-required', '--changed-file', 'said.txt', '--attested'])
  const changed = ['said.txt']
  const witnesses = 'artifacts/ciwitness'
  const witness = json(`${witnesses}/latest-required.json`)
  put('artifacts/paths.json', { changedPaths: changed })
  put('artifacts/commits.json', {})
  put('artifacts/run.json', { ...witness, runDurationMs: 1 })
  put('artifacts/verify.json', { changedPaths: changed, witnessRoot: witnesses, witness })
  put('artifacts/decide.json', { expectedChangedPaths: changed, witness })
  put('artifacts/decision.json', { decision: json(`${witnesses}/latest-decision.json`) })
  put('artifacts/gate.json', {
    checkId: 'said',
    artifactRelPath: 'gates/01-said.json',
    fallback: {
      ...{ exitCode: 0, projectionDigest: 'proj1_x', policyDigest: 'p' },
      ...{ ctxRef: 'main', dataHeadRef: 'HEAD' },
    },
  })
  put(instructionPath, {
    ...instruction,
    capabilityClaims: claims('all'),
    scope: { kind: 'repo', mutations: changes },
  })
  premath(['instruction-run', '--instruction', instructionPath])
  done('observe-build')
  put('artifacts/turn.json', turn())
  cpSync(project.folder, prepared, { recursive: true })
}

beforeEach(() => {
  if (!existsSync(prepared)) prepare()
})

/** Every surface finds the project at the same path. The servers stay in its folder. */
const shared = mkdtempSync(join(project.folders, 'shared '))
function restore(from: string) {
  // The rows of the call before were acknowledged in the same folder.
  project.forgetAcknowledged()
  for (const name of readdirSync(shared)) rmSync(join(shared, name), { recursive: true })
  cpSync(from, shared, { recursive: true })
}

const env = { ...project.env, PREMATH_INSTRUCTION_ID: id }
const servers = new Map<Era, Connected>()
afterAll(() => Promise.all([...servers.values()].map(server => server.close())))

const means: Means = {
  run: async (words, input = '') => premath(words, { cwd: shared, env, input }),
  async tool(era, name, args) {
    const server = servers.get(era) ?? (await connected({ cwd: shared, env }, era))
    servers.set(era, server)
    return (await server.call(name, args)).json
  },
}

/** Moments, what is measured, and names that are made of them. */
const masked = (value: unknown): ReturnType<typeof JSON.parse> =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
      .replaceAll(/"(\w*Ms|ageSeconds|id)":[\d.]+/g, '"$1":0')
      .replaceAll(/"(witness\w*)":"[^"]*[0-9a-f]{64}[^"]*"/g, '"$1":"<digest>"')
      .replaceAll(/bdw1_\w+/g, 'bdw1_')
      // The record of a change says on which surface it was asked for.
      .replaceAll('"call":{"surface":"mcp"},', ''),
  )

async function answerOn(name: SurfaceName, { words }: ExposedRow) {
  restore(before)
  return masked((await askers[name](words, means)).json)
}

test('[surfaces.5.equal-payloads] every exposed operation has a row, and each row is about it', async () => {
  const actions = exposed.map(({ action }) => action)
  expect(Object.keys(exposedRows)).toEqual(actions)
  const calls = await Promise.all(Object.values(exposedRows).map(({ words }) => exposedCall(words)))
  expect(calls.map(call => call?.entry.action)).toEqual(actions)
})

test.each(Object.entries(exposedRows).map(([action, row], at) => ({ action, row, at })))(
  '[surfaces.5.equal-payloads] [tusk.14.2.families] $action answers alike on every surface',
  async ({ row, at }) => {
    cpSync(prepared, project.folder, { recursive: true })
    if (row.turn) {
      const capabilityClaims = claims(row.turn.action)
      const mutation = { kind: 'issue', ...row.turn }
      put('artifacts/turn.json', turn({ mutation, capabilityClaims }))
      judge()
    }
    rmSync(before, { recursive: true, force: true })
    cpSync(project.folder, before, { recursive: true })
    const direct = await answerOn('the command line', row)
    const { error, failureClasses } = direct
    expect([row.words, failureClasses?.[0] ?? error?.code]).toEqual([row.words, row.refused])
    for (const name of inTurn(otherSurfaces, at)) {
      expect([name, await answerOn(name, row)]).toEqual([name, direct])
    }
  },
)

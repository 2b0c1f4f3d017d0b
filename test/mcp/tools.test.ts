/** The tools over stdio, with the official client, for hosts of both eras. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Progress } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mailboxOf } from '../../src/kernel/harness/step/mailbox.ts'
import { exposed } from '../../src/operations/exposed.ts'
import { nodeWorld } from '../../src/world/node-world.ts'
import { envelope, testPolicy } from '../an-instruction.ts'
import { anInstructionProject } from '../an-instruction-project.ts'
import {
  allEras,
  type Connected,
  connected,
  connectedAsIs,
  type Era,
  withoutResident,
} from './a-client.ts'

const { project, put } = anInstructionProject()
const { done, asked } = project
const open = { schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode: 'open' } } }

const clients: Connected[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
})

async function server(era?: Era, flags?: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const place = { cwd: project.folder, env: { ...project.env, ...env } }
  const client = await connected(place, era, flags)
  clients.push(client)
  return client
}

const anyoneMayChange = () => put('.premath/policy.json', open)

beforeEach(() => {
  done('init')
})

test('a host that asks a process of its own for the revision gets the newest', async () => {
  const env = withoutResident(project.env)
  const place = { cwd: project.folder, env }
  const client = await connectedAsIs(place, '2026-07-28', [], StdioClientTransport)
  clients.push(client)
  expect(client.client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect((await client.call('issue_ready')).isError).toBe(false)
})

describe.each(allEras)('a client of %s', era => {
  test('gets the negotiated revision and the loop in the instructions', async () => {
    const { client } = await server(era)
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    const instructions = client.getInstructions() ?? ''
    const loop = ['prime', 'issue_ready', 'issue_claim_next', 'spec_run', 'issue_close']
    const places = loop.map(name => instructions.indexOf(name))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  test('[mcp.1.one-list] finds a tool for every operation that is exposed, described and hinted', async () => {
    const { client } = await server(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(exposed.map(({ tool }) => tool))
    for (const { name, title, description, inputSchema, annotations, _meta } of tools) {
      expect(`mcp__premath__${name}`.length).toBeLessThan(64)
      expect([title, description, inputSchema.type]).toEqual([
        expect.any(String),
        expect.any(String),
        'object',
      ])
      const isLoaded = _meta?.['anthropic/alwaysLoad'] === true
      expect(isLoaded || typeof _meta?.['anthropic/searchHint'] === 'string').toBe(true)
      expect(annotations?.readOnlyHint && annotations.destructiveHint).toBe(false)
      for (const property of Object.keys(inputSchema.properties ?? {})) {
        expect(property).toMatch(/^[a-z][A-Za-z0-9]*$/)
      }
    }
    const loaded = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)
    expect(loaded.length).toBeLessThanOrEqual(6)
    expect(loaded.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'prime',
        'issue_ready',
        'issue_claim_next',
        'issue_show',
        'spec_run',
      ]),
    )
  })

  test('[mcp.2.same-answer] gets the answer of the command, as text and as structured content', async () => {
    done('issue', 'add', 'One')
    const { call } = await server(era)
    const { isError, json, text } = await call('issue_ready')
    const { stdout } = project.premath(['issue', 'ready', '--json'])
    expect([isError, text]).toEqual([false, stdout])
    expect(json).toEqual(JSON.parse(stdout))
  })

  test('[mcp.2.same-answer] [mcp.3.instruction] is refused with class, diagnostic and remedy in both', async () => {
    done('issue', 'add', 'One')
    const { call } = await server(era)
    const { isError, json, text } = await call('issue_claim', { id: 'bd-1', assignee: 'me' })
    expect(isError).toBe(true)
    expect(json).toMatchObject({
      result: 'rejected',
      failureClasses: ['mutation_not_granted'],
      error: { code: 'mutation_not_granted', message: json.diagnostic, hint: json.remedy },
      exitCode: 1,
    })
    expect(json.remedy).toContain('premath instruction new --issue bd-1')
    expect(text).toContain(json.remedy)
    expect(project.rowsById()['bd-1'].status).toBe('open')
  })

  test('is told what is wrong with its arguments', async () => {
    const { call } = await server(era)
    expect((await call('issue_show')).json.error).toMatchObject({ code: 'usage' })
    const { json, isError } = await call('issue_show', { id: 7 })
    expect([isError, json.error.hint, json.exitCode]).toEqual([true, 'it is a text', 2])
    const unknown = await call('issue_ready', { limmit: 1 })
    expect(unknown.json.error.hint).toBe('did you mean limit?')
  })

  test('names a tool that does not exist', async () => {
    const { client } = await server(era)
    const asking = client.callTool({ name: 'issue_shwo', arguments: {} })
    await expect(asking).rejects.toThrow(/unknown tool "issue_shwo"/)
  })

  test('reads session, ready list and an issue as resources', async () => {
    done('issue', 'add', 'One')
    done('harness-session', 'write', '--state', 'active', '--summary', 'Began.')
    const { client } = await server(era)
    const { resources } = await client.listResources()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resources.map(({ uri }) => uri)).toEqual(['premath://session', 'premath://ready'])
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'premath://issue/{id}',
    ])
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return JSON.parse(content && 'text' in content ? content.text : '{}')
    }
    expect(await read('premath://session')).toMatchObject({ session: { summary: 'Began.' } })
    expect(await read('premath://ready')).toMatchObject({ count: 1 })
    expect(await read('premath://issue/bd-1')).toMatchObject({ issue: { title: 'One' } })
    await expect(client.readResource({ uri: 'premath://issue/bd-9' })).rejects.toThrow(/bd-9/)
    await expect(client.readResource({ uri: 'premath://other' })).rejects.toThrow(/premath:/)
  })

  test('[mcp.9.progress] gets the progress of a spec run that it asks for', async () => {
    writeFileSync(join(project.folder, 'a.spec.md'), slowSpec('true'))
    const { client } = await server(era)
    const told: Progress[] = []
    const params = { name: 'spec_run', arguments: { path: ['a.spec.md'] } }
    await client.callTool(params, { onprogress: progress => told.push(progress) })
    const lines = () => told.map(({ message }) => message)
    // The client may hand over the answer before a line that came with it.
    await expect.poll(() => lines().at(-1)).toMatch(/^1\/1 {2}0 failed /)
    expect(lines()[0]).toMatch(/^0\/1 {2}0 failed /)
    const counts = told.map(({ progress }) => progress)
    expect(counts).toEqual(counts.map((_, at) => at + 1))
  })

  test('[mcp.9.progress] gets a line for each check of an instruction that it runs', async () => {
    const path = 'instructions/20260221T000000Z-mcp.json'
    put('policies/instruction/test-v1.json', testPolicy)
    put('.premath/checks.json', {
      schema: 1,
      checksKind: 'premath.checks.v1',
      checks: { 'hk-check': 'true' },
    })
    put(path, { ...envelope, instructionType: 'ci.gate.check' })
    const { client, call } = await server(era)
    const lines: (string | undefined)[] = []
    const params = { name: 'instruction_run', arguments: { instructionPath: path } }
    await client.callTool(params, { onprogress: ({ message }) => lines.push(message) })
    await expect.poll(() => lines).toEqual(['hk-check: passed'])
    // A client that asks for none gets none, and the answer all the same.
    expect((await call('instruction_run', params.arguments)).isError).toBe(false)
    expect(lines).toHaveLength(1)
  })

  test('[mcp.4.cancel] ends the commands of a call that it cancels', async () => {
    const marker = join(project.folder, 'started')
    writeFileSync(
      join(project.folder, 'a.spec.md'),
      slowSpec(`echo $$ > started; while :; do sleep 0.05; done`),
    )
    const { client, call } = await server(era)
    const stopping = new AbortController()
    const params = { name: 'spec_run', arguments: { path: ['a.spec.md'] } }
    const asking = client.callTool(params, { signal: stopping.signal })
    await expect.poll(() => existsSync(marker) && readFileSync(marker, 'utf8') !== '').toBe(true)
    stopping.abort()
    await expect(asking).rejects.toThrow()
    const processId = Number(readFileSync(marker, 'utf8'))
    await expect.poll(() => isAlive(processId)).toBe(false)
    expect((await call('issue_ready')).isError).toBe(false)
  })
})

const slowSpec = (script: string) => `# Slow

\`\`\`yaml spec-test
id: SLOW
type: cli.run
harness: {entrypoint: [sh, -c, '${script}'], timeout_ms: 3600000}
argv: []
assert: []
\`\`\`
`

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

test('[mcp.4.cancel] a cancelled change that was made stays, and asking again says so', async () => {
  anyoneMayChange()
  done('issue', 'add', 'One')
  const { client, call } = await server()
  const stopping = new AbortController()
  const claim = { id: 'bd-1', assignee: 'me' }
  const asking = client.callTool(
    { name: 'issue_claim', arguments: claim },
    { signal: stopping.signal },
  )
  await expect.poll(() => project.rowsById()['bd-1'].status).toBe('in_progress')
  stopping.abort()
  await asking.catch(() => {})
  const { lease } = project.rowsById()['bd-1']
  const again = await call('issue_claim', claim)
  expect(again.isError).toBe(false)
  expect(again.json.issue.lease.leaseId).toBe(lease.lease_id)
  expect(project.rowsById()['bd-1'].lease.lease_id).toBe(lease.lease_id)
})

describe('a change under an instruction records', () => {
  const id = '20260221T000000Z-mcp'
  const instruction = {
    ...envelope,
    instructionType: 'ci.gate.check',
    capabilityClaims: [
      'capabilities.change_morphisms',
      'capabilities.change_morphisms.issue_claim',
    ],
    scope: { kind: 'repo', mutations: [{ action: 'issue_claim', issueId: 'bd-1' }] },
  }
  const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { 'hk-check': 'true' } }
  const hosts = {
    'the call of Claude Code': [{ 'claudecode/toolUseId': 'toolu_1' }, { callId: 'toolu_1' }],
    'session, turn and call of Codex': [
      {
        callId: 'call_1',
        'x-codex-turn-metadata': { session_id: 's-1', turn_id: 't-1' },
      },
      { callId: 'call_1', sessionId: 's-1', turnId: 't-1' },
    ],
    'nothing that is no name': [{ callId: { a: 1 }, 'x-codex-turn-metadata': '[' }, {}],
  } as const

  beforeEach(() => {
    done('issue', 'add', 'One')
    put('policies/instruction/test-v1.json', testPolicy)
    put('.premath/checks.json', checks)
    put(`instructions/${id}.json`, instruction)
    asked(['instruction-run', '--instruction', `instructions/${id}.json`])
  })

  test.each(Object.entries(hosts))('[mcp.5.evidence] %s', async (_, [meta, named]) => {
    const { call } = await server()
    const args = { id: 'bd-1', assignee: 'me', instructionId: id }
    const { isError, json } = await call('issue_claim', args, meta)
    expect(isError).toBe(false)
    expect(json.writeWitness.call).toEqual({ surface: 'mcp', ...named })
    const { premathWriteWitness } = project.rowsById()['bd-1'].metadata
    expect(premathWriteWitness.call).toEqual({ surface: 'mcp', ...named })
  })

  test('the instruction of the environment', async () => {
    const { call } = await server('2026-07-28', [], { PREMATH_INSTRUCTION_ID: id })
    const { json } = await call('issue_claim', { id: 'bd-1', assignee: 'me' })
    expect(json.writeWitness.instruction.instructionId).toBe(id)
  })
})

describe('inside a step', () => {
  const inStep = { PREMATH_STEP_ID: 'step-1', PREMATH_WORKER_ID: 'w' }
  const mailbox = () =>
    mailboxOf({ root: project.folder, sha256: nodeWorld().sha256 }, inStep.PREMATH_STEP_ID)

  test('[mcp.6.step] discover, comment and dep add write requests, which change nothing yet', async () => {
    anyoneMayChange()
    done('issue', 'add', 'One')
    done('issue', 'add', 'Two')
    mkdirSync(mailbox(), { recursive: true })
    const before = readFileSync(project.issues)
    const { call } = await server('2026-07-28', [], inStep)
    const answers = [
      await call('issue_discover', { parentIssueId: 'bd-1', title: 'Found' }),
      await call('issue_comment', { id: 'bd-1', text: 'Half done' }),
      await call('dep_add', { issueId: 'bd-1', dependsOnId: 'bd-2' }),
    ]
    expect(answers.map(({ json }) => json.result)).toEqual(['asked', 'asked', 'asked'])
    const requests = readdirSync(mailbox()).map(name =>
      JSON.parse(readFileSync(join(mailbox(), name), 'utf8')),
    )
    expect(requests.map(({ action }) => action).toSorted()).toEqual([
      'dep.add',
      'issue.comment',
      'issue.discover',
    ])
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test('[mcp.6.step] changes are refused, and reading is not', async () => {
    anyoneMayChange()
    done('issue', 'add', 'One')
    const { call } = await server('2026-07-28', [], inStep)
    expect((await call('issue_ready')).isError).toBe(false)
    for (const [name, args] of [
      ['issue_claim', { id: 'bd-1', assignee: 'w' }],
      ['issue_update', { id: 'bd-1', title: 'Two' }],
      ['issue_add', { title: 'Two' }],
      ['dep_remove', { issueId: 'bd-1', dependsOnId: 'bd-1' }],
      ['harness_session_write', { state: 'active' }],
    ] as const) {
      const { isError, json } = await call(name, args)
      expect([name, isError, json.failureClasses]).toEqual([name, true, ['mutation_not_granted']])
    }
    expect(Object.keys(project.rowsById())).toEqual(['bd-1'])
  })
})

test('the flag --issues names the memory of every tool', async () => {
  put('other/issues.jsonl', '{"id":"x-1","title":"Elsewhere"}\n')
  const { call } = await server('2026-07-28', ['--issues', 'other/issues.jsonl'])
  const { json } = await call('issue_ready')
  expect(json.items.map((item: { id: string }) => item.id)).toEqual(['x-1'])
})

test('a call waits for the lock during a compaction, as a command does', async () => {
  anyoneMayChange()
  done('issue', 'add', 'One')
  const { call } = await server()
  const compaction = project.started('issue', 'compact')
  const claims = Promise.all(
    ['a', 'b', 'c'].map(name => call('issue_comment', { id: 'bd-1', text: name })),
  )
  expect((await compaction).status).toBe(0)
  expect((await claims).map(({ isError }) => isError)).toEqual([false, false, false])
  expect(project.rowsById()['bd-1'].comments).toHaveLength(3)
  expect(asked(['doctor']).status).toBe(0)
})

test('two servers on one project do not lose a change', async () => {
  anyoneMayChange()
  const [a, b] = [await server(), await server('2025-11-25')]
  const adding = Array.from({ length: 10 }, (_, at) =>
    (at % 2 === 0 ? a : b).call('issue_add', { title: `Issue ${at}` }),
  )
  expect((await Promise.all(adding)).map(({ isError }) => isError)).not.toContain(true)
  expect(Object.keys(project.rowsById())).toHaveLength(10)
})

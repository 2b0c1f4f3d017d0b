/** Queued closes under an instruction: the door is asked before the queue and after it. */
import { existsSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { describeWithGit, gitIn } from '../a-repository.ts'
import { id } from '../an-instruction-project.ts'
import { aDoor } from '../mutation-surfaces.ts'
import { type Connected, connected } from './a-client.ts'

const door = aDoor()
const { project, put, pathOf, worked, leaseOf, update } = door
const { asked, rowsById } = project
const status = () => rowsById()['bd-1'].status

const clients: Connected[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
})

async function server(): Promise<Connected> {
  const client = await connected({ cwd: project.folder, env: project.env })
  clients.push(client)
  return client
}

const soon = { timeout: 60_000, interval: 50 }
const asking = (more: object = {}) => ({ id: 'bd-1', instructionId: id, ...leaseOf(), ...more })
const queue = () => {
  const { leaseId, fence } = leaseOf()
  const flags = ['--lease-id', leaseId, '--fence', String(fence), '--instruction', id]
  return asked(['issue', 'close', 'bd-1', '--queue', ...flags])
}

test('[mcp.14.close-door] a close under an instruction uses its entry when it is worked off', async () => {
  worked()
  const { call } = await server()
  const { json } = await call('issue_close', asking(), { callId: 'call_1' })
  expect(json.result).toBe('queued')
  await expect.poll(status, soon).toBe('closed')
  const { metadata } = rowsById()['bd-1']
  expect(metadata.premathWriteWitness).toMatchObject({
    action: 'issue.update',
    instruction: { instructionId: id },
    call: { surface: 'mcp', callId: 'call_1' },
  })
  expect(asked(['witness', 'verify', '--all']).status).toBe(0)
})

describeWithGit('in a repository', () => {
  test('[mcp.15.close-lands] the work of an instructed close lands, and its row names the instruction', () => {
    const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
    git('init', '--quiet', '--initial-branch', 'main')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'base')
    worked()
    expect(queue().json.result).toBe('queued')
    expect(asked(['land']).json.closes).toMatchObject([{ state: 'closed' }])
    const { metadata } = rowsById()['bd-1']
    expect(metadata.premathWriteWitness).toMatchObject({ instruction: { instructionId: id } })
    expect(git('show', `${metadata.premathClose.commit}:said.txt`)).toBe('yes')
    expect(git('log', '--format=%s', '-2').split('\n')).toEqual([
      'Record issue memory',
      'Say yes (bd-1)',
    ])
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('[mcp.15.close-lands] the instruction is not a part of the work, also where nobody committed it', () => {
    const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
    git('init', '--quiet', '--initial-branch', 'main')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'base')
    worked()
    git('rm', '--cached', '--quiet', `instructions/${id}.json`)
    git('commit', '--quiet', '--message', 'Without the instruction')
    expect(queue().json.failureClasses).toEqual(['instruction_not_in_force'])
    const force = ['policy', 'set', '--input', `instructions/${id}.json`, '--reason', 'as asked']
    expect(asked(force).status).toBe(0)
    expect(queue().json.result).toBe('queued')
    expect(asked(['land']).json.closes).toMatchObject([{ state: 'closed' }])
    const { commit } = rowsById()['bd-1'].metadata.premathClose
    expect(git('show', '--format=', '--name-only', commit)).toBe('said.txt')
  })
})

test('[trust.29.close-step] a close by the verify command has a proof that holds, with its turn', () => {
  const open = { schema: 1, surfaces: { cli: { mode: 'open' } } }
  put('.premath/policy.json', open)
  asked(['config', 'set', 'verify', 'grep -q yes said.txt'])
  asked(['issue', 'update', 'bd-1', '--spec', ''])
  worked()
  expect(queue().json.result).toBe('queued')
  expect(asked(['land']).json.closes).toMatchObject([{ state: 'closed' }])
  const verified = asked(['witness', 'verify', '--all'])
  expect([verified.status, verified.json.failureClasses]).toEqual([0, []])
})

test('[mcp.14.close-door] without an instruction nothing is queued, and the remedy names the command', async () => {
  worked()
  const { call } = await server()
  const { isError, json, text } = await call('issue_close', { id: 'bd-1', ...leaseOf() })
  expect([isError, json.failureClasses]).toEqual([true, ['mutation_not_granted']])
  expect(json.remedy).toContain('premath instruction new --issue bd-1')
  expect(text).toContain('premath instruction new --issue bd-1')
  expect(existsSync(pathOf('.premath/closes'))).toBe(false)
})

test.each([
  ['issue claim bd-1 --assignee me', 'bd-1'],
  ['issue update bd-1 --title Two', 'bd-1'],
  ['close bd-1', 'bd-1'],
  ['issue close bd-1 --queue', 'bd-1'],
])('[mcp.3.instruction] premath %s names the command that writes an instruction', (line, issue) => {
  const { json } = asked(line.split(' '))
  expect(json.failureClasses).toEqual(['mutation_not_granted'])
  expect(json.remedy).toContain(`premath instruction new --issue ${issue}.`)
})

test('[mcp.3.instruction] a host function names the command that writes an instruction', () => {
  const { json } = asked(['scheme-eval', '--expression', '(issue.close :id "bd-1")'])
  expect(json.error.hint).toContain('premath instruction new --issue bd-1.')
})

test('[mcp.14.close-door] needs a closed turn before anything is queued', async () => {
  worked({ turn: { lost: true } })
  const { call } = await server()
  const { json } = await call('issue_close', asking())
  expect(json.failureClasses).toContain('turn_not_closed')
  expect(existsSync(pathOf('.premath/closes'))).toBe(false)
})

test('[mcp.14.close-door] an entry that was used meanwhile closes nothing', () => {
  worked()
  expect(queue().json.result).toBe('queued')
  expect(update(leaseOf(), '--title', 'Other').status).toBe(0)
  const { json } = asked(['land'])
  expect(json.closes).toMatchObject([
    { state: 'failed', failureClasses: ['instruction_entry_used'], remedy: /./ },
  ])
  expect(status()).toBe('in_progress')
  expect(rowsById()['bd-1'].lease).toBeDefined()
  expect(queue().json.failureClasses).toEqual(['instruction_entry_used'])
})

test('[mcp.14.close-door] an instruction that was edited meanwhile closes nothing', () => {
  worked()
  expect(queue().json.result).toBe('queued')
  writeFileSync(pathOf(`instructions/${id}.json`), '{}')
  const { json } = asked(['land'])
  expect(json.closes).toMatchObject([{ state: 'failed' }])
  expect(status()).toBe('in_progress')
})

test('a command, its tool and its host function give equal answers', async () => {
  worked()
  const { json: command } = queue()
  const { call } = await server()
  await expect.poll(status, soon).toBe('closed')
  const { leaseId, fence } = { leaseId: 'x', fence: 1 }
  const tool = await call('issue_close', { id: 'bd-1', instructionId: id, leaseId, fence })
  const done = asked(['issue', 'close', 'bd-1', '--queue'])
  expect(tool.json).toEqual(done.json)
  const program = asked([
    'scheme-eval',
    '--expression',
    '(issue.close :id "bd-1")',
    '--instruction',
    id,
  ])
  expect(program.json.effects[0].payload).toEqual(done.json)
  expect(Object.keys(command)).toEqual(Object.keys(done.json))
})

import { describe, expect, test } from 'vitest'
import { evidence } from '../../test/a-turn.ts'
import { runCommand } from '../cli/run.ts'
import type { JsonObject } from '../kernel/json.ts'
import { openContext } from '../project/context.ts'
import { SimDisk } from '../testing/sim-disk.ts'
import { simWorld } from '../testing/sim-world.ts'
import { callExposed, callOperation } from './call.ts'
import { exposed } from './exposed.ts'
import { operations } from './index.ts'

const rows = ['bd-1', 'bd-2'].map(id => `${JSON.stringify({ id, title: id })}\n`).join('')
const open = '{"schema":1,"surfaces":{"cli":{"mode":"open"},"mcp":{"mode":"open"}}}'

function aWorld(policy?: string) {
  const disk = new SimDisk({
    files: {
      '/p/.premath/issues.jsonl': rows,
      '/elsewhere/issues.jsonl': rows,
      ...(policy !== undefined && { '/p/.premath/policy.json': policy }),
    },
  })
  return simWorld({ disk, cwd: '/p' })
}

const contextIn = (world: ReturnType<typeof simWorld>, surface: 'cli' | 'mcp' = 'cli') => ({
  ...openContext(world),
  surface,
})

const call = (command: string, args: JsonObject, world = aWorld()) =>
  callOperation(command, args, contextIn(world))

const toolNamed = (name: string) => {
  const entry = exposed.find(({ tool }) => tool === name)
  if (!entry) throw new Error(`no tool ${name}`)
  return entry
}

describe('a call', () => {
  test('answers with what the command prints', async () => {
    const world = aWorld()
    expect(await runCommand(['issue', 'ready', '--limit', '1', '--json'], operations, world)).toBe(
      0,
    )
    const called = await call('issue ready', { limit: 1 })
    expect(called.text).toBe(world.printed.out)
    expect(called.output).toEqual(JSON.parse(world.printed.out))
    expect(called).toMatchObject({ exitCode: 0, isError: false })
  })

  test('is refused as the command is', async () => {
    const world = aWorld()
    await runCommand(['issue', 'claim', 'bd-9', '--assignee', 'w', '--json'], operations, world)
    const called = await call('issue claim', { id: 'bd-9', assignee: 'w' })
    expect(called.output).toEqual(JSON.parse(world.printed.out))
    expect(called).toMatchObject({ isError: true, exitCode: 1 })
    expect(called.output['error']).toMatchObject({ code: 'lease_not_found' })
  })

  test('with a negative verdict is no error', async () => {
    const unused = { ...evidence(['tc-1']), toolUse: [] }
    const called = await call('harness-join-check', { input: { evidence: unused as JsonObject } })
    expect(called).toMatchObject({ isError: false, exitCode: 1 })
    expect(called.output['result']).toBe('rejected')
  })

  test('takes a document as a value', async () => {
    const called = await call('harness-join-check', {
      input: { evidence: evidence(['tc-1']) as JsonObject },
    })
    expect(called.output).toMatchObject({ result: 'accepted', joinClosed: true })
    const broken = await call('harness-join-check', { input: [] })
    expect(broken.output['error']).toMatchObject({ code: 'invalid_input' })
    expect(JSON.stringify(broken.output)).toContain('the argument input')
  })

  test.each([
    ['camelCase', { issueType: 'bug', issuesPath: '.premath/issues.jsonl' }],
    ['snake_case', { issue_type: 'bug', issues_path: '.premath/issues.jsonl' }],
    ['the names of the flags', { type: 'bug', issues: '.premath/issues.jsonl' }],
  ])('takes names in %s', async (_, more) => {
    const called = await callExposed(
      toolNamed('issue_add'),
      { title: 'New', ...more },
      contextIn(aWorld()),
    )
    expect(called.output['issue']).toMatchObject({ title: 'New', issueType: 'bug' })
  })

  test.each<[string, string, JsonObject, string]>([
    ['an unknown argument', 'issue ready', { limti: 1 }, 'did you mean limit?'],
    ['one argument by two names', 'issue add', { title: 'a', notesFile: 'x', notes_file: 'y' }, ''],
    ['a missing argument', 'issue show', {}, ''],
    ['a text for a number', 'issue ready', { limit: '1' }, 'it is a whole number'],
    ['a fraction for a count', 'issue ready', { limit: 1.5 }, 'it is a whole number'],
    ['a word that is no choice', 'dep diagnostics', { graphScope: 'all' }, 'one of active, full'],
    ['a list for one text', 'issue show', { id: ['bd-1'] }, 'it is a text'],
    ['an unknown operation', 'issue fly', {}, ''],
    ['a command that runs until it is ended', 'spec run', { watch: true }, 'the command line'],
  ])('with %s is bad usage', async (_, command, args, hint) => {
    const { output, exitCode, isError } = await call(command, args)
    expect({ exitCode, isError }).toEqual({ exitCode: 2, isError: true })
    expect(output['error']).toMatchObject({ code: 'usage', hint: expect.stringContaining(hint) })
  })

  test.each(['../elsewhere/issues.jsonl', '/elsewhere/issues.jsonl', '-'])(
    '[surfaces.1.paths] reads no file outside of the project: %s',
    async issues => {
      const { output } = await call('issue ready', { issues })
      expect(output['error']).toMatchObject({ code: 'usage', hint: 'Name a path below /p.' })
    },
  )
})

describe('the policy', () => {
  const claim = { id: 'bd-1', assignee: 'w' }

  test('[surfaces.2.policy] has a mode of its own for agents over MCP', async () => {
    const world = aWorld()
    const refused = await callOperation('issue claim', claim, contextIn(world, 'mcp'))
    expect(refused.output['error']).toMatchObject({ code: 'mutation_not_granted' })
    expect((await callOperation('issue claim', claim, contextIn(world))).isError).toBe(false)
    const granted = await callOperation('issue claim', claim, contextIn(aWorld(open), 'mcp'))
    expect(granted.isError).toBe(false)
  })

  test('[surfaces.3.agents] takes everybody over MCP for an agent', async () => {
    const args = { input: { schema: 1, surfaces: { cli: { mode: 'open' } } }, reason: 'why' }
    const refused = await callOperation('policy set', args, contextIn(aWorld(open), 'mcp'))
    expect(refused.output['error']).toMatchObject({ code: 'mutation_not_granted' })
  })
})

test('every exposed operation exists, under names that occur once', () => {
  for (const { command } of exposed) expect(Object.keys(operations)).toContain(command)
  for (const name of ['tool', 'action'] as const) {
    const names = exposed.map(entry => entry[name])
    expect(new Set(names).size).toBe(names.length)
  }
})

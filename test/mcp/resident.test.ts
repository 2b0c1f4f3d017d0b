/** The MCP server asks the resident process of its project. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { residents, rowOf } from '../a-resident.ts'
import { evidence } from '../a-turn.ts'
import { allEras, type Connected, connected, connectedAsIs, type Era } from './a-client.ts'

const aProject = residents()
type Project = ReturnType<typeof aProject>

const clients: Connected[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
})

/** A server that may start the resident process. */
async function server({ root: cwd, env }: Project, era?: Era, more: NodeJS.ProcessEnv = {}) {
  const client = await connectedAsIs({ cwd, env: { ...env, ...more } }, era)
  clients.push(client)
  return client
}

/** A server that has to read the files itself. */
async function lonelyServer({ root: cwd, env, folder }: Project, era: Era) {
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere, { mode: 0o700 })
  const client = await connected({ cwd, env: { ...env, XDG_RUNTIME_DIR: elsewhere } }, era)
  clients.push(client)
  return client
}

const questions = async (project: Project) => (await project.status())?.questions ?? 0

/** The answer that the resident process gave. On a busy machine a server may answer before it does. */
async function answered<T>(project: Project, ask: () => Promise<T>): Promise<T> {
  const answers: T[] = []
  await expect
    .poll(async () => {
      const before = await questions(project)
      answers.push(await ask())
      return (await questions(project)) - before
    })
    .toBe(1)
  return answers.at(-1) as T
}

const timeless = (text: string) => text.replace(/"(checkedAt|checkedAtUnixMs)": [^\n]*/, '')

const rows =
  rowOf('bd-1', 'ä', { priority: 1 }) +
  rowOf('bd-2', 'b', {
    dependencies: [{ issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }],
  })

const reads: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['issue_ready', { limit: 1 }],
  ['issue_ready', { limmit: 1 }],
  ['issue_list', { issues_path: '.premath/issues.jsonl' }],
  ['issue_list', { issuesPath: '/etc/passwd' }],
  ['issue_show', { id: 'bd-2' }],
  ['issue_show', { id: 'bd-9' }],
  ['issue_show', {}],
  ['issue_blocked', {}],
  ['issue_check', {}],
  ['issue_lease_projection', {}],
  ['dep_diagnostics', { graphScope: 'full' }],
  ['harness_session_read', {}],
  ['harness_feature_read', {}],
  ['harness_feature_next', {}],
  ['harness_join_check', { input: { evidence: evidence(['a']) } }],
  ['harness_join_check', { input: { results: 1 } }],
  ['prime', {}],
]

describe.each(allEras)('over %s', era => {
  test('[resident.5.mcp] a tool that reads is answered by the resident process, word for word', async () => {
    const project = aProject(rows)
    project.serve()
    await project.running()
    const [warm, own] = [await server(project, era), await lonelyServer(project, era)]
    for (const [name, args] of reads) {
      const answer = await answered(project, async () => await warm.call(name, args))
      const before = await questions(project)
      const expected = await own.call(name, args)
      expect([name, await questions(project)]).toEqual([name, before])
      expect([answer.isError, timeless(answer.text)]).toEqual([
        expected.isError,
        timeless(expected.text),
      ])
    }
    const uri = 'premath://issue/bd-1'
    const read = await answered(project, async () => await warm.client.readResource({ uri }))
    expect(JSON.stringify(read.contents)).toContain('ä')
  })
})

test('[resident.5.mcp] the first question starts it, and is answered without it', async () => {
  const project = aProject()
  const { call } = await server(project)
  expect((await call('issue_ready')).json.count).toBe(2)
  await project.running()
  await expect
    .poll(async () => {
      await call('issue_ready')
      return await questions(project)
    })
    .toBeGreaterThan(0)
})

test('[resident.5.mcp] a change is made by the server, and is in the next answer', async () => {
  const project = aProject()
  const policy = { schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode: 'open' } } }
  writeFileSync(join(project.root, '.premath/policy.json'), JSON.stringify(policy))
  project.serve()
  await project.running()
  const { call } = await server(project)
  await call('issue_ready')
  const before = await questions(project)
  const claimed = await call('issue_claim', { id: 'bd-1', assignee: 'me' })
  expect(claimed.json.issue.assignee).toBe('me')
  expect(await questions(project)).toBe(before)
  const shown = await answered(project, async () => await call('issue_show', { id: 'bd-1' }))
  expect(shown.json.issue.assignee).toBe('me')
  // With this argument the check writes a file, so the resident process turns it away.
  const input = { evidence: evidence(['a']) }
  const judged = await call('harness_join_check', { input, writeWitness: true })
  expect(judged.json).toMatchObject({ result: 'accepted' })
})

describe('without it a server answers by itself', () => {
  const answersAlone = async (project: Project, env: NodeJS.ProcessEnv = {}) => {
    const { call } = await server(project, '2026-07-28', env)
    for (let at = 0; at < 3; at++) expect((await call('issue_ready')).json.count).toBe(2)
  }

  test.each<[string, NodeJS.ProcessEnv, string]>([
    ['in CI', { CI: 'true' }, '{}'],
    ['inside a step', { PREMATH_STEP_ID: 's' }, '{}'],
    ['if the setting is off', {}, '{ "residentMemory": "off" }'],
    ['if the settings cannot be read', {}, '{'],
  ])('[resident.5.mcp] %s, and starts none', async (_, env, config) => {
    const project = aProject()
    writeFileSync(join(project.root, '.premath/config.json'), config)
    await answersAlone(project, env)
    expect(project.pids()).toEqual([])
  })

  test('[resident.5.mcp] inside a step also if one runs', async () => {
    const project = aProject()
    project.serve()
    await project.running()
    await answersAlone(project, { PREMATH_STEP_ID: 's' })
    expect(await questions(project)).toBe(0)
  })

  test('[resident.5.mcp] after it was killed', async () => {
    const project = aProject()
    const { child, ended } = project.serve()
    await project.running()
    const { call } = await server(project)
    expect((await call('issue_ready')).json.count).toBe(2)
    child.kill('SIGKILL')
    await ended
    expect((await call('issue_ready')).json.count).toBe(2)
  })

  test.each<[string, string | undefined]>([
    ['never answers', undefined],
    ['answers something else', '{"answer":{"text":7}}\n'],
    ['answers no JSON', 'hello\n'],
  ])('[resident.5.mcp] if something at the socket %s', async (_, reply) => {
    const project = aProject()
    const { socket } = await project.place()
    mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
    const impostor = createServer(connection => {
      connection.on('error', () => {})
      if (reply !== undefined) connection.write(reply)
    })
    await new Promise<void>(settle => impostor.listen(socket, settle))
    await answersAlone(project)
    impostor.close()
  })
})

import { describe, expect, test } from 'vitest'
import { isRefusal } from '../kernel/issues/issue-refusal.ts'
import { SimDisk } from '../testing/sim-disk.ts'
import { type SimSetup, simWorld } from '../testing/sim-world.ts'
import { authorityOf } from './authority/authority.ts'
import { openContext } from './context.ts'
import { openProject } from './open.ts'
import { openIssues } from './open-issues.ts'

const row = (id: string) => `{"id":"${id}","title":"${id}"}\n`
const files = {
  '/p/.premath/issues.jsonl': row('default'),
  '/p/other.jsonl': row('other'),
  '/p/sub/mine.jsonl': row('mine'),
}

async function open(setup: SimSetup, issues?: string) {
  const context = openContext(simWorld({ files, cwd: '/p/sub', ...setup }))
  const { project, ...rest } = await openIssues(await openProject(context), { issues })
  const authority = (reason?: string) => authorityOf(project, { reason })
  return { ...rest, root: project.root, authority }
}

const idsIn = async (opened: Awaited<ReturnType<typeof open>>) =>
  (await opened.store.read()).all().map(({ id }) => id)

describe('issue memory', () => {
  test('belongs to the project, unless the environment or the command names another', async () => {
    const plain = await open({})
    expect([plain.issuesPath, plain.root]).toEqual(['.premath/issues.jsonl', '/p'])
    expect(await idsIn(plain)).toEqual(['default'])

    const env = { PREMATH_ISSUES_PATH: 'other.jsonl' }
    const named = await open({ env })
    expect(named.issuesPath).toBe('other.jsonl')
    expect(await idsIn(named)).toEqual(['other'])

    const given = await open({ env }, 'mine.jsonl')
    expect(given.issuesPath).toBe('mine.jsonl')
    expect(await idsIn(given)).toEqual(['mine'])
  })

  test.each([
    ['the file', '/p/.premath/issues.jsonl'],
    ['its folder', '/p/.premath'],
  ])('that leaves the project because %s is a link is not touched', async (_, from) => {
    const links = { [from]: '/etc/elsewhere' }
    await expect(open({ links })).rejects.toMatchObject({
      code: 'unavailable',
      message: '/p/.premath/issues.jsonl leaves the project through a symbolic link',
      hint: expect.stringContaining('/etc/elsewhere'),
    })
  })

  test('behind a link inside the project, or named outside, is accepted', async () => {
    const links = { '/p/.premath/issues.jsonl': '/p/other.jsonl' }
    expect(await idsIn(await open({ links }))).toEqual(['other'])
    const outside = { ...files, '/q/x.jsonl': row('x') }
    expect(await idsIn(await open({ files: outside }, '/q/x.jsonl'))).toEqual(['x'])
  })
})

describe('a caller on the command line', () => {
  const add = { action: 'issue.add', issue: { title: 'new' } } as const
  const policy = (document: unknown) => ({
    files: { ...files, '/p/.premath/policy.json': JSON.stringify(document) },
  })
  const cliMode = (mode: string) => policy({ schema: 1, surfaces: { cli: { mode } } })
  const openCli = { schema: 1, surfaces: { cli: { mode: 'open' } } }

  test.each([
    ['without a policy', {}, undefined, 'ada'],
    ['under an open one', cliMode('open'), undefined, 'ada'],
    ['with a reason where one is asked for', cliMode('human-override'), 'stuck', /^script \(uid/],
    ['at a terminal', { ...cliMode('operator'), isAtTerminal: true }, undefined, /^terminal \(uid/],
    ['away from one with a reason', cliMode('operator'), 'nightly', /^script \(uid/],
  ])('may change memory %s', async (_, setup, reason, operator) => {
    const { store, authority } = await open({ ...setup, env: { USER: 'ada' } })
    expect(await authority(reason)).toMatchObject({
      granted: true,
      operator: expect.stringMatching(operator),
      surface: 'cli',
    })
    expect(isRefusal(await store.mutate(await authority(reason), add))).toBe(false)
  })

  test.each([
    ['without a reason', 'human-override', 'an override needs a reason'],
    ['away from a terminal', 'operator', /only from a person at a terminal/],
    [
      'where instructions are asked for',
      'instruction-linked',
      /only under an accepted instruction/,
    ],
  ])('is refused %s', async (_, mode, diagnostic) => {
    const { store, authority } = await open(cliMode(mode))
    expect(await store.mutate(await authority(), add)).toEqual({
      failureClass: 'mutation_not_granted',
      diagnostic: expect.stringMatching(diagnostic),
      remedy: expect.any(String),
    })
  })

  test.each([
    ['from another project', { cwd: '/q' }],
    ['from where there is none', { cwd: '/tmp' }],
    ['under another root', { env: { PREMATH_ROOT: '/q' } }],
    ['under a root above', { env: { PREMATH_ROOT: '/' } }],
  ])('follows the policy of the named memory %s', async (_, where) => {
    const { files: linked } = cliMode('instruction-linked')
    const setup = { files: { ...linked, '/q/.premath/issues.jsonl': '', '/tmp/x': '' }, ...where }
    for (const file of ['/p/.premath/issues.jsonl', '/p/sub/mine.jsonl']) {
      const { store, authority, root } = await open(setup, file)
      expect(root).toBe('/p')
      const outcome = await store.mutate(await authority(), add)
      expect(outcome).toMatchObject({ failureClass: 'mutation_not_granted' })
    }
  })

  test.each([
    ['from the project', {}],
    ['from inside it', { cwd: '/p/.premath/.premath' }],
    ['under a root inside it', { env: { PREMATH_ROOT: '/p/.premath' } }],
  ])('follows no policy inside .premath, %s', async (_, where) => {
    const { files: linked } = cliMode('instruction-linked')
    const hidden = { '/p/.premath/.premath/policy.json': JSON.stringify(openCli) }
    const setup = { files: { ...linked, ...hidden }, ...where }
    const { store, authority, root } = await open(setup, '/p/.premath/issues.jsonl')
    expect(root).toBe('/p')
    const outcome = await store.mutate(await authority(), add)
    expect(outcome).toMatchObject({ failureClass: 'mutation_not_granted' })
  })

  const surfaces = (cli: string, work?: string) =>
    policy({
      schema: 1,
      surfaces: { cli: { mode: cli }, ...(work && { work: { mode: work } }) },
    })

  test.each([
    ['without a word of the policy', surfaces('open'), undefined],
    ['where a policy opens it', surfaces('open', 'open'), undefined],
    ['with a reason', surfaces('operator', 'open'), 'nightly'],
    ['at a terminal of its own', surfaces('open', 'operator'), undefined],
  ])('in the work of a step may not change memory, %s', async (_, setup, reason) => {
    const env = { PREMATH_STEP_ID: 'step-1' }
    const { store, authority } = await open({ ...setup, env, isAtTerminal: true })
    expect(isRefusal(await store.mutate(await authority(reason), add))).toBe(true)
  })

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['of another schema', '{"schema":2}'],
    ['of another kind', '{"schema":1,"policyKind":"x"}'],
    ['with an unknown mode', '{"schema":1,"surfaces":{"cli":{"mode":"opne"}}}'],
    ['with a mode that is none', '{"schema":1,"surfaces":{"mcp":"open"}}'],
    ['with unknown ids', '{"schema":1,"ids":"random","surfaces":{"cli":{"mode":"open"}}}'],
    ['without surfaces', '{"schema":1,"ids":"hash"}'],
    ['without the surface it is asked about', '{"schema":1,"surfaces":{"mcp":{"mode":"open"}}}'],
  ])('is refused under a policy that is %s', async (_, content) => {
    const setup = { files: { ...files, '/p/.premath/policy.json': content } }
    await expect(open(setup)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('/p/.premath/policy.json cannot be trusted'),
    })
  })

  test('gets hashed ids if the policy says so', async () => {
    const { store, authority } = await open(policy({ ...openCli, ids: 'hash' }))
    const added = await store.mutate(await authority(), add)
    expect(!isRefusal(added) && added.issue?.id).toMatch(/^bd-[a-z0-9]{4,}$/)
    const plain = await open({})
    const counted = await plain.store.mutate(await plain.authority(), add)
    expect(!isRefusal(counted) && counted.issue?.id).toBe('bd-1')
  })
})

describe('the lock of issue memory', () => {
  const path = '/p/.premath/issues.jsonl'

  /** The seconds that a change waits for a lock that nobody releases. */
  async function waitedFor(config: string): Promise<number> {
    let waited = 0
    const rest = async () => {
      waited++
      return 1000
    }
    const disk = new SimDisk({ files: { ...files, '/p/.premath/config.json': config }, rest })
    const { store } = await open({ disk })
    await disk.lock(`${path}.lock`, 0)
    await expect(store.tidyProofs('default')).rejects.toMatchObject({ code: 'conflict' })
    return waited
  }

  test.each([
    ['{}', 15],
    ['{ "lockWaitSeconds": 2 }', 2],
  ])('is waited for as long as the settings %s say', async (config, seconds) => {
    expect(await waitedFor(config)).toBe(seconds)
  })

  test('reads no setting while it is free', async () => {
    const broken = { ...files, '/p/.premath/config.json': '{ broken' }
    const { store } = await open({ files: broken })
    await expect(store.tidyProofs('default')).resolves.toBeUndefined()
  })
})

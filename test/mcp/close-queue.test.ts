/**
 * The queue of closes: asked for over MCP, verified by the server beside its calls, or by the next
 * command that claims. On the built server, with real processes and git.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { aProject } from '../a-project.ts'
import { proofPart } from '../a-proof.ts'
import { describeWithGit, gitIn, gitVariables } from '../a-repository.ts'
import { main } from '../built-command.ts'
import { type Connected, connected } from './a-client.ts'

const project = aProject()
const { asked, done, rowsById } = project
const at = (name: string) => join(project.folder, name)
const put = (name: string, text: string) => writeFileSync(at(name), text)
const git = (...args: readonly string[]) => gitIn(project.folder, ...args)
const row = () => rowsById()['bd-1']

const open = { schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode: 'open' } } }
const lease = { leaseId: 'lease1_bd-1_me', fence: 1 }
const closing = { id: 'bd-1', ...lease }
const flags = ['--lease-id', lease.leaseId, '--fence', '1']

const clients: Connected[] = []
afterEach(async () => {
  put('go', '')
  await Promise.all(clients.splice(0).map(client => client.close()))
})

async function server(): Promise<Connected> {
  const client = await connected({ cwd: project.folder, env: project.env })
  clients.push(client)
  return client
}

/** Polls for as long as a slow machine may need. */
const soon = { timeout: 60_000, interval: 50 }
const stateOf = async ({ call }: Connected, id = 'bd-1') =>
  (await call('issue_show', { id })).json.close?.state
const shown = () => done('issue', 'show', 'bd-1').close

const queueFiles = () => readdirSync(at('.premath/closes')).filter(name => name.endsWith('.json'))
const queueFile = () => at(`.premath/closes/${queueFiles()[0]}`)
const entry = () => JSON.parse(readFileSync(queueFile(), 'utf8'))
const edit = (change: object) =>
  writeFileSync(queueFile(), JSON.stringify({ ...entry(), ...change }))

function commit(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'base')
}

/** The verification says that it began, and waits for `go`. */
const waitingCheck = [
  'echo begun >> "$PREMATH_ROOT/begun"',
  'while [ ! -e "$PREMATH_ROOT/go" ]; do sleep 0.02; done',
  'grep -q hello greeting.txt',
  '',
].join('\n')
/** The changes that git shows, without the records of premath. */
const changes = (folder = project.folder) =>
  gitIn(folder, 'status', '--porcelain', '--', ':!.premath')
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

const hasBegun = (times: number) =>
  existsSync(at('begun')) && readFileSync(at('begun'), 'utf8').split('\n').length > times

/** The commits on main that a close landed. */
const landings = () =>
  git('log', '--format=%H', '--grep=^Premath-Issue: bd-1$', 'main').split('\n').filter(Boolean)

const closedRows = () =>
  readFileSync(project.issues, 'utf8')
    .split('\n')
    .filter(line => line.includes('"status":"closed"'))

/** It closed once, with a commit on main, and every part of its proof holds. */
async function isClosedOnce(): Promise<void> {
  expect(row()).toMatchObject({ status: 'closed' })
  expect(closedRows()).toHaveLength(1)
  expect(landings()).toEqual([done('issue', 'show', 'bd-1').issue.landed.commit])
  expect(git('show', 'main:greeting.txt')).toBe('hello')
  expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  // The row is closed before the ref of the work is removed.
  await expect.poll(() => git('for-each-ref', 'refs/premath'), soon).toBe('')
  expect(git('worktree', 'list').split('\n')).toHaveLength(1)
}

/** Queues the close without a server. */
function queued(): void {
  expect(asked(['issue', 'close', 'bd-1', '--queue', ...flags]).json.result).toBe('queued')
}

describeWithGit('a close', () => {
  beforeEach(() => {
    git('init', '--quiet', '--initial-branch', 'main')
    done('init')
    done('config', 'set', 'verify', 'sh check.sh')
    done('config', 'set', 'sandbox', 'off')
    put('check.sh', 'grep -q hello greeting.txt || { echo no greeting; exit 1; }\n')
    put('greeting.txt', 'goodbye\n')
    put('.gitignore', 'begun\ngo\n')
    put('.premath/policy.json', JSON.stringify(open))
    done('issue', 'add', 'Greet')
    commit()
    done('issue', 'claim', 'bd-1', '--assignee', 'me')
  })

  test('[mcp.11.close-queue] is queued at once, verified by the server, and shown', async () => {
    put('check.sh', waitingCheck)
    commit()
    put('greeting.txt', 'hello\n')
    const client = await server()
    const { isError, json } = await client.call('issue_close', closing)
    expect([isError, json.result, json.close.state]).toEqual([false, 'queued', 'queued'])
    await expect.poll(() => stateOf(client), soon).toBe('verifying')
    // The agent goes on with other work, which the close does not see.
    put('greeting.txt', 'half done\n')
    const again = await client.call('issue_close', closing)
    expect([again.isError, again.json.result]).toEqual([false, 'verifying'])
    put('go', '')
    await expect.poll(() => stateOf(client), soon).toBe('closed')
    expect((await client.call('issue_close', closing)).json.result).toBe('closed')
    const witness = JSON.parse(proofPart(at('.premath/proofs/bd-1'), 'verify').text)
    expect([witness.stepId, witness.commit]).toEqual(['close.bd-1.1.1', ...landings()])
    await isClosedOnce()
    expect(readFileSync(at('greeting.txt'), 'utf8')).toBe('half done\n')
    expect(changes()).toEqual(['M greeting.txt'])
  })

  test('[mcp.12.close-failed] that fails leaves the lease, and tells class, remedy and output', async () => {
    put('greeting.txt', 'good day\n')
    const client = await server()
    await client.call('issue_close', closing)
    await expect.poll(() => stateOf(client), soon).toBe('failed')
    const { json } = await client.call('issue_show', { id: 'bd-1' })
    expect(json.close).toMatchObject({
      failureClasses: ['close_proof_failed'],
      diagnostic: 'the verification ended with exit code 1',
      remedy: 'Fix the work, then close it again.',
      lastLines: expect.arrayContaining(['no greeting']),
    })
    expect(json.issue.lease).toMatchObject({ leaseId: lease.leaseId, fence: 1, state: 'active' })
    expect(project.premath(['issue', 'show', 'bd-1']).stdout).toMatch(/failed, under fence 1/)
    put('greeting.txt', 'hello\n')
    expect((await client.call('issue_close', closing)).json.result).toBe('queued')
    await expect.poll(() => stateOf(client), soon).toBe('closed')
    await isClosedOnce()
  })

  test('[mcp.12.close-failed] that changed what judges it fails by its class', async () => {
    put('check.sh', 'true\n')
    queued()
    expect(asked(['land'])).toMatchObject({
      status: 1,
      json: { closes: [{ issueId: 'bd-1', failureClasses: ['protected_path_changed'] }] },
    })
    expect(row()).toMatchObject({ status: 'in_progress', lease: { lease_id: lease.leaseId } })
  })

  test.each<[string, () => string[] | undefined]>([
    ['premath land', () => ['land']],
    ['premath issue claim-next', () => ['issue', 'claim-next', '--assignee', 'you']],
    ['premath harness-step', () => ['harness-step', '--work-cmd', 'true']],
    ['premath run', () => ['run', '--work-cmd', 'true']],
  ])('[mcp.13.close-durable] is worked off by %s, if no server does', async (_, args) => {
    put('greeting.txt', 'hello\n')
    queued()
    put('greeting.txt', 'goodbye\n')
    const ran = project.premath(args() ?? [], { env: gitVariables })
    expect(ran.stderr).toContain('closes bd-1')
    await isClosedOnce()
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '[mcp.13.close-durable] closes once after %s in the middle of its verification',
    async signal => {
      put('check.sh', waitingCheck)
      commit()
      put('greeting.txt', 'hello\n')
      const client = await server()
      await client.call('issue_close', closing)
      await expect.poll(() => hasBegun(1), soon).toBe(true)
      process.kill(client.processId, signal)
      await expect.poll(() => isAlive(client.processId), soon).toBe(false)
      expect(row().status).toBe('in_progress')
      // A stopped server puts it back; a killed one cannot.
      expect(entry().state).toBe(signal === 'SIGTERM' ? 'queued' : 'verifying')
      const next = await server()
      await expect.poll(() => hasBegun(2), soon).toBe(true)
      put('go', '')
      await expect.poll(() => stateOf(next), soon).toBe('closed')
      await isClosedOnce()
    },
  )

  test('[mcp.13.close-durable] premath land finishes what a killed server left', async () => {
    put('check.sh', waitingCheck)
    commit()
    put('greeting.txt', 'hello\n')
    const client = await server()
    await client.call('issue_close', closing)
    await expect.poll(() => hasBegun(1), soon).toBe(true)
    process.kill(client.processId, 'SIGKILL')
    await expect.poll(() => isAlive(client.processId), soon).toBe(false)
    put('go', '')
    expect(asked(['land'])).toMatchObject({ status: 0, json: { closes: [{ state: 'closed' }] } })
    await isClosedOnce()
  })

  test('[mcp.13.close-durable] a stopped command puts it back', async () => {
    put('check.sh', waitingCheck)
    commit()
    put('greeting.txt', 'hello\n')
    queued()
    const child = spawn(process.execPath, [main, 'land'], {
      cwd: project.folder,
      env: project.env,
      stdio: 'ignore',
    })
    const ended = new Promise<number | null>(settle => child.once('close', settle))
    await expect.poll(() => hasBegun(1), soon).toBe(true)
    child.kill('SIGINT')
    expect(await ended).not.toBe(0)
    expect([entry().state, row().status]).toEqual(['queued', 'in_progress'])
    put('go', '')
    expect(asked(['land']).json.closes).toMatchObject([{ state: 'closed' }])
    await isClosedOnce()
  })

  test('[mcp.13.close-durable] callers at the same time queue it once, with the work that is kept', async () => {
    put('greeting.txt', 'hello\n')
    const ask = () =>
      new Promise<string>(settle => {
        const words = ['issue', 'close', 'bd-1', '--queue', '--json', ...flags]
        const { folder: cwd, env } = project
        const child = spawn(process.execPath, [main, ...words], { cwd, env })
        let text = ''
        child.stdout.on('data', more => {
          text += more
        })
        child.once('close', () => settle(JSON.parse(text).close?.queuedAt))
      })
    const times = await Promise.all(Array.from({ length: 6 }, ask))
    expect(new Set(times)).toEqual(new Set([entry().queuedAt]))
    expect(queueFiles()).toHaveLength(1)
    const kept = git('for-each-ref', '--format=%(objectname)', 'refs/premath').trim()
    expect(kept).toBe(entry().commit)
  })

  test('[mcp.13.close-durable] two servers work it off once', async () => {
    put('check.sh', waitingCheck)
    commit()
    put('greeting.txt', 'hello\n')
    const [a, b] = [await server(), await server()]
    const both = await Promise.all([a.call('issue_close', closing), b.call('issue_close', closing)])
    expect(both.map(({ isError }) => isError)).not.toContain(true)
    await expect.poll(() => hasBegun(1), soon).toBe(true)
    put('go', '')
    await expect.poll(() => stateOf(b), soon).toBe('closed')
    expect(hasBegun(2)).toBe(false)
    await isClosedOnce()
  })

  test('[mcp.14.close-door] a request of an earlier claim fails when it is worked off', () => {
    put('greeting.txt', 'hello\n')
    queued()
    done('issue', 'lease-release', 'bd-1', ...flags)
    const claim = asked(['issue', 'claim', 'bd-1', '--assignee', 'you', '--lease-id', 'other'])
    expect([claim.status, shown().failureClasses]).toEqual([0, ['lease_missing']])
    // The claim works the queue off first, so the request is put back as an agent could have left it.
    edit({ state: 'queued' })
    expect(asked(['land']).json.closes).toMatchObject([{ failureClasses: ['lease_fence_stale'] }])
    expect(row()).toMatchObject({ status: 'in_progress', lease: { lease_id: 'other' } })
  })

  test('[mcp.14.close-door] a lease that expired meanwhile closes nothing', () => {
    put('greeting.txt', 'hello\n')
    queued()
    const late = asked(['land'], {
      laterFrom: { path: at('greeting.txt'), ms: 7_200_000 },
    })
    expect(late.json.closes).toMatchObject([{ state: 'failed', failureClasses: ['lease_stale'] }])
    expect(row().status).toBe('in_progress')
  })

  test('[mcp.14.close-door] the policy is asked again when it is worked off', () => {
    put('greeting.txt', 'hello\n')
    queued()
    const linked = { schema: 1, surfaces: { cli: { mode: 'open' } } }
    put('.premath/policy.json', JSON.stringify(linked))
    expect(asked(['land']).json.closes).toMatchObject([
      { state: 'failed', failureClasses: ['mutation_not_granted'] },
    ])
    expect(row().status).toBe('in_progress')
  })

  test('[mcp.14.close-door] needs the lease of its caller before anything is queued', async () => {
    const { call } = await server()
    const none = await call('issue_close', { id: 'bd-1' })
    expect(none.json.failureClasses).toEqual(['lease_proof_missing'])
    const stale = await call('issue_close', { id: 'bd-1', leaseId: lease.leaseId, fence: 0 })
    expect(stale.json.failureClasses).toEqual(['lease_fence_stale'])
    done('issue', 'add', 'Two')
    const unheld = await call('issue_close', { id: 'bd-2' })
    expect(unheld.json.failureClasses).toEqual(['lease_missing'])
    expect((await call('issue_close', { id: 'bd-9' })).json.failureClasses).toEqual([
      'issue_not_found',
    ])
    expect(existsSync(at('.premath/closes'))).toBe(false)
  })

  test('[mcp.14.close-door] the work of a step queues nothing and works nothing off', async () => {
    const inStep = { PREMATH_STEP_ID: 'step-1' }
    const asks = ['issue', 'close', 'bd-1', '--queue', ...flags]
    expect(asked(asks, { env: inStep }).json.failureClasses).toEqual(['mutation_not_granted'])
    put('greeting.txt', 'hello\n')
    queued()
    expect(asked(['land'], { env: inStep }).json.closes).toEqual([])
    expect([row().status, entry().state]).toEqual(['in_progress', 'queued'])
  })

  test('of an issue that somebody else closed meanwhile is done', () => {
    queued()
    const forced = ['--force', '--reason', 'Not needed any more']
    done('close', 'bd-1', ...forced, ...flags)
    expect(asked(['land'])).toMatchObject({ status: 0, json: { closes: [{ state: 'closed' }] } })
    expect(closedRows()).toHaveLength(1)
  })

  test('whose file is broken is shown as failed, and can be asked for again', () => {
    put('greeting.txt', 'hello\n')
    queued()
    writeFileSync(queueFile(), '{"schema":1')
    expect(shown()).toMatchObject({ state: 'failed', failureClasses: ['close_request_invalid'] })
    expect(asked(['land'])).toMatchObject({ status: 0, json: { closes: [] } })
    queued()
    expect(asked(['land']).json.closes).toMatchObject([{ state: 'closed' }])
  })

  test('whose folder is outside of the project closes nothing', () => {
    put('greeting.txt', 'hello\n')
    queued()
    const elsewhere = join(project.folders, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    edit({ folder: elsewhere })
    expect(asked(['land']).json.closes).toMatchObject([
      { failureClasses: ['close_request_invalid'] },
    ])
  })

  test('waits while another process works the queue off', async () => {
    put('greeting.txt', 'hello\n')
    queued()
    const lock = await nodeDisk.lock(at('.premath/closes/queue.lock'), 10_000)
    expect(lock.held).toBe(true)
    expect(asked(['land']).json).toMatchObject({ closes: [], waiting: 1 })
    if (lock.held) await lock.release()
    expect(asked(['land']).json).toMatchObject({ closes: [{ state: 'closed' }], waiting: 0 })
  })

  test('takes no flag that chooses its verification', () => {
    for (const flag of [['--force'], ['--verify'], ['--verify-cmd', 'true']]) {
      const { status, json } = asked(['issue', 'close', 'bd-1', '--queue', ...flag])
      expect([status, json.error.code]).toEqual([2, 'usage'])
    }
  })

  test('without --queue is an update of the status', () => {
    const args = ['issue', 'close', 'bd-1', '--verify-cmd', 'true', ...flags]
    expect(asked(args)).toMatchObject({ status: 0, json: { action: 'issue.update' } })
    expect(row().status).toBe('closed')
  })
})

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

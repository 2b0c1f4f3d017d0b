/** Clients that do not keep to the protocol, over stdio. `npm run torture` sends many more messages. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { beforeEach, expect, test } from 'vitest'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { aProject } from '../a-project.ts'
import { main } from '../built-command.ts'
import { isTorture, seeded, seedOf } from '../sim/seeded.ts'
import { withoutResident } from './a-client.ts'

const project = aProject()
const messages = isTorture ? 100_000 : 1_000
const seed = seedOf(process.env)

beforeEach(() => {
  project.done('init')
  project.done('issue', 'add', 'One')
})

const initialize = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'hostile', version: '1' },
  },
}
const call = (id: number | string, name = 'issue_ready', args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** A server, and what it answered so far by id. */
function started() {
  const child = spawn(process.execPath, [main, 'mcp-serve'], {
    cwd: project.folder,
    env: withoutResident(project.env),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const answers = new Map<unknown, ReturnType<typeof JSON.parse>>()
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = JSON.parse(line)
    answers.set(answer.id, answer)
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<number | null>(settle => child.once('close', settle))
  const send = (message: unknown) =>
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const answerTo = async (id: unknown) => {
    await expect.poll(() => answers.has(id)).toBe(true)
    return answers.get(id)
  }
  return { child, answers, ended, send, answerTo }
}

/** Nobody holds the lock of issue memory. */
async function mustBeFree(): Promise<void> {
  const lock = await nodeDisk.lock(`${project.issues}.lock`, 60_000)
  expect(lock.held).toBe(true)
  if (lock.held) await lock.release()
  expect(project.asked(['doctor']).status).toBe(0)
}

const junk = [
  '',
  '{',
  'null',
  '[]',
  '[[]]',
  '1',
  '"text"',
  '{}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":7}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["x"]}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue_show","arguments":[]}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue_show","arguments":{"__proto__":1,"id":{"a":1}}}}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":7}}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"premath://issue/../../etc"}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}',
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"issue_show","arguments":{"id":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}`,
  '\u0000\ufffd\u2028',
]

/** One of these, or one with a character changed. */
function malformed(chance: () => number): string {
  const text = junk[Math.floor(chance() * junk.length)] ?? ''
  if (chance() < 0.5) return text
  const at = Math.floor(chance() * text.length)
  return `${text.slice(0, at)}${String.fromCharCode(32 + chance() * 95)}${text.slice(at + 1)}`
}

test(`[mcp.8.hostile] ${messages} malformed messages do not end the server (seed ${seed})`, async () => {
  const { child, ended, send, answerTo } = started()
  const chance = seeded(seed)
  send(initialize)
  await answerTo('init')
  for (let at = 0; at < messages; at++) {
    if (!send(malformed(chance))) await new Promise(settle => child.stdin.once('drain', settle))
  }
  send(call('last'))
  expect((await answerTo('last')).result.structuredContent).toMatchObject({ count: 1 })
  child.stdin.end()
  expect(await ended).toBe(0)
})

test('[mcp.8.hostile] malformed messages before the first request do not end it either', async () => {
  const { child, ended, send, answerTo } = started()
  for (const text of junk.filter(text => !text.includes('"initialize"'))) send(text)
  send(initialize)
  send(call('last'))
  expect((await answerTo('last')).id).toBe('last')
  child.stdin.end()
  expect(await ended).toBe(0)
})

test('[mcp.8.hostile] a client that vanishes leaves no process and no lock', async () => {
  project.premath(['policy', 'show'])
  const { child, ended, send, answerTo } = started()
  send(initialize)
  await answerTo('init')
  for (let at = 0; at < 50; at++) send(call(at, 'issue_add', { title: `Issue ${at}` }))
  child.stdout.destroy()
  child.stdin.destroy()
  expect(await ended).toBe(0)
  await mustBeFree()
})

test('[mcp.8.hostile] half a message is no request, and ends with its client', async () => {
  const { child, ended, send, answerTo } = started()
  send(initialize)
  await answerTo('init')
  child.stdin.write(JSON.stringify(call(1)).slice(0, 40))
  child.stdin.end()
  expect(await ended).toBe(0)
  await mustBeFree()
})

test('[mcp.8.hostile] a message without an end closes the connection, and memory is bounded', async () => {
  const { child, ended, send, answerTo } = started()
  send(initialize)
  await answerTo('init')
  const part = 'x'.repeat(1024 * 1024)
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  for (let sent = 0; sent < 64 && !isOver; sent++) {
    if (!child.stdin.write(part)) {
      await Promise.race([ended, new Promise(settle => child.stdin.once('drain', settle))])
    }
  }
  expect(isOver).toBe(true)
  expect(await ended).toBe(0)
  await mustBeFree()
})

test('[mcp.8.hostile] 10,000 requests at once are answered or turned away, each with its reason', async () => {
  const { child, answers, ended, send } = started()
  send(initialize)
  const flood = 10_000
  for (let id = 0; id < flood; id++) send(call(id, 'issue_ready', { limit: 1 }))
  await expect.poll(() => answers.size, { timeout: 240_000 }).toBe(flood + 1)
  answers.delete('init')
  const errors = [...answers.values()].filter(({ result }) => result?.isError)
  expect(errors.length).toBeLessThan(flood)
  for (const { result } of errors) {
    expect(result.structuredContent).toMatchObject({ error: { code: 'unavailable' }, exitCode: 3 })
  }
  child.stdin.end()
  expect(await ended).toBe(0)
  await mustBeFree()
})

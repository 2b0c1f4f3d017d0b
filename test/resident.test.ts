/** The resident process, with real processes and sockets. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../src/kernel/json.ts'
import { type Called, callOperation } from '../src/operations/call.ts'
import { ancestors } from '../src/world/proc.ts'
import { residents, rowOf } from './a-resident.ts'
import { evidence } from './a-turn.ts'
import { main } from './built-command.ts'
import { isTorture } from './sim/seeded.ts'

const aProject = residents()
/** Without the time of the question. */
const timeless = ({ text, exitCode, isError }: Called) => ({
  text: text.replace(/"checkedAt": ".*"/, ''),
  exitCode,
  isError,
})
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the resident process', () => {
  test('starts when somebody asks, who has the answer at once', async () => {
    const project = aProject()
    expect(await project.status()).toBeUndefined()
    expect(await project.call('issue ready')).toMatchObject({ exitCode: 0, isError: false })
    await project.warm()
    // Two questions may start two processes; the second one ends.
    const { pid } = (await project.status()) ?? {}
    await expect.poll(() => project.pids()).toEqual([pid])
  })

  test('answers as the command does, word for word', async () => {
    const project = aProject(
      rowOf('bd-1', 'ä', { priority: 1 }) +
        rowOf('bd-2', 'b', {
          dependencies: [{ issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }],
        }),
    )
    await project.warm()
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['issue ready', { limit: 1 }],
      ['issue ready', { limt: 1 }],
      ['issue list', { status: 'open' }],
      ['issue show', { id: 'bd-2' }],
      ['issue show', { id: 'bd-9' }],
      ['issue blocked', {}],
      ['issue check', {}],
      ['issue lease-projection', {}],
      ['dep diagnostics', {}],
      ['dep tree', { id: 'bd-2' }],
      ['harness-session read', {}],
      ['harness-feature read', {}],
      ['harness-feature next', {}],
      ['harness-join-check', { input: evidence(['a']) as never }],
      ['harness-join-check', { input: { results: 1.0 } }],
      ['prime', {}],
      ['prime', { issue: 'bd-1' }],
    ]
    for (const [command, args] of calls) {
      const before = (await project.status())?.questions ?? 0
      const called = await project.call(command, args)
      expect((await project.status())?.questions, command).toBe(before + 1)
      const expected = await callOperation(command, args, project.context())
      expect(timeless(called), command).toEqual(timeless(expected))
    }
  })

  test('goes by the variables of whoever asks', async () => {
    const project = aProject()
    await project.warm()
    writeFileSync(join(project.root, 'other.jsonl'), rowOf('other-1'))
    const called = await project.call('issue ready', {}, { PREMATH_ISSUES_PATH: 'other.jsonl' })
    expect(called.output['items']).toMatchObject([{ id: 'other-1' }])
    expect((await project.call('issue ready')).output['count']).toBe(2)
    const primed = await project.call('prime', {}, { PREMATH_ISSUE_ID: 'bd-2' })
    expect(primed.output['issueId']).toBe('bd-2')
  })

  test('is one, however many are started at once', async () => {
    const project = aProject()
    const started = Array.from({ length: 3 }, () => project.serve())
    await project.running()
    await expect.poll(() => project.pids()).toHaveLength(1)
    const { pid } = (await project.status()) ?? {}
    const losers = started.filter(({ child }) => child.pid !== pid)
    expect(losers).toHaveLength(2)
    for (const { ended } of losers) {
      const { status, json } = await ended
      expect(status).toBe(4)
      expect(json.error.message).toContain(`runs already: pid ${pid} `)
    }
  })

  test('is started again after it was killed, and replaces its socket', async () => {
    const project = aProject()
    await project.warm()
    const [first = 0] = project.pids()
    process.kill(first, 'SIGKILL')
    await expect.poll(() => project.pids()).not.toContain(first)
    expect(existsSync((await project.place()).socket)).toBe(true)
    expect(await project.call('issue ready')).toMatchObject({ exitCode: 0 })
    await project.warm()
    expect(project.pids()).not.toContain(first)
  })

  test('ends when nobody asks', async () => {
    const project = aProject()
    const { ended } = project.serve(['--idle-seconds', '1'])
    expect(await ended).toEqual({ status: 0, json: { action: 'resident.serve', ended: 'idle' } })
    expect(existsSync((await project.place()).socket)).toBe(false)
  })

  test('ends at SIGTERM, and lets its lock go', async () => {
    const project = aProject()
    const { child, ended } = project.serve()
    await project.running()
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: 0, json: { ended: 'stopped' } })
    expect(readFileSync((await project.place()).lock, 'utf8')).toBe('')
  })

  test.each<[string, (root: string) => void]>([
    ['its project is gone', root => rmSync(join(root, '.premath'), { recursive: true })],
    [
      'its setting is off',
      root => writeFileSync(join(root, '.premath/config.json'), '{ "residentMemory": "off" }'),
    ],
    ['its program was replaced', () => chmodSync(main, 0o755)],
  ])('ends when %s', async (_why, change) => {
    const project = aProject()
    const { ended } = project.serve()
    await project.running()
    change(project.root)
    expect(await project.say(project.question('issue ready'))).toBe('{"refused":"ending"}')
    expect(await ended).toMatchObject({ status: 0, json: { ended: 'outdated' } })
  })

  test('ends for a client of another version, which starts its own', async () => {
    const project = aProject()
    const { ended } = project.serve()
    await project.running()
    const other = { ...project.question('issue ready'), premath: '0.0.0' }
    expect(await project.say(other)).toBe('{"refused":"version"}')
    expect(await ended).toMatchObject({ json: { ended: 'stopped' } })
  })

  test('[resident.4.private] can be reached by its user alone', async () => {
    const project = aProject()
    await project.warm()
    const { socket } = await project.place()
    expect(modeOf(socket)).toBe(0o600)
    expect(modeOf(join(socket, '..'))).toBe(0o700)
  })

  test('inherits no secret, no folder and no session', async () => {
    const project = aProject()
    const secrets = { GITHUB_TOKEN: 'x', PREMATH_WORKER_ID: 'w', CLAUDECODE: '1', NODE_OPTIONS: '' }
    await project.call('issue ready', {}, secrets)
    await project.running()
    const [pid] = project.pids()
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .flatMap(entry => (entry === '' ? [] : [entry.split('=')[0]]))
    expect(names.toSorted()).toEqual(['PATH', 'PREMATH_ROOT', 'XDG_RUNTIME_DIR'])
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/')
    const [, , , , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
    expect(session).toBe(String(pid))
  })
})

describe('inside a step', () => {
  test('[resident.1.no-step] nobody asks or starts it by the variable of the step', async () => {
    const project = aProject()
    const callInStep = () => project.call('issue ready', {}, { PREMATH_STEP_ID: 's' })
    expect(await callInStep()).toMatchObject({ exitCode: 0 })
    expect([project.launches, project.pids()]).toEqual([0, []])
    expect(await project.serve([], { PREMATH_STEP_ID: 's' }).ended).toMatchObject({ status: 1 })
    await project.warm()
    const questions = async () => (await project.status())?.questions
    const before = await questions()
    expect(await callInStep()).toMatchObject({ exitCode: 0 })
    expect(await questions()).toBe(before)
    await project.call('issue ready')
    expect(await questions()).toBe((before ?? 0) + 1)
  })

  test('[resident.1.no-step] nobody asks or starts it whose ancestors belong to the step', async () => {
    const project = aProject()
    const [group] = ancestors()
    mkdirSync(join(project.root, '.premath/steps'))
    const journal = `${JSON.stringify({ stepId: 's', group })}\n`
    writeFileSync(join(project.root, '.premath/steps/s.jsonl'), journal)
    expect(await project.call('issue ready')).toMatchObject({ exitCode: 0 })
    expect([project.launches, project.pids()]).toEqual([0, []])
    const { status, json } = await project.serve().ended
    expect(status).toBe(1)
    expect(json.error.message).toContain('start a process that outlives its step')
    rmSync(join(project.root, '.premath/steps/s.jsonl'))
    await project.warm()
    const questions = async () => (await project.status())?.questions
    const before = await questions()
    writeFileSync(join(project.root, '.premath/steps/s.jsonl'), journal)
    expect(await project.call('issue ready')).toMatchObject({ exitCode: 0 })
    expect(await questions()).toBe(before)
  })
})

test('it is not started in CI, nor where the setting is off', async () => {
  const project = aProject()
  await project.call('issue ready', {}, { CI: 'true' })
  writeFileSync(join(project.root, '.premath/config.json'), '{ "residentMemory": "off" }')
  await project.call('issue ready')
  expect([project.launches, project.pids()]).toEqual([0, []])
  expect(await project.serve().ended).toMatchObject({ status: 2 })
})

describe('a resident process that is asked to write', () => {
  test('[resident.2.reads-only] refuses every command that writes, however its arguments are written', async () => {
    const project = aProject()
    project.serve()
    await project.running()
    const input = evidence(['a']) as never
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['issue claim-next', { assignee: 'w' }],
      ['issue add', { title: 'x' }],
      ['init', {}],
      ['resident serve', {}],
      ['no such command', {}],
      ['constructor', {}],
      ['harness-join-check', { input, writeWitness: true }],
      ['harness-join-check', { input, 'Write-Witness': true }],
    ]
    const before = readFileSync(project.issues, 'utf8')
    for (const [command, args] of calls) {
      const reply = await project.say(project.question(command, args))
      expect(reply, command).toBe('{"refused":"not_answered"}')
    }
    expect(readFileSync(project.issues, 'utf8')).toBe(before)
    expect(readdirSync(join(project.root, '.premath'))).toEqual(['issues.jsonl'])
  })

  test('[resident.2.reads-only] leaves no file in the project, and a change is made by whoever asks', async () => {
    const many = Array.from({ length: 900 }, (_, at) => rowOf(`bd-${at}`, 'x'.repeat(200)))
    const project = aProject(many.join(''))
    project.serve()
    await project.running()
    await project.say(project.question('issue ready'))
    expect(readdirSync(join(project.root, '.premath'))).toEqual(['issues.jsonl'])
    const claimed = await project.call('issue claim', { id: 'bd-1', assignee: 'w' })
    expect(claimed).toMatchObject({ exitCode: 0 })
    expect((await project.call('issue show', { id: 'bd-1' })).output).toMatchObject({
      issue: { assignee: 'w' },
    })
  })
})

describe('clients that misbehave', () => {
  test('malformed lines are refused, and the next one is answered', async () => {
    const project = aProject()
    project.serve()
    await project.running()
    const good = project.question('issue ready')
    const { question } = good
    const lines = [
      '',
      '{',
      '[]',
      'null',
      '\0',
      '{"ask":"answer"}',
      { ...good, ask: 'write' },
      { ...good, question: null },
      { ...good, question: { ...question, args: [] } },
      { ...good, question: { ...question, cwd: 'relative' } },
      { ...good, question: { ...question, env: { A: 1 } } },
      { ...good, question: { ...question, surface: 'x' } },
    ]
    for (const line of lines) {
      expect(await project.say(line)).toBe('{"refused":"malformed"}')
    }
    expect(await project.say(good)).toMatch(/^\{"answer":/)
  })

  test('who floods, vanishes or sends half a message leaves no lock and no process', async () => {
    const project = aProject()
    const { ended } = project.serve(['--idle-seconds', '3'])
    await project.running()
    const line = `${JSON.stringify(project.question('issue ready'))}\n`
    const flood = await project.connected()
    flood.write(line.repeat(10_000))
    const half = await project.connected()
    half.write(line.slice(0, 40))
    for (let at = 0; at < 100; at++) (await project.connected()).destroy()
    expect(await project.say(project.question('issue ready'))).toMatch(/^\{"answer":/)
    flood.destroy()
    expect(await ended).toMatchObject({ json: { ended: 'idle' } })
    expect(readFileSync((await project.place()).lock, 'utf8')).toBe('')
    expect(project.pids()).toEqual([])
  })
})

/** Writes the number in each of these ways, in turn, and says when it is written. */
const writer = `
  const fs = require('node:fs')
  const path = process.argv[1]
  const filler = fs.readFileSync(path, 'utf8').split('\\n').slice(1).join('\\n')
  const row = n => JSON.stringify({ id: 'bd-1', title: String(n).padStart(8, '0') }) + '\\n'
  const ways = [
    n => fs.appendFileSync(path, row(n)),
    n => { fs.writeFileSync(path + '.new', row(n) + filler); fs.renameSync(path + '.new', path) },
    n => { const f = fs.openSync(path, 'r+'); fs.writeSync(f, row(n), 0); fs.closeSync(f) },
    n => { const f = fs.openSync(path, 'r+'); fs.writeSync(f, row(n), 0); fs.closeSync(f) },
    n => fs.writeFileSync(path, row(n) + filler),
    n => fs.appendFileSync(path, row(n)),
  ]
  require('node:readline').createInterface({ input: process.stdin }).on('line', n => {
    ways[n % ways.length](n)
    process.stdout.write(n + '\\n')
  })`

test('[resident.3.never-stale] a change of another process is in the next answer', async () => {
  const filler = Array.from({ length: 50 }, (_, at) => rowOf(`x-${at}`)).join('')
  const project = aProject(rowOf('bd-1', '00000000') + filler)
  project.serve()
  await project.running()
  const child = spawn(process.execPath, ['-e', writer, project.issues])
  const written = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const asked = project.question('issue show', { id: 'bd-1' })
  // After an append the first row no longer counts, so each round of ways begins with a whole file.
  for (let number = 1; number <= (isTorture ? 20_000 : 1500); number++) {
    child.stdin.write(`${number}\n`)
    await written.next()
    const { answer } = JSON.parse(await project.say(asked))
    expect(answer.text).toContain(`"title": "${String(number).padStart(8, '0')}"`)
  }
  child.stdin.end()
})

test('people see it and stop it', async () => {
  const project = aProject()
  const ask = async (...words: readonly string[]) =>
    await new Promise<string>(settle => {
      const child = spawn(process.execPath, [main, 'resident', ...words], {
        cwd: project.root,
        env: project.env,
      })
      let text = ''
      child.stdout.on('data', piece => {
        text += piece
      })
      child.on('close', () => settle(text))
    })
  expect(await ask('status')).toBe('No resident process runs for this project.\n')
  expect(await ask('stop')).toBe('No resident process runs.\n')
  const { child, ended } = project.serve()
  await project.running()
  expect(await ask('status')).toMatch(
    new RegExp(`^Process ${child.pid} runs since .* and answered 0 questions\\.\\n$`),
  )
  expect(await ask('stop')).toBe('Ended the resident process.\n')
  expect(await ended).toMatchObject({ json: { ended: 'stopped' } })
})

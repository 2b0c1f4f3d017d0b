/** The command that a run starts when something needs attention. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { notifier, notifyTimeoutMs } from '../src/harness/loop/notify.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { SimProcesses } from '../src/testing/sim-processes.ts'
import type { Attention } from '../src/wire/run/attention.ts'
import { aLoop, does, linesIn, named } from './a-loop.ts'

const loop = aLoop()
const { add, at, worker } = loop

/** Three issues that fail alike are a matter for a person. */
const threeIssues = () => {
  loop.repository()
  for (const title of ['One', 'Two', 'Three']) add(title)
}

const failing = (...more: readonly string[]) => does('exit 3', 'true', ...more)
const told = 'printf "%s\\n" "$PREMATH_ATTENTION" >> told.jsonl; echo "$PREMATH_ISSUE_ID" >> ids'
const toldRows = () => linesIn(readFileSync(at('told.jsonl'), 'utf8'))
const byTime = (rows: ReturnType<typeof toldRows>) =>
  rows.map(row => JSON.stringify(row)).toSorted()

describe('the notify command', () => {
  test('gets each attention and its issue, in the folder of the project', () => {
    threeIssues()
    const { status, stderr } = worker(failing('--notify-cmd', told))
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(loop.attention().length).toBeGreaterThan(0)
    expect(byTime(toldRows())).toEqual(byTime(loop.attention()))
    const ids = readFileSync(at('ids'), 'utf8').split('\n').slice(0, -1)
    expect(ids.toSorted()).toEqual(
      loop
        .attention()
        .map(({ issueId = '' }) => issueId)
        .toSorted(),
    )
  })

  test('is a setting, for every kind of run', () => {
    threeIssues()
    loop.done('config', 'set', 'notifyCommand', told)
    loop.done('config', 'set', 'land', 'none')
    const { status } = loop.premath(['run', ...failing('--no-baseline')])
    expect(status).toBe(1)
    expect(byTime(toldRows())).toEqual(byTime(loop.attention()))
  })

  test('that fails is reported before the end, and changes nothing', () => {
    add('One')
    loop.done('issue', 'update', 'bd-1', '--status', 'blocked')
    const { status, events } = worker(
      does('true', 'test -d .premath', '--notify-cmd', 'echo no route >&2; exit 7'),
    )
    expect(status).toBe(0)
    expect(named(events, 'attention')).toHaveLength(1)
    expect(named(events, 'note').map(({ message }) => message)).toEqual([
      'not sandboxed: the sandbox is off',
      'the notify command ended with exit code 7: no route',
    ])
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', why: 'idle', attention: 1 })
  })

  test('does not run if nothing needs attention', () => {
    add('One')
    expect(worker(does('true', 'true', '--notify-cmd', told)).status).toBe(0)
    expect(existsSync(at('told.jsonl'))).toBe(false)
  })
})

const row: Attention = {
  schema: 1,
  attentionKind: 'premath.harness.attention.v1',
  at: '2026-02-22T12:00:00Z',
  runId: 'r',
  about: 'work_blocked',
  message: 'm',
  next: 'n',
}

test('a notify command that takes too long is ended and reported', async () => {
  const disk = new SimDisk()
  await disk.makeFolder('/p')
  const processes = new SimProcesses({ disk, script: () => ({ takesMs: notifyTimeoutMs + 1 }) })
  const notes: string[] = []
  await notifier('slow', { processes, root: '/p', env: {} }, note => notes.push(note))(row)
  expect(notes).toEqual(['the notify command timed out'])
})

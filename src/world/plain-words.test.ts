import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeProcesses } from './node-processes.ts'
import { plainWords } from './plain-words.ts'
import type { CommandSpec } from './world.ts'

const root = mkdtempSync(join(tmpdir(), 'premath-plain-words-'))
const path = `/nowhere:${root}/bin:${process.env['PATH']}`

/** Says whether what a command waited at is still open. */
const waited = '#!/bin/sh\n{ true <&3; } 2>/dev/null && echo open || echo closed\n'

beforeAll(() => {
  mkdirSync(`${root}/bin/folder`, { recursive: true })
  for (const name of ['agent', 'text', 'test', 'print']) writeFileSync(`${root}/bin/${name}`, '')
  writeFileSync(`${root}/bin/waited`, waited)
  for (const name of ['agent', 'test', 'print', 'waited']) chmodSync(`${root}/bin/${name}`, 0o755)
})
afterAll(() => rmSync(root, { recursive: true }))

describe('words that a shell has nothing to do with', () => {
  test.each([
    ['agent', ['agent']],
    ['agent  run', ['agent', 'run']],
    [
      'agent --model=some-1.5 a/b a@b,c:d %1 +x',
      ['agent', '--model=some-1.5', 'a/b', 'a@b,c:d', '%1', '+x'],
    ],
    ['./not-there one', ['./not-there', 'one']],
    ['/bin/test one', ['/bin/test', 'one']],
  ])('%s', (text, words) => expect(plainWords(text, path)).toEqual(words))
})

describe('left to a shell', () => {
  test.each([
    ['nothing', ''],
    ['what it expands', 'agent $HOME'],
    ['what it expands to names', 'agent *.md'],
    ['a home', 'agent ~/a'],
    ['quotes', "agent 'a b'"],
    ['two commands', 'agent && agent'],
    ['two lines', 'agent\nagent'],
    ['a tab', 'agent\tone'],
    ['a redirection', 'agent <in'],
    ['a comment', 'agent #one'],
    ['an assignment', 'A=1 agent'],
    ['a blank in front', ' agent'],
    ['what it knows itself', 'exit 3'],
    ['what it knows itself, though there is such a program', 'test one'],
    ['what another one knows itself', 'print one'],
    ['what is nowhere', 'no-such-program'],
    ['a file that is no program', 'text'],
    ['a folder', 'folder'],
  ])('%s', (_, text) => expect(plainWords(text, path)).toBeUndefined())

  test('all, where nobody says what programs there are', () => {
    expect(plainWords('agent', undefined)).toBeUndefined()
    expect(plainWords('agent', ':relative')).toBeUndefined()
  })
})

describe('a command that waits until it is let run', () => {
  const spec = (command: string): CommandSpec => ({
    command,
    cwd: root,
    env: { PATH: process.env['PATH'] },
    timeoutMs: 50_000,
    outputBytesMax: 100_000,
    beforeRun: async () => {},
  })

  test('ends by its own signal where a shell would only wait for it', async () => {
    const running = await nodeProcesses.start(spec('sleep 60'))
    process.kill(running.group?.id ?? 0, 'SIGKILL')
    expect(await running.end).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  test.each<[string, number, string]>([
    ['exit 3', 3, ''],
    ['true', 0, ''],
    ['node -p 1+1', 0, '2\n'],
    ['echo a  b', 0, 'a b\n'],
    ['no-such-program one', 127, ''],
    ['./bin/text', 126, ''],
    ['./bin/waited', 0, 'closed\n'],
  ])('%s', async (command, exitCode, said) => {
    const end = await nodeProcesses.run(spec(command))
    expect(end).toMatchObject({ exitCode, signal: null })
    expect(end.stdout.tail).toBe(said)
  })
})

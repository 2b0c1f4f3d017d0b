/** Our own specs: run by the built command, and no command of it without one. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { findCommand } from '../src/cli/flags.ts'
import { cliCommand } from '../src/kernel/spec/case/cli-command.ts'
import { readDocument } from '../src/kernel/spec/document/read-document.ts'
import { operations } from '../src/operations/index.ts'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import { main } from './built-command.ts'

const documents = readdirSync('specs')
  .filter(name => name.endsWith('.spec.md'))
  .map(name => join('specs', name))
const cases = documents.flatMap(file => readDocument(readFileSync(file, 'utf8'), file).cases)

/** Commands whose specs are still to be written. A new one belongs into a document instead. */
const waiting: readonly string[] = []

/** Variables of whoever runs the tests are no part of what is shown. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(PREMATH_|SPEC_RUNNER_)/.test(name)),
)

function asked(...args: readonly string[]) {
  const words = [main, ...args, '--root', '.', '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  return { status, stderr, json: JSON.parse(stdout) }
}

// However busy the machine is: each case has a limit of its own.
test('every case of our own specs passes', { timeout: 600_000 }, () => {
  const { status, stderr, json } = asked('spec', 'run', 'specs', '--no-witness')
  const results: readonly SpecCaseResult[] = json.results
  const failed = results.filter(one => one.status !== 'pass')
  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([])
  expect({ status, stderr, passed: json.passed }).toEqual({
    status: 0,
    stderr: '',
    passed: cases.filter(({ type }) => type !== 'spec_lang.library').length,
  })
})

test('our own specs are clean', () => {
  const { status, json } = asked('spec', 'lint', 'specs')
  expect({ status, problems: json.problems }).toEqual({ status: 0, problems: [] })
})

test('each document is told of in the table of contents', () => {
  const links = [...readFileSync('specs/README.md', 'utf8').matchAll(/\]\((.+?\.spec\.md)\)/g)]
  const told = links.map(([, name = '']) => join('specs', name))
  const library = 'specs/answers.spec.md'
  expect([...told, library].sort()).toEqual([...documents].sort())
})

/** A case runs the command alone when it does nothing else; a session of several does not count. */
const alone: readonly string[] = ['sh specs/premath.sh', 'node dist/cli/main.cjs']

const commands = Object.keys(allCommands(operations))

/** The command of each case, and the exit code that it shows. */
const shown = cases.flatMap(({ type, value }) => {
  const read = type === 'cli.run' ? cliCommand(value) : undefined
  if (read === undefined || !('words' in read) || !alone.includes(read.words.join(' '))) return []
  return [{ command: findCommand(read.argv, commands).command, exitCode: read.exitCode }]
})

const exitCodesOf = (command: string) =>
  shown.filter(one => one.command === command).map(({ exitCode }) => exitCode)

describe.each(commands.filter(command => !waiting.includes(command)))('premath %s', command => {
  test('has a spec that shows it', () => {
    expect(exitCodesOf(command)).toContain(0)
  })

  test('has a spec in which it fails', () => {
    expect(exitCodesOf(command).filter(code => code !== 0)).not.toEqual([])
  })
})

test('no command waits for a spec that is there', () => {
  expect(waiting.filter(command => exitCodesOf(command).length > 0)).toEqual([])
})

test('every kind of answer is shown', () => {
  const kinds = new Set(shown.map(({ exitCode }) => exitCode))
  // The environment failing (3) takes a broken disk, which no spec should depend on.
  expect([...kinds].sort()).toEqual([0, 1, 2, 4, 5])
})

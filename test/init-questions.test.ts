/** `premath init` asks a person at a terminal for the first settings. */
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { JsoncFlaw } from '../src/kernel/config/jsonc.ts'
import { readConfig } from '../src/kernel/config/read-config.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { Terminal } from './a-terminal.ts'
import { checkedOperations } from './checked-answers.ts'

const path = '/p/.premath/config.json'

async function init(input: string, { args = [], env = {}, files = {} }: Asked = {}) {
  const disk = new SimDisk({ files: { '/p/README.md': '', ...files } })
  const err = new Terminal(100, 24)
  const world = simWorld({ disk, cwd: '/p', isAtTerminal: true, input, env })
  const exit = await runCommand(['init', ...args], checkedOperations, { ...world, err })
  const text = new TextDecoder().decode(disk.contentOf(path))
  const issues = new TextDecoder().decode(disk.contentOf('/p/.premath/issues.jsonl'))
  return { exit, text, issues, asked: err.writes.join(''), out: world.printed.out }
}

interface Asked {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

function configIn(text: string) {
  const read = readConfig(text)
  if (read instanceof JsoncFlaw) throw new Error(read.why)
  return read.config
}

test('answers become settings', async () => {
  const { exit, text, asked } = await init('agent "run" ü\nnpm test\n4\n')
  expect(exit).toBe(0)
  expect(configIn(text)).toMatchObject({ work: 'agent "run" ü', verify: 'npm test', workers: 4 })
  expect(asked).toContain('Settings for .premath/config.json. Press Enter to leave one out.')
})

test('an answer left out stays a comment, and a bad one is asked again', async () => {
  const { text, asked } = await init('\nnpm test\nmany\n0\n2\n')
  expect(configIn(text)).toMatchObject({ verify: 'npm test', workers: 2 })
  expect(text).toContain('// "work": ')
  expect(asked.match(/workers must be a whole number from 1\. Try again: /g)).toHaveLength(2)
})

test('the end of the input ends the questions', async () => {
  const { exit, text } = await init('agent run\n')
  expect([exit, configIn(text).work, configIn(text).verify]).toEqual([0, 'agent run', undefined])
})

test.each<[string, Asked]>([
  ['with --yes', { args: ['--yes'] }],
  ['with --json', { args: ['--json'] }],
  ['in CI', { env: { CI: '1' } }],
])('nothing is asked %s', async (_, how) => {
  const { exit, text, asked } = await init('agent run\n', how)
  expect([exit, asked]).toEqual([0, ''])
  expect(text).toContain('// "work": ')
  expect(configIn(text).work).toBeUndefined()
})

test('an existing configuration is not asked for, and stays', async () => {
  const { exit, text, asked } = await init('agent run\n', { files: { [path]: '{"workers": 9}' } })
  expect([exit, text, asked]).toEqual([0, '{"workers": 9}', ''])
})

describe('issues of an earlier tool', () => {
  const legacy = '{"id":"a","title":"A"}\n{"id":"b","title":"B"}\n'
  const files = { '/p/.beads/issues.jsonl': legacy }
  const question = 'Import 2 issues from .beads/issues.jsonl? [Y/n] '
  const isCopied = /issues copied from \.beads\/issues\.jsonl/

  test.each(['\n', 'y\n', 'YES\n', 'what\ny\n', ''])('are imported on %j', async answer => {
    const { exit, issues, asked, out } = await init(answer, { files })
    expect([exit, issues]).toEqual([0, legacy])
    expect(asked).toContain(question)
    expect(out).toMatch(isCopied)
  })

  test('are left alone on no, and the settings are asked for', async () => {
    const { exit, issues, text, out } = await init('n\nagent run\n', { files })
    expect([exit, issues, configIn(text).work]).toEqual([0, '', 'agent run'])
    expect(out).not.toMatch(isCopied)
  })

  test('are imported without a question with --yes, and the answer says so', async () => {
    const { issues, asked, out } = await init('n\n', { files, args: ['--yes'] })
    expect([issues, asked]).toEqual([legacy, ''])
    expect(out).toMatch(isCopied)
  })

  test('are not asked about if there is issue memory', async () => {
    const memory = { '/p/.premath/issues.jsonl': '{"id":"c","title":"C"}\n' }
    const { issues, asked } = await init('', { files: { ...files, ...memory } })
    expect(issues).toContain('"c"')
    expect(asked).not.toContain('Import')
  })
})

import { expect, test } from 'vitest'
import { allCommands } from '../cli/commands.ts'
import { runCommand } from '../cli/run.ts'
import { SimDisk } from '../testing/sim-disk.ts'
import { simWorld } from '../testing/sim-world.ts'
import { operations } from './index.ts'
import { everydayCommands, meantBy, shortNames } from './short-names.ts'

const commands = allCommands(operations)

async function run(
  line: string,
  disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': '' } }),
) {
  const words = line.match(/"[^"]*"|\S+/g)?.map(word => word.replaceAll('"', '')) ?? []
  const world = simWorld({ disk, cwd: '/p', env: { NO_COLOR: '1' } })
  return { exit: await runCommand(words, commands, world), ...world.printed }
}

test('each short name answers as the command that it stands for', async () => {
  const row = { id: 'bd-1', title: 'One', status: 'open' }
  const files = {
    '/p/.premath/issues.jsonl': `${JSON.stringify(row)}\n`,
    '/p/turn.json': '{}',
  }
  const lines: Readonly<Record<string, readonly [short: string, long: string]>> = {
    add: ['add "Two" --priority 1', 'issue add "Two" --priority 1'],
    ready: ['ready', 'issue ready'],
    list: ['list --status open', 'issue list --status open'],
    show: ['show bd-1', 'issue show bd-1'],
    claim: ['claim bd-1 --assignee ana', 'issue claim bd-1 --assignee ana'],
    comment: [
      'comment bd-1 "Looks good" --author ana',
      'issue comment bd-1 "Looks good" --author ana',
    ],
    close: [
      'close bd-1 --force --reason moot',
      'issue update bd-1 --status closed --force --reason moot',
    ],
    reopen: ['reopen bd-1', 'issue update bd-1 --status open'],
    check: ['check turn.json', 'harness-join-check --input turn.json'],
  }
  expect(Object.keys(lines).toSorted()).toEqual(Object.keys(shortNames).toSorted())
  for (const [short, long] of Object.values(lines)) {
    const [asked, meant] = [new SimDisk({ files }), new SimDisk({ files })]
    expect(await run(`${short} --json`, asked)).toEqual(await run(`${long} --json`, meant))
    expect(asked.contents()).toEqual(meant.contents())
  }
})

test('a short name takes only what it needs, and names itself in its errors', async () => {
  expect(await run('close')).toMatchObject({
    exit: 2,
    err: 'error: close: <id> is missing\n  for example: premath close bd-1 --verify\n',
  })
  expect((await run('close bd-1 --title x')).err).toContain('close: unknown flag --title')
  expect((await run('reopen bd-1 --verify')).err).toContain('reopen: unknown flag --verify')
  expect((await run('help close')).out).toContain(
    'Short for: premath issue update --status closed\n',
  )
})

test('help fits on a screen, and all commands are behind --all', async () => {
  const { out } = await run('help')
  expect(out.split('\n').length).toBeLessThanOrEqual(40)
  for (const command of everydayCommands) expect(out).toMatch(new RegExp(`^  ${command} `, 'm'))
  const all = (await run('help --all')).out
  for (const command of Object.keys(commands)) expect(all).toContain(`  ${command} `)
})

test.each(Object.entries(meantBy))('%s is told that premath %s is meant', async (word, meant) => {
  expect(Object.keys(commands)).toContain(meant)
  expect(Object.keys(commands)).not.toContain(word)
  expect(await run(`${word} bd-1`)).toMatchObject({
    exit: 2,
    err: expect.stringContaining(`did you mean: premath ${meant}`),
  })
})

/** Every command that writes asks the policy first, over a disk in memory. */
import { expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { checkedOperations } from './checked-answers.ts'

const folder = '/project/.premath'

const edge = (issue_id: string, depends_on_id: string) => ({
  issue_id,
  depends_on_id,
  type: 'blocks',
})
const rows = [
  { id: 'a', title: 'A', status: 'open' },
  { id: 'b', title: 'B', status: 'open', dependencies: [edge('b', 'a')] },
  // The second edge is redundant, for the check that removes such edges.
  { id: 'c', title: 'C', status: 'open', dependencies: [edge('c', 'b'), edge('c', 'a')] },
]
const event = {
  schema: 'issue.event.v1',
  event_id: 'e',
  issue_id: 'a',
  occurred_at: '2026-02-22T00:00:00Z',
  action: 'upsert_issue',
  issue: rows[0],
}
const lines = (values: readonly object[]) => values.map(row => `${JSON.stringify(row)}\n`).join('')

/** The changes that need authority, by command. */
const writing: Readonly<Record<string, string>> = {
  'dep add': 'a d',
  'dep remove': 'b a',
  'dep replace': 'b a --to-type related',
  'issue add': 'New',
  'issue claim': 'a --assignee me',
  'issue claim-next': '--assignee me',
  'issue close': 'a --verify-cmd true',
  'issue comment': 'a Said',
  'issue compact': '',
  'issue discover': 'a New',
  'issue import': '/project/more.jsonl',
  'issue lease-release': 'a',
  'issue lease-renew': 'a --assignee me --lease-id l --fence 1',
  'issue migrate-events': '',
  'issue replay-events': '',
  'issue update': 'a --title Other',
  'issue-graph-check': '--fix',
  uninit: '--all --yes',
}

/** Commands that write and are looked at apart, and why. */
const beside: Readonly<Record<string, string>> = {
  'ci-instruction': 'runs an instruction, and writes its witness; refused in a step',
  'ci-pipeline-test': 'writes the witness of specs, as spec run does',
  'ci-required': 'writes witnesses of checks, which close no issue; refused in a step',
  'config set': 'writes settings, by people, and changes no issue',
  'observe-build': 'writes a projection, which decides nothing',
  'resident serve': 'answers questions, and writes nothing but its socket',
  'resident stop': 'ends a process that only reads',
  'harness-boot': 'tells of a step that was cut off also where nothing may be changed',
  'harness-escalate': 'asks the door for what its own tests show',
  'harness-feature write': 'writes a projection, which decides nothing; refused in a step',
  'harness-kpi remediate': 'writes a projection, which decides nothing about issues',
  'harness-loop coordinator': 'its workers go home before they claim, as their own tests show',
  'harness-loop worker': 'goes home before it claims, as its own tests show',
  'harness-relocation check': 'leaves a witness of work from elsewhere, and changes no issue',
  land: 'refuses before it claims, as a step does',
  'land revert': 'refuses before it verifies, as its own tests show',
  run: 'its workers go home before they claim, as those of the loop',
  'harness-session write': 'writes a projection, which decides nothing; refused in a step',
  'harness-join-check': 'leaves a witness where it is asked to, which decides nothing by itself',
  'harness-step': 'refuses before it claims, as its own tests show',
  'harness-stop': 'tells of what it could not give back',
  'harness-trajectory append': 'writes a projection, which decides nothing',
  repl: 'makes its changes by the commands that are tested here',
  'scheme-eval': 'makes its changes by the commands that are tested here',
  'spec create': 'writes a document of specs, which is no memory of issues',
  'spec format': 'writes documents of specs, which are no memory of issues',
  'spec update': 'writes documents of specs, which are no memory of issues',
  clean: 'removes outputs of steps and attempts, which decide nothing',
  doctor: 'tells of a closed door as of all it finds, and goes on looking',
  init: 'makes what is missing; to change the policy it asks, as shown below',
  'instruction new': 'writes an instruction, which people put in force, as its own tests show',
  'instruction-run': 'writes a witness, which the door asks for and does not believe',
  'merge-driver': 'writes the file that git hands it; git writes the memory',
  'policy restore': 'writes what is in force already, by people, as its own tests show',
  'policy set': 'puts a policy in force, by people and with a reason, as its own tests show',
  'spec run': 'leaves a witness, which decides nothing by itself',
  verify: 'leaves the witness of its specs, which decides nothing by itself',
  'trust add': 'adds a key whose signatures count, by people at a terminal, as its own tests show',
  'trust remove': 'removes a key whose signatures count, and lets nothing pass by that',
  'witness keygen': 'writes keys, which sign what is read and change no issue',
}

const mode = (name: string) => JSON.stringify({ schema: 1, surfaces: { cli: { mode: name } } })

function project(policy: string, tail = '') {
  const disk = new SimDisk({
    files: {
      // A row that was replaced, and a log that lacks rows: something to do for all.
      [`${folder}/issues.jsonl`]: lines([{ id: 'a', title: 'Before' }, ...rows]) + tail,
      [`${folder}/memory/events.jsonl`]: lines([event]),
      [`${folder}/policy.json`]: policy,
      '/project/more.jsonl': lines([{ id: 'y', title: 'Y' }]),
    },
  })
  const content = () =>
    Object.fromEntries(
      [...disk.contents()]
        .filter(([path]) => !/\.lock$|\/cache\//.test(path))
        .map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]),
    )
  const run = async (line: string) => {
    const world = simWorld({ disk, cwd: '/project', env: { NO_COLOR: '1' } })
    const exit = await runCommand(line.split(' ').filter(Boolean), checkedOperations, world)
    return { exit, ...world.printed }
  }
  return { run, content }
}

test('every writing command is tested here', async () => {
  const declared = await Promise.all(
    Object.entries(checkedOperations).map(
      async ([name, load]) => [name, (await load()).effect] as const,
    ),
  )
  const writers = declared.filter(([, effect]) => effect !== 'read').map(([name]) => name)
  expect(Object.keys({ ...writing, ...beside }).toSorted()).toEqual(writers.toSorted())
})

test.each(Object.entries(writing))('%s needs authority', async (command, args) => {
  const { run, content } = project(mode('instruction-linked'))
  const before = content()
  const { exit, out, err } = await run(`${command} ${args} --json`)
  expect({ exit, err }).toEqual({
    exit: 1,
    err: expect.stringContaining('takes changes only under an accepted instruction'),
  })
  expect(JSON.parse(out)).toMatchObject({ failureClasses: ['mutation_not_granted'] })
  expect(content()).toEqual(before)
})

test.each(Object.entries(writing))(
  '%s takes a reason if one is required',
  async (command, args) => {
    const { run } = project(mode('human-override'))
    expect((await run(`${command} ${args}`)).err).toContain('an override needs a reason')
    expect((await run(`${command} ${args} --reason stuck`)).err).not.toContain(
      'mutation_not_granted',
    )
  },
)

test('doctor fixes nothing without authority, and says so', async () => {
  const { run, content } = project(mode('human-override'), '{"id":"d","ti')
  const before = content()
  const { exit, out } = await run('doctor --fix')
  expect(exit).toBe(1)
  expect(out).toContain('an override needs a reason')
  expect(content()).toEqual(before)
  await run('doctor --fix --reason stuck')
  expect(content()[`${folder}/issues.jsonl`]).toBe(lines([{ id: 'a', title: 'Before' }, ...rows]))
})

test('init changes a policy only if that policy allows it, and leaves a record', async () => {
  const closed = project(mode('instruction-linked'))
  const before = closed.content()
  expect((await closed.run('init --ids hash')).exit).toBe(1)
  expect(closed.content()).toEqual(before)
  const override = project(mode('human-override'))
  expect((await override.run('init --ids hash')).err).toContain('an override needs a reason')
  expect((await override.run('init --ids hash --reason stuck')).exit).toBe(0)
  expect(override.content()[`${folder}/policy.json`]).toContain('"hash"')
  expect(override.content()[`${folder}/memory/grants.jsonl`]).toContain('"reason":"stuck"')
})

test('an override that writes no row of its own is recorded', async () => {
  const { run, content } = project(mode('human-override'))
  await run('issue compact --reason short')
  await run('issue migrate-events --reason log')
  await run('doctor --fix --reason sick')
  const grants = (content()[`${folder}/memory/grants.jsonl`] ?? '').trimEnd().split('\n')
  expect(grants.map(line => JSON.parse(line))).toMatchObject([
    { action: 'issue.compact', reason: 'short', mode: 'human-override' },
    { action: 'issue.migrate-events', reason: 'log' },
    { action: 'doctor', reason: 'sick' },
  ])
})

test('writing is refused without a trustworthy policy too', async () => {
  const { run, content } = project('{"schema":1}')
  const before = content()
  for (const [command, args] of Object.entries(writing)) {
    expect({ command, ...(await run(`${command} ${args}`)) }).toMatchObject({
      exit: 5,
      err: expect.stringContaining('it names no surfaces'),
    })
  }
  expect(content()).toEqual(before)
})

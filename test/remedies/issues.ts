/** Remedies about issues, leases and dependencies. */
import { appendFileSync, rmSync } from 'node:fs'
import { leased, open } from '../a-project.ts'
import type { Row } from './remedy.ts'

const one = ['premath init', 'premath issue add one']
const two = [...one, 'premath issue add two']
const claimed = [...one, 'premath issue claim bd-1 --assignee ann']

export const issueRemedies: readonly Row[] = [
  {
    remedy: 'premath issue list shows every id.',
    given: one,
    ask: 'premath issue show bd-7',
    shows: /bd-1/,
  },
  {
    remedy: 'Check the path. premath issue add creates it; premath init sets up a project.',
    given: [],
    ask: 'premath issue list',
    completes: { 'premath issue add': 'premath issue add one' },
  },
  {
    remedy: 'No issues yet. Next: premath add <title>',
    given: ['premath init'],
    ask: 'premath status',
    completes: { 'premath add <title>': 'premath add one' },
  },
  {
    remedy: 'premath ready',
    given: ['mkdir .beads', `echo '{"id":"bd-1","title":"x"}' > .beads/issues.jsonl`],
    ask: 'premath init',
    shows: /bd-1/,
  },
  {
    remedy: 'premath add "What is to be done"',
    given: [],
    ask: 'premath init',
    works: 'premath issue show bd-1',
  },
  {
    remedy: 'It is there already; premath dep tree shows it.',
    given: [...two, 'premath dep add bd-1 bd-2'],
    ask: 'premath dep add bd-1 bd-2',
    shows: /bd-2/,
  },
  {
    remedy: 'premath dep tree shows the edges.',
    given: two,
    ask: 'premath dep remove bd-1 bd-2',
    shows: /bd-1|no dependencies|without/,
  },
  {
    remedy: '… without dependencies; premath issue list shows them.',
    given: [...two, 'premath issue add three', 'premath dep add bd-1 bd-2'],
    ask: 'premath dep tree',
    shows: /bd-3/,
  },
  {
    remedy: 'Take other work: premath issue ready.',
    given: [...claimed, 'premath issue add two'],
    ask: 'premath issue claim bd-1 --assignee bob',
    shows: /bd-2/,
  },
  {
    remedy: 'Claim it first: premath issue claim.',
    given: one,
    ask: 'premath issue lease-renew bd-1 --assignee ann --lease-id l --fence 1',
    completes: { 'premath issue claim': 'premath issue claim bd-1 --assignee ann' },
    works: 'premath issue lease-renew bd-1 --assignee ann --lease-id lease1_bd-1_ann --fence 1',
  },
  {
    remedy:
      'Repeat the command with … in place of …. premath issue show … shows the issue with its lease and fence.',
    given: place =>
      place.project.given(open('bd-1'), {
        ...leased('bd-1-wsdu', 'bob', 60),
        metadata: { premathFence: 1, premathMergedFrom: 'bd-1' },
      }),
    ask: 'premath issue lease-renew bd-1 --assignee bob --lease-id lease1_bd-1-wsdu_bob --fence 1',
    shows: /bd-1-wsdu/,
  },
  {
    remedy: 'Stop working on it: somebody else may hold it. premath issue show tells.',
    given: claimed,
    ask: 'premath issue lease-renew bd-1 --assignee ann --lease-id lease1_bd-1_ann --fence 7',
    completes: { 'premath issue show': 'premath issue show bd-1' },
    shows: /ann/,
  },
  {
    remedy: 'premath dep remove … …… …',
    given: [...two, 'premath dep add bd-1 bd-2'],
    ask: 'premath issue claim bd-1 --assignee ann',
  },
  {
    remedy:
      'Close … first, or remove the dependency: premath dep remove. --force --reason <text> closes it all the same.',
    given: [...two, 'premath dep add bd-1 bd-2'],
    ask: 'premath close bd-1 --verify-cmd "test -d .premath"',
    completes: { 'premath dep remove': 'premath dep remove bd-1 bd-2' },
  },
  {
    remedy: "premath close … --verify-cmd '<command>' closes it if the command passes.",
    given: one,
    ask: 'premath close bd-1',
    completes: {
      "premath close bd-1 --verify-cmd '<command>'":
        "premath close bd-1 --verify-cmd 'test -d .premath'",
    },
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath issue update … --status closed --verify runs them first.',
    given: place => {
      place.write('a.spec.md', spec)
      place.run(...one, 'premath issue update bd-1 --spec a.spec.md', 'premath spec run a.spec.md')
      place.write('more', 'x')
    },
    ask: 'premath close bd-1',
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath issue update … --spec <file> names other ones.',
    given: place => {
      place.write('a.spec.md', spec)
      place.write('b.spec.md', spec)
      place.run(...one, 'premath issue update bd-1 --spec a.spec.md')
      rmSync(place.at('a.spec.md'))
    },
    ask: 'premath close bd-1 --verify',
    completes: {
      'premath issue update bd-1 --spec <file>': 'premath issue update bd-1 --spec b.spec.md',
    },
  },
  {
    remedy: '  … is closed there but not here: premath issue update … --status closed',
    given: place => {
      place.run(...one)
      place.write('rows.jsonl', `${JSON.stringify(open('bd-1', { status: 'closed' }))}\n`)
    },
    ask: 'premath issue import rows.jsonl --on-conflict replace',
    completes: {
      'premath issue update bd-1 --status closed':
        "premath issue update bd-1 --status closed --verify-cmd 'test -d .premath'",
    },
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath config set statuses <status> adds one.',
    given: one,
    ask: 'premath issue update bd-1 --status waiting',
    completes: { 'premath config set statuses <status>': 'premath config set statuses waiting' },
  },
  {
    remedy: '…  Remove one of its edges: premath dep remove.\n',
    given: place => place.project.given(...cycle),
    ask: 'premath dep diagnostics',
    completes: { 'premath dep remove': 'premath dep remove bd-1 bd-2' },
  },
  {
    remedy: 'premath issue-graph-check --fix',
    given: [
      ...two,
      'premath issue add three',
      'premath dep add bd-1 bd-2',
      'premath dep add bd-2 bd-3',
      'premath dep add bd-1 bd-3',
    ],
    ask: 'premath issue-graph-check',
    shows: /removed|redundant/i,
  },
  {
    remedy: 'Nothing was changed. premath issue migrate-events writes a new log from the rows.',
    given: place => {
      place.run(...two)
      appendFileSync(place.at('.premath/memory/events.jsonl'), 'nonsense\n{}\n')
    },
    ask: 'premath issue replay-events',
  },
  {
    remedy: 'Write one with premath issue migrate-events, or name another with --events.',
    given: place => {
      place.run(...one)
      rmSync(place.at('.premath/memory/events.jsonl'))
    },
    ask: 'premath issue replay-events',
  },
  {
    remedy: 'premath issue migrate-events writes the log from memory.',
    given: place => {
      place.run(...two)
      place.write('empty.jsonl', '')
    },
    ask: 'premath issue replay-events --events empty.jsonl',
    works: 'premath issue replay-events',
  },
  {
    remedy: 'Pass a copy as our version. To import rows, use premath issue import.',
    given: place => {
      place.run(...one)
      place.write('a.jsonl', `${JSON.stringify(open('bd-9'))}\n`)
    },
    ask: 'premath merge-driver a.jsonl .premath/issues.jsonl a.jsonl',
    completes: { 'premath issue import': 'premath issue import a.jsonl' },
    works: 'premath issue show bd-9',
  },
  {
    remedy: 'To verify the proof of the issue: premath witness verify …',
    given: [...one, "premath close bd-1 --verify-cmd 'test -d .premath'"],
    ask: 'premath verify bd-1',
    shows: /bd-1/,
  },
  {
    remedy:
      'it was closed by force: nothing was verified. To attest it, reopen it and close it with proof: premath issue update … --status open',
    given: [...one, 'premath close bd-1 --force --reason x'],
    ask: 'premath witness export bd-1 --attest',
    works: "premath close bd-1 --verify-cmd 'test -d .premath'",
  },
  {
    remedy: 'List every finding: premath witness verify --all.',
    given: place => place.project.given(open('bd-1', { status: 'closed' })),
    ask: 'premath witness export bd-1 --json',
    shows: /proof_missing/,
  },
  {
    remedy: 'premath witness list shows what is there.',
    given: [...one, "premath close bd-1 --verify-cmd 'test -d .premath'"],
    ask: 'premath witness show artifacts/nothing.json',
    shows: /verify/,
  },
  {
    remedy:
      'Name a digest or the start of one, a file, or an issue: premath witness list shows them.',
    given: [...one, "premath close bd-1 --verify-cmd 'test -d .premath'"],
    ask: 'premath witness show abcdef',
    shows: /verify/,
  },
  {
    remedy: 'premath run takes it over, or you do: premath claim … --assignee <name>.',
    given: place => place.project.given(leased('bd-1', 'gone', -60)),
    ask: 'premath status',
    leaves: {
      'premath run': 'A run needs commands; test/loop-run.test.ts takes expired work over.',
    },
    completes: { 'premath claim bd-1 --assignee <name>': 'premath claim bd-1 --assignee ann' },
    works: 'premath issue lease-renew bd-1 --assignee ann --lease-id lease1_bd-1_ann --fence 1',
  },
  {
    remedy:
      'Wait until the work has ended, or release it: premath issue lease-release … --lease-id … --fence ….',
    given: claimed,
    ask: 'premath uninit --yes',
  },
]

const edge = (from: string, to: string) => ({ issue_id: from, depends_on_id: to, type: 'blocks' })

const cycle = [
  open('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
  open('bd-2', { dependencies: [edge('bd-2', 'bd-1')] }),
]

const spec = `# A spec

\`\`\`console
$ true
\`\`\`
`

/** Remedies that doctor names. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { governedDocument } from '../../src/kernel/governance/governed-document.ts'
import type { Json } from '../../src/kernel/json.ts'
import { at, leased, open } from '../a-project.ts'
import { sha256 } from '../an-instruction.ts'
import type { Place, Row } from './remedy.ts'

export const one = ['premath init', 'premath issue add one']
const two = [...one, 'premath issue add two']
const proven = [...one, "premath close bd-1 --verify-cmd 'test -d .premath'"]
export const repository = [
  'git init -q -b main',
  'premath init',
  'git add -A',
  'git commit -q -m begin',
]

export const policySet = [
  'premath init --ids hash',
  'premath policy set --input .premath/policy.json --reason begin',
]

const edge = (from: string, to: string, type = 'blocks') => ({
  issue_id: from,
  depends_on_id: to,
  type,
})
const rows =
  (...given: readonly object[]) =>
  (place: Place) => {
    place.run('premath init')
    place.project.given(...given)
  }
export const edited = (path: string, edit: (text: string) => string) => (place: Place) =>
  writeFileSync(place.at(path), edit(readFileSync(place.at(path), 'utf8')))
const log = '.premath/memory/events.jsonl'
export const after =
  (lines: readonly string[], ...spoil: readonly ((place: Place) => void)[]) =>
  (place: Place) => {
    place.run(...lines)
    for (const one of spoil) one(place)
  }

/** Memory in a commit, with its record of acknowledged rows. */
export const marked = [...repository, 'premath issue add one', 'git add -A', 'git commit -q -m one']
export const markRows = '.git/premath/memory/issues/rows.jsonl'
export const damaged = (text: string) => text.replace('"id"', '"ie"')
/** As in a clone that was not checked out. */
export const withoutMemory = [
  (place: Place) => rmSync(place.at('.git/premath'), { recursive: true }),
  (place: Place) => rmSync(place.project.issues),
] as const

export const doctorRemedies: readonly Row[] = (
  [
    {
      remedy: 'premath doctor --fix writes it again, from the copy beside git.',
      given: after(proven, place => rmSync(place.at('.premath/proofs'), { recursive: true })),
    },
    {
      remedy: 'premath doctor --fix writes them there; the next change of issues does so too.',
      given: after(marked, place => truncateSync(place.at(markRows))),
    },
    {
      remedy: 'Remove one edge of the path: premath dep remove … ….',
      given: rows(
        open('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
        open('bd-2', { dependencies: [edge('bd-2', 'bd-1')] }),
      ),
    },
    {
      remedy: 'premath dep remove … … --type …, or add the issue with --id ….',
      given: rows(open('bd-1', { dependencies: [edge('bd-1', 'gone', 'related')] })),
    },
    {
      remedy: 'premath issue lease-release … --assignee … --lease-id … --fence … gives it back.',
      given: rows(leased('bd-1', 'ann', 400 * 24 * 3600)),
    },
    {
      remedy:
        'premath issue claim-next takes it over; premath issue lease-release … gives it back.',
      given: rows(leased('bd-1', 'ann', -60)),
      completes: { 'premath issue claim-next': 'premath issue claim-next --assignee bob' },
    },
    {
      remedy:
        "premath issue claim … --assignee … leases it; premath issue update … --status open --assignee '' gives it back.",
      given: rows(open('bd-1', { status: 'in_progress', assignee: 'ann' })),
    },
    {
      remedy: 'premath doctor --fix moves it aside now.',
      given: after(one, place => appendFileSync(place.project.issues, '{"id":"bd-2","ti')),
    },
    {
      remedy: 'premath doctor --fix removes it.',
      given: after(one, place => place.write('.premath/issues.jsonl.tmp.4711.0', 'half')),
    },
    {
      remedy: 'premath doctor --fix completes it now.',
      given: after(
        two,
        edited(log, text => `${text}{"schema":"iss`),
      ),
    },
    {
      remedy:
        'premath issue migrate-events writes a new log from the rows, and keeps this one beside it.',
      given: after(
        [...two, 'premath dep add bd-2 bd-1'],
        edited(log, text =>
          text
            .split('\n')
            .filter(line => !/upsert_issue.*"id":"bd-1"/.test(line))
            .join('\n'),
        ),
      ),
    },
    {
      remedy:
        'If the rows are right, premath issue migrate-events writes a new log, and keeps this one beside it. premath issue replay-events --issues replayed.jsonl --events … shows what this one has.',
      given: after(
        two,
        edited(log, text => text.replaceAll('"title":"two"', '"title":"2"')),
      ),
      shows: /./,
      works: 'premath issue list',
    },
    {
      remedy: 'premath doctor --fix writes them now; the next change does so too. …',
      given: after(
        two,
        edited('.premath/issues.jsonl', text => `${text.split('\n')[0]}\n`),
      ),
      completes: {
        'premath doctor --accept-older --reason <text>':
          "premath doctor --accept-older --reason 'start again'",
      },
    },
    {
      remedy:
        'premath doctor --fix keeps the rows that can be read, and writes those that the file lacks. …',
      given: after(marked, edited(markRows, damaged)),
      completes: {
        'premath doctor --accept-older --reason <text>':
          "premath doctor --accept-older --reason 'start again'",
      },
    },
    {
      remedy:
        'git checkout --ignore-skip-worktree-bits HEAD -- … brings the rows back. To begin without them, commit their removal.',
      given: after(marked, ...withoutMemory),
    },
    {
      remedy:
        'Move it away: mv … …. The next change makes it again, and premath doctor checks the rest then.',
      given: after(marked, place => {
        rmSync(place.at(markRows))
        mkdirSync(place.at(markRows))
      }),
      printed: /Move it away: mv .*? The next change makes it again, and premath doctor/,
      does: [`mv ${markRows} ${markRows}.before-repair`],
      shows: /ok +acknowledged rows/,
    },
    {
      remedy:
        'premath doctor --accept-older --reason <text> keeps the file as it is, and gives the other rows up.',
      given: after(
        two,
        edited('.premath/issues.jsonl', text => `${text.split('\n')[0]}\n`),
      ),
      completes: {
        'premath doctor --accept-older --reason <text>':
          "premath doctor --accept-older --reason 'start again'",
      },
    },
    {
      remedy: 'premath doctor --fix merges the rows and keeps the larger fence. …',
      given: contradicting,
      completes: {
        'premath doctor --accept-older --reason <text>':
          "premath doctor --accept-older --reason 'by hand'",
      },
      // A merge also shows what gave way.
      shows: /The rows are merged|The file is kept/,
      works: 'premath list',
    },
    {
      remedy: 'Fix the row: premath harness-feature write.',
      given: after(one, place =>
        place.write('.premath/harness_feature_ledger.json', ledger('completed')),
      ),
      completes: {
        'premath harness-feature write':
          'premath harness-feature write --feature-id f --status pending',
      },
    },
    {
      remedy: 'Run premath harness-boot, which finishes or undoes it.',
      given: after(one, place => place.write('.premath/steps/w.jsonl', '\n')),
      works: 'premath doctor',
    },
    {
      remedy:
        'If the project was moved, run git worktree repair with that path; otherwise save the files you need and remove it.',
      given: place => {
        place.run(...repository, 'git worktree add -q .premath/worktrees/w -b w')
        const moved = `${place.project.folder} moved`
        renameSync(place.project.folder, moved)
        mkdirSync(dirname(place.project.folder), { recursive: true })
        place.project.folder = moved
      },
      completes: { 'git worktree repair': 'git worktree repair .premath/worktrees/w' },
    },
    {
      remedy: 'git worktree prune removes the entry and keeps the branch.',
      given: after(
        [
          ...repository,
          'git worktree add -q .premath/worktrees/w -b w',
          'git worktree add -q .premath/worktrees/v -b v',
        ],
        place => rmSync(place.at('.premath/worktrees/w'), { recursive: true }),
      ),
    },
    {
      remedy:
        'If … lacks the work, run git cherry-pick … on it, or open the issue again: premath issue update … --status open.',
      given: rewritten,
    },
    {
      remedy: 'premath policy restore writes what is in force back into the file.',
      given: place => {
        place.write(
          'checks.json',
          JSON.stringify({ schema: 1, checksKind: 'premath.checks.v1', checks: {} }),
        )
        place.run(...one, 'premath policy set --input checks.json --reason begin')
        rmSync(place.at('.premath/checks.json'))
      },
    },
    {
      remedy:
        'To write the document in force back to the file, run premath policy restore. To keep the file: …',
      given: after(
        policySet,
        edited('.premath/policy.json', text => text.replace('hash', 'counted')),
      ),
      completes: {
        'premath policy set --input .premath/policy.json --promotion <evidence> --reason <why>':
          'premath policy set --input .premath/policy.json --reason x',
      },
    },
    {
      remedy:
        'premath doctor --fix keeps them in a file beside it. Or restore the lines from a copy.',
      given: after(one, place =>
        writeFileSync(place.at('.premath/harness_trajectory.jsonl'), '{"schema":1,"stepId":"a.b\n'),
      ),
    },
    {
      remedy: 'Put it in force again: premath policy set. It keeps the broken line beside the log.',
      given: after(policySet, place =>
        appendFileSync(place.at('.premath/policy-log.jsonl'), '{"torn'),
      ),
      completes: {
        'premath policy set': 'premath policy set --input .premath/policy.json --reason again',
      },
    },
    {
      remedy:
        'Open it, then close it with proof: premath reopen …. If it came closed from another tool, import the file that it came from: premath issue import <file>.',
      given: place => {
        place.run(...one)
        place.write('from.jsonl', `${JSON.stringify(open('bd-9', { status: 'closed' }))}\n`)
        appendFileSync(
          place.project.issues,
          `${JSON.stringify(open('bd-9', { status: 'closed' }))}\n`,
        )
        place.run('premath issue migrate-events')
      },
      completes: {
        'premath issue import <file>': 'premath issue import from.jsonl --on-conflict replace',
      },
    },
    {
      remedy: 'premath witness verify --all lists them.',
      given: rows(
        ...Array.from({ length: 21 }, (_, number) =>
          open(`bd-${number + 1}`, { status: 'closed' }),
        ),
      ),
      ask: 'premath doctor --json',
      shows: /proof_missing/,
    },
    {
      remedy: 'premath init adds it; commit it with the proofs.',
      given: after([...repository, ...proven.slice(1)], place =>
        rmSync(place.at('.premath/.gitattributes')),
      ),
    },
    {
      remedy: 'premath doctor --fix removes them; so does the next close of the issue.',
      given: after(one, place =>
        place.write(`.premath/proofs/bd-1/proof-${'a'.repeat(64)}.json.tmp.4711.0`, 'half'),
      ),
    },
    {
      remedy:
        'Restore … from version control; premath witness verify … lists all findings. Otherwise open the issue again, and close it with proof.',
      given: after(proven, place => {
        const folder = place.at('.premath/proofs/bd-1')
        for (const name of readdirSync(folder)) appendFileSync(join(folder, name), ' ')
      }),
      shows: /broken proof|chain_changed|witness_changed/,
    },
    {
      remedy: 'premath doctor --fix configures it, as premath init --merge-driver does.',
      given: [
        ...repository,
        'premath init --merge-driver',
        'git config --remove-section merge.premath',
      ],
    },
    {
      remedy: 'premath doctor --fix configures it again, as premath init --merge-driver does.',
      given: after(
        [...repository, 'premath init --merge-driver'],
        edited('.git/config', text => text.replace(/m='[^']*'/g, "m='/nowhere/main.cjs'")),
      ),
    },
    {
      remedy:
        'premath did not write it. Remove it: git config --… --remove-section merge.premath. Then run premath init --merge-driver.',
      given: [
        ...repository,
        'premath init --merge-driver',
        'git config --remove-section merge.premath',
        'git config merge.premath.driver false',
      ],
    },
    {
      remedy: 'premath init tells git to keep line ends. Then … writes the file again.',
      given: after(
        two,
        edited('.premath/issues.jsonl', text => text.replaceAll('\n', '\r\n')),
      ),
    },
    {
      remedy: 'premath init tells git to keep them. Then commit ….',
      given: [...repository, 'git config core.autocrlf true', 'git rm -q .premath/.gitattributes'],
    },
  ] satisfies readonly (Omit<Row, 'ask'> & Partial<Row>)[]
).map(row => ({ ask: 'premath doctor', ...row }))

export function contradicting(place: Place): void {
  place.run(...one, 'premath issue claim bd-1 --assignee ann')
  place.run('premath issue lease-release bd-1 --assignee ann --lease-id lease1_bd-1_ann --fence 1')
  place.run('premath issue claim bd-1 --assignee bob')
  const lines = readFileSync(place.project.issues, 'utf8').trimEnd().split('\n')
  const ann = lines.find(line => line.includes('"assignee":"ann"')) ?? ''
  appendFileSync(place.project.issues, `${ann.replace('"title":"one"', '"title":"1"')}\n`)
}

/** An issue whose commit the branch lost. */
function rewritten(place: Place): void {
  place.run(...repository, 'premath issue add one')
  place.run('git tag begin')
  place.write('work.txt', 'x')
  place.run(
    'git add work.txt',
    'git commit -q -m work',
    'premath land bd-1 --as HEAD --verify-cmd "test -f work.txt"',
  )
  place.run('git reset -q begin', 'rm work.txt')
}

export const ledger = (status: string) =>
  JSON.stringify({
    schema: 1,
    ledgerKind: 'premath.harness.feature_ledger.v1',
    updatedAt: at(0),
    features: [{ featureId: 'f', status, updatedAt: at(0) }],
  })

export const governed = { profileOverlayClaims: ['profile.doctrine_inf_governance.v0'] }

export function digestOf(document: object): string {
  const read = governedDocument(document as Json, sha256)
  if (typeof read === 'string') throw new Error(read)
  return read.digest
}

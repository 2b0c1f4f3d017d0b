/** Remedies about a project: settings, policy, keys, sessions and the ledger. */
import { appendFileSync } from 'node:fs'
import { leased } from '../a-project.ts'
import { after, contradicting, edited, ledger, one, policySet, repository } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

/** Two branches changed issue memory, and a clone without a driver merged them. */
function unmerged(place: Place): void {
  place.run(
    ...repository,
    'premath init --merge-driver',
    'premath issue add one',
    'git add -A',
    'git commit -q -m one',
  )
  place.run(
    'git checkout -q -b other',
    'premath issue add two',
    'git commit -q -a -m two',
    'git checkout -q main',
  )
  place.project.forgetAcknowledged()
  place.run('premath issue update bd-1 --title 1', 'git commit -q -a -m 1')
  place.run('git config --remove-section merge.premath', 'git merge -q other || true')
}

export const projectRemedies: readonly Row[] = [
  {
    remedy: 'premath config show lists the keys.',
    given: one,
    ask: 'premath config set nothing 1',
    shows: /lockWaitSeconds/,
  },
  {
    remedy: 'Pass a value, or remove the setting: premath config set … --unset',
    given: [...one, 'premath config set workers 3'],
    ask: 'premath config set workers',
    works: 'premath config show',
  },
  {
    remedy: 'For example: premath config set … …',
    given: one,
    ask: 'premath config set workers many',
    works: 'premath config show',
  },
  {
    remedy: 'Run premath init first, or set PREMATH_ROOT to the project.',
    given: [],
    ask: 'premath config set workers 3',
  },
  {
    remedy: 'missing: premath init',
    given: [],
    ask: 'premath issue backend-status',
    shows: /init|made|present/,
  },
  {
    remedy: 'Fix the file, restore it from version control, or remove it and run premath init.',
    given: after(one, place => place.write('.premath/policy.json', '[]')),
    ask: 'premath issue list',
    completes: { 'premath init': 'rm .premath/policy.json && true' },
  },
  {
    remedy: 'Put one in force: premath policy set --input <file> --reason <why>.',
    given: one,
    ask: 'premath policy restore',
    completes: {
      'premath policy set --input <file> --reason <why>':
        'premath policy set --input .premath/policy.json --reason begin',
    },
  },
  {
    remedy: 'differs from the version in force; premath policy restore writes that back',
    given: after(
      policySet,
      edited('.premath/policy.json', text => text.replace('hash', 'counted')),
    ),
    ask: 'premath policy show',
    works: 'premath doctor',
  },
  {
    remedy:
      'premath schema premath.mutation_policy.v1 and premath schema premath.checks.v1 print what they are.',
    given: after(one, place => place.write('x.json', '{"a":1}')),
    ask: 'premath policy set --input x.json --reason x',
    shows: /\$schema/,
  },
  {
    remedy: 'premath schema lists every kind',
    given: [],
    ask: 'premath schema nonsense',
    shows: /premath\.checks\.v1/,
  },
  {
    remedy: 'premath trust list shows their ids.',
    given: one,
    ask: 'premath trust remove nobody',
    shows: /key/i,
  },
  {
    remedy:
      'Create it with premath harness-session write --state active, or start fresh with premath harness-session bootstrap.',
    given: one,
    ask: 'premath harness-session read',
    leaves: {
      'premath harness-session bootstrap': 'It prints a fresh start, and writes no session.',
    },
  },
  {
    remedy: 'Create it: premath harness-feature write --feature-id <id> --status pending.',
    given: one,
    ask: 'premath harness-feature read',
    completes: {
      'premath harness-feature write --feature-id <id> --status pending':
        'premath harness-feature write --feature-id f --status pending',
    },
  },
  {
    remedy:
      'List the problems with premath harness-feature check, and correct rows with premath harness-feature write.',
    given: after(one, place =>
      place.write('.premath/harness_feature_ledger.json', ledger('completed')),
    ),
    ask: 'premath harness-feature next',
    leaves: { 'premath harness-feature write': 'The row about doctor runs it.' },
    shows: /f/,
  },
  {
    remedy: 'Build it first: premath observe-build.',
    given: one,
    ask: 'premath observe',
    shows: /./,
    works: 'premath observe',
  },
  {
    remedy: 'Run git init first, or leave --merge-driver out.',
    given: ['premath init'],
    ask: 'premath init --merge-driver',
  },
  {
    remedy: 'Run premath harness-boot, which finishes or undoes it. Then run premath uninit again.',
    given: after(one, place => place.write('.premath/steps/w.jsonl', '\n')),
    ask: 'premath uninit --yes',
    completes: { 'premath uninit': 'premath uninit --yes' },
    works: 'premath uninit --yes',
  },
  {
    remedy:
      'note: .gitattributes names the merge driver premath, and this clone has none, so merges of issue memory conflict\n  Set it up once in this clone: premath init --merge-driver',
    given: [
      ...repository,
      'premath init --merge-driver',
      'premath issue add one',
      'git config --remove-section merge.premath',
    ],
    ask: 'premath status',
    works: 'premath status',
  },
  {
    remedy: 'Run git checkout --merge -- …, which merges again, then git add -- ….',
    given: place => {
      unmerged(place)
      place.ask('premath doctor --fix')
    },
    ask: 'premath doctor',
    works: 'premath issue list',
  },
  {
    remedy:
      'Run premath init --merge-driver, then git checkout --merge -- …, which merges again, and git add -- ….',
    given: unmerged,
    ask: 'premath issue list',
  },
  {
    remedy:
      'One side deleted rows that the other has. Run git checkout … -- …, which takes them from the other side, then git add -- ….',
    given: [
      ...repository,
      'premath init --merge-driver',
      'premath issue add one',
      'git add -A',
      'git commit -q -m one',
      'git checkout -q -b drop',
      'git rm -q .premath/issues.jsonl .premath/memory/events.jsonl',
      'git commit -q -m drop',
      'git checkout -q main',
      'premath issue add two',
      'git commit -q -a -m two',
      'git merge -q drop || true',
    ],
    ask: 'premath issue list',
  },
  {
    remedy:
      'premath doctor names the commands that merge it again. If the marks were committed, remove the lines of the marks, and keep the rows.',
    given: after(one, place =>
      appendFileSync(place.project.issues, '<<<<<<< HEAD\n=======\n>>>>>>> x\n'),
    ),
    ask: 'premath issue list',
    shows: /mark/,
  },
  {
    remedy:
      'A worker that lost its lease could write again. premath doctor --fix merges the rows and keeps the larger fence.',
    given: contradicting,
    ask: 'premath issue list',
    // A merge also shows what gave way.
    shows: /The rows are merged/,
    works: 'premath issue list',
  },
  {
    remedy:
      '… …, as after a branch switch or a reset. This answer has the newer state, and the next change writes it. To keep the older one: premath doctor --accept-older --reason <text>',
    given: after(
      [...one, 'premath issue add two'],
      edited('.premath/issues.jsonl', text => `${text.split('\n')[0]}\n`),
    ),
    ask: 'premath issue list',
    completes: {
      'premath doctor --accept-older --reason <text>':
        "premath doctor --accept-older --reason 'start again'",
    },
    works: 'premath doctor',
  },
  {
    remedy: 'Quote it: premath config set … …',
    given: one,
    ask: 'premath config set work make fix',
    works: 'premath config show',
  },
  {
    remedy:
      'premath init writes the file .premath/.gitignore, if there is none. Otherwise add the line.',
    given: [...repository, 'rm .premath/.gitignore'],
    ask: 'premath ci-hygiene-check',
  },
  {
    remedy: 'premath init adds the line to .premath/.gitattributes; commit it with the proofs.',
    given: [
      ...repository,
      'premath issue add one',
      "premath close bd-1 --verify-cmd 'test -d .premath'",
      'rm .premath/.gitattributes',
    ],
    ask: 'premath ci-hygiene-check',
  },
  {
    remedy: 'Run git rm --cached on it, and commit.',
    given: [...repository, 'git add -f .premath/config.json.lock'],
    ask: 'premath ci-hygiene-check',
    completes: { 'git rm --cached': 'git rm -q --cached .premath/config.json.lock' },
  },
  {
    remedy: 'and … more: premath status --json',
    given: place => {
      place.run('premath init')
      place.project.given(
        ...Array.from({ length: 40 }, (_, number) => leased(`bd-${number + 1}`, `w${number}`, -60)),
      )
    },
    ask: 'premath status',
    shows: /bd-40/,
  },
  {
    remedy:
      'Nothing was changed. Name a file. premath doctor tells how to replace one of the project.',
    given: [...one, 'rm .premath/policy.json', 'mkfifo .premath/policy.json'],
    ask: 'premath issue list',
    shows: /mv /,
  },
  {
    remedy: 'Workers need git worktrees. Run git init there, and commit the files.',
    given: one,
    ask: 'premath harness-loop coordinator --create-worktrees 1 --work-cmd true --verify-cmd true',
    works: 'git status',
  },
]

/** Remedies about landing and reverts. */
import { gitVariables } from '../a-repository.ts'
import { repository } from './doctor.ts'
import type { Row } from './remedy.ts'

const begun = [...repository, 'premath issue add one']

/** Work of a person on the branch of an issue. */
const waits = (id: string, file = `${id}.txt`) => [
  `git switch -q -c premath/${id}`,
  `echo x > ${file}`,
  `git add ${file}`,
  `git commit -q -m ${id}`,
  'git switch -q main',
]

const land = (id: string, more = '') =>
  `premath land ${id} --verify-cmd 'test -d .premath' ${more}`.trim()
const revert = (id: string, more = '') =>
  `premath land revert ${id} --verify-cmd 'test -d .premath' ${more}`.trim()

const landed = [...begun, ...waits('bd-1'), land('bd-1')]
const claim = 'premath issue claim bd-1 --assignee ann'

const run = (work: string, more = '') =>
  `premath run --workers 1 --work-cmd '${work}' --verify-cmd 'test -d .premath' --no-baseline ${more}`.trim()

export const landingRemedies: readonly Row[] = (
  [
    {
      remedy: 'Commit what there is: git add --all && git commit.',
      given: ['git init -q -b main', 'premath init', 'premath issue add one'],
      ask: run('echo x > x.txt'),
      completes: { 'git commit': 'git commit -q -m begin' },
    },
    {
      remedy: 'Create it: git branch …. git branch --list shows the others.',
      given: begun,
      ask: run('echo x > x.txt', '--onto next'),
      leaves: { 'git branch --list': 'It shows the branches there are, and mends nothing.' },
    },
    {
      remedy: 'Create it: git branch …. git branch --list shows the others.',
      given: begun,
      ask: run('echo x > x.txt', '--onto next'),
      leaves: { 'git branch next': 'The row above creates it.' },
      shows: /main/,
    },
    {
      remedy: 'Rename it: git branch -m … <name>.',
      given: [...begun, 'git branch premath'],
      ask: run('echo x > x.txt'),
      completes: { 'git branch -m': 'git branch -m premath other' },
    },
    {
      remedy: 'Move your files out of the way, then land it: premath land ….',
      given: place => {
        place.run(...begun)
        place.write('x.txt', 'mine')
        place.ask(run('echo x > x.txt'))
      },
      ask: 'premath status',
      does: ['mv x.txt mine.txt'],
      completes: { 'premath land bd-1': land('bd-1') },
      works: 'grep -q x x.txt',
    },
    {
      remedy: 'merge the branch; then premath land … closes the issue',
      given: [...begun, run('echo x > x.txt', '--land branch')],
      ask: 'premath harness-trajectory query --json',
      does: ['git merge -q premath/bd-1'],
      completes: { 'premath land bd-1': land('bd-1') },
      works: revert('bd-1'),
    },
    {
      remedy: 'merge the branch; premath run closes it',
      given: [...begun, run('echo x > x.txt', '--land branch')],
      ask: 'premath land status',
      does: ['git merge -q premath/bd-1'],
      completes: { 'premath run': run('false') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath land …',
      given: [...begun, ...waits('bd-1')],
      ask: 'premath land status',
      completes: { 'premath land bd-1': land('bd-1') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath issue show … shows its state.',
      given: begun,
      ask: revert('bd-1'),
      shows: /open/,
    },
    {
      remedy: 'To open it again: premath reopen ….',
      given: [...begun, 'premath close bd-1 --force --reason x'],
      ask: revert('bd-1'),
      works: claim,
    },
    {
      remedy: 'Name a commit of the target: git log ….',
      given: begun,
      ask: land('bd-1', '--as nothing'),
      shows: /begin/,
    },
    {
      remedy: 'premath land status lists the work that waits.',
      given: [...begun, 'premath issue add two', ...waits('bd-2')],
      ask: land('bd-1'),
      shows: /bd-2/,
    },
    {
      remedy:
        'Name the branch that has it, with --onto: git branch --contains …. If the commit is gone from its branch, open the issue again: premath reopen ….',
      given: [...landed, 'git branch other HEAD~2'],
      ask: revert('bd-1', '--onto other'),
      shows: /main|open/,
    },
    {
      remedy:
        'Nothing was changed. Revert it by hand on …: git revert …, resolve the conflict and commit. Then open the issue again: premath reopen ….',
      given: [
        'echo x > x.txt',
        ...begun,
        'git switch -q -c premath/bd-1',
        'echo y | tee x.txt > y.txt',
        'git add x.txt y.txt',
        'git commit -q -m y',
        'git switch -q main',
        land('bd-1'),
        'echo later > x.txt',
        'git commit -q -m later x.txt',
      ],
      ask: revert('bd-1'),
      completes: { 'git revert': 'git revert --no-edit -X ours' },
      works: claim,
    },
    {
      remedy: 'To open the issue again: premath reopen ….',
      given: [...landed, 'git revert --no-edit HEAD~'],
      ask: revert('bd-1'),
      works: claim,
    },
  ] satisfies readonly Row[]
).map(row => ({ ...row, env: gitVariables }))

/** Remedies about landing and reverts. */
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { at } from '../a-project.ts'
import { gitVariables } from '../a-repository.ts'
import { repository } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

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

/** An agent that may close by the queue, in the project of a person. */
const agent = [
  'git init -q -b main',
  'premath init',
  `echo '{"schema":1,"surfaces":{"cli":{"mode":"open"},"mcp":{"mode":"open"}}}' > .premath/policy.json`,
  "premath config set verify 'test -f work.txt'",
  'premath config set sandbox off',
  'premath issue add one',
  'git add -A',
  'git commit -q -m begin',
  claim,
]
const close = 'premath issue close bd-1 --queue --lease-id lease1_bd-1_ann --fence 1'

const step =
  "premath harness-step --issue bd-1 --work-cmd 'echo x > x.txt' --verify-cmd 'test -d .premath'"

/** A linked worktree that a person moved without git, in which commands then run. */
function moved(place: Place): void {
  place.run(...begun, 'git worktree add -q ../linked', 'mv ../linked ../moved')
  place.project.folder = join(place.project.folder, '../moved')
}

const deletesOnce = `echo x > x.txt
cd "$PREMATH_ROOT"
[ -e once ] || git update-ref -d refs/heads/main
touch once
`

const queued = [...agent, 'echo x > work.txt', close]

/** A landing that was killed after its row was written: its target has moved, or has not. */
const cutOff =
  ({ isMoved, isRevert }: { readonly isMoved: boolean; readonly isRevert?: true }) =>
  (place: Place) => {
    place.run(
      'git init -q -b main',
      'premath init',
      'premath config set commitMemory false',
      'premath issue add one',
      'git add -A',
      'git commit -q -m begin',
      ...waits('bd-1'),
      'git tag work premath/bd-1',
      land('bd-1'),
      ...(isRevert ? [revert('bd-1')] : []),
    )
    const rows = readFileSync(place.project.issues, 'utf8').split('\n')
    const begun = rows.findLast(row => row.includes('premathLanding')) ?? '{}'
    const { lease, ...row } = JSON.parse(begun)
    rmSync(place.at('.premath/memory'), { recursive: true })
    if (!isMoved) place.run('git reset -q --hard HEAD~')
    place.project.given({ ...row, lease: { ...lease, expires_at: at(-60) } })
    place.project.forgetAcknowledged()
    if (!isRevert) place.run('git branch premath/bd-1 work')
  }

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
    {
      remedy: 'the close is queued. See how far it is: premath issue show ….',
      given: [...agent, 'echo x > work.txt'],
      ask: close,
      shows: /queued/,
    },
    {
      remedy: 'the close is being verified. See how far it is: premath issue show ….',
      given: place => {
        place.run(...queued)
        // So a server leaves it that was killed meanwhile.
        place.run('sed -i \'s/"queued"/"verifying"/\' .premath/closes/*.json')
      },
      ask: close,
      shows: /verifying/,
    },
    {
      remedy: 'an MCP server closes it, or premath land',
      given: queued,
      ask: 'premath land status',
      works: revert('bd-1'),
    },
    {
      remedy:
        "Do the work, then close it again. If you committed it on …, name the issue there: git commit --amend --no-edit --trailer 'Premath-Issue: …'.",
      given: place => {
        place.run(...agent, 'echo x > work.txt', 'git add work.txt', 'git commit -q -m work', close)
        place.ask('premath land')
      },
      ask: 'premath status',
      works: [close, 'premath land'],
    },
    {
      remedy:
        'List its worktrees with git worktree list, and run git worktree repair if one was moved.',
      given: moved,
      ask: step,
      leaves: { 'git worktree list': 'It shows the worktrees there are, and mends nothing.' },
    },
    {
      remedy: 'Run git add --all --dry-run there to see why.',
      given: [...begun, 'git init -q part'],
      ask: step,
      shows: /part\/' does not have a commit/,
    },
    {
      remedy:
        'If the project was moved, run: git worktree repair …. Otherwise look at what is in it, then move it away.',
      given: place => {
        place.run(...begun, 'git worktree add -q --detach .premath/worktrees/worker.1')
        const folder = `${place.project.folder} moved`
        renameSync(place.project.folder, folder)
        place.project.folder = folder
      },
      ask: run('echo x > x.txt'),
    },
    {
      remedy:
        'Find its last commit: git log --all --reflog. Restore it: git branch … <commit>. Then run the command again.',
      given: place => {
        place.write('work.sh', deletesOnce)
        place.run(...begun)
      },
      ask: run('sh work.sh'),
      completes: {
        'git branch main <commit>':
          "git branch main $(git log --all --reflog --format=%H --grep='^begin$')",
      },
    },
    {
      remedy: 'premath run finishes it',
      given: cutOff({ isMoved: true }),
      ask: 'premath land status',
      completes: { 'premath run': run('false') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath run finishes it',
      given: cutOff({ isMoved: false }),
      ask: 'premath land status',
      completes: { 'premath run': run('echo x > x.txt') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath land …… finishes it or takes it back.',
      given: cutOff({ isMoved: true }),
      ask: 'premath doctor',
      completes: { 'premath land bd-1': land('bd-1') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath land …… finishes it or takes it back.',
      given: cutOff({ isMoved: false }),
      ask: 'premath doctor',
      completes: { 'premath land bd-1': land('bd-1') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath land …… finishes it or takes it back.',
      given: cutOff({ isMoved: true, isRevert: true }),
      ask: 'premath doctor',
      completes: { 'premath land revert bd-1': revert('bd-1') },
      works: claim,
    },
    {
      remedy: 'premath land …… finishes it or takes it back.',
      given: cutOff({ isMoved: false, isRevert: true }),
      ask: 'premath doctor',
      completes: { 'premath land revert bd-1': revert('bd-1') },
      works: claim,
    },
    {
      remedy: 'Run premath run, which finishes it. Then run premath uninit again.',
      given: place => {
        place.run(...landed)
        const [commit, base] = place.ask('git rev-parse HEAD HEAD~').printed.trim().split(' ')
        const holders = [{ path: place.project.folder, gitFolder: place.at('.git') }]
        const note = JSON.stringify({ target: 'main', base, commit, holders })
        place.write('.git/premath/landing.json', `${note}\n`)
      },
      ask: 'premath uninit --yes',
      completes: { 'premath run': run('false'), 'premath uninit': 'premath uninit --yes' },
      works: 'test ! -e .git/premath',
    },
  ] satisfies readonly Row[]
).map(row => ({ ...row, env: gitVariables }))

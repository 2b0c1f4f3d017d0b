/** Remedies about landing and reverts, and those that are a part of another text. */
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { governedDocument } from '../../src/kernel/governance/governed-document.ts'
import { at } from '../a-project.ts'
import { promotionOf } from '../a-promotion.ts'
import { gitVariables } from '../a-repository.ts'
import { sha256 } from '../an-instruction.ts'
import { main } from '../built-command.ts'
import { after, edited, repository } from './doctor.ts'
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

const landIf = (verify: string, more = '') =>
  `premath land bd-1 --verify-cmd '${verify}' ${more}`.trim()

/** Ctrl-C, while its verification runs. */
const stopping = `--verify-cmd 'sh "$PREMATH_ROOT/check.sh"'`

/** Work on a test that exists, in a project whose scripts may allow that. */
function changesTests(place: Place): void {
  place.write('test/a.txt', 'a')
  place.run(...begun)
  place.write(
    '.premath/policy.json',
    '{"schema":1,"surfaces":{"cli":{"mode":"open"}},"override":"script"}',
  )
  place.run('git add -A', 'git commit -q -m override', 'git switch -q -c premath/bd-1')
  place.write('test/a.txt', 'other')
  place.run('git commit -q -a -m bd-1', 'git switch -q main')
}

const landed = [...begun, ...waits('bd-1'), land('bd-1')]
const claim = 'premath issue claim bd-1 --assignee ann'

const run = (work: string, more = '') =>
  `premath run --workers 1 --work-cmd '${work}' --verify-cmd 'test -d .premath' --no-baseline ${more}`.trim()

const worksOn = 'echo $PREMATH_ISSUE_ID > $PREMATH_ISSUE_ID.txt'

/** Without quotes, and the path may have blanks. */
const switches = 'IFS=; git -C $PREMATH_ROOT switch -q feature; echo x > x.txt'

/** The work of the blocker of bd-2 landed on another branch. */
const elsewhere = [
  ...begun,
  'premath issue add two',
  'premath dep add bd-2 bd-1',
  'git add -A',
  'git commit -q -m two',
  'git switch -q -c topic',
  run('echo x > x.txt', '--max-steps 1'),
  'git switch -q main',
]

/** An agent that may close by the queue, in the project of a person. */
const agentWith = (verify: string) => [
  'git init -q -b main',
  'premath init',
  `echo '{"schema":1,"surfaces":{"cli":{"mode":"open"},"mcp":{"mode":"open"}}}' > .premath/policy.json`,
  `premath config set verify '${verify}'`,
  'premath config set sandbox off',
  'premath issue add one',
  'git add -A',
  'git commit -q -m begin',
  claim,
]
const agent = agentWith('test -f work.txt')
const close = 'premath issue close bd-1 --queue --lease-id lease1_bd-1_ann --fence 1'

const step =
  "premath harness-step --issue bd-1 --work-cmd 'echo x > x.txt' --verify-cmd 'test -d .premath'"

/** A linked worktree that a person moved without git, in which commands then run. */
function moved(place: Place): void {
  place.run(...begun, 'git worktree add -q ../linked', 'mv ../linked ../moved')
  place.project.folder = join(place.project.folder, '../moved')
}

const changesSettings = `echo x > x.txt
cd "$PREMATH_ROOT"
sed -i 's/"verifiers": *1/"verifiers": 2/' .premath/config.json
`

/** The target moves while the close is verified, until the command gives up. */
const movesTarget = `cd "$PREMATH_ROOT"
echo >> tries
[ $(grep -c '' tries) -gt 5 ] || git commit -q --allow-empty -m more
`

/** Ctrl-C while the close is verified. */
const stopsOnce = `cd "$PREMATH_ROOT"
[ ! -e stopped ] || exit 0
touch stopped
kill -INT $(cat pid)
sleep 60
`

const inCrlf = (path: string) =>
  after(
    ['premath init', 'premath issue add one', 'premath issue add two'],
    edited(path, text => text.replaceAll('\n', '\r\n')),
  )

/** A project in which an agent needs an instruction for each change. */
function linked(place: Place): void {
  place.run(...begun)
  const policy = { schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } }
  const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { test: 'true' } }
  place.write('.premath/policy.json', JSON.stringify(policy))
  place.write('.premath/checks.json', JSON.stringify(checks))
}

/** Commands of an agent, under the only instruction. */
const runsInstruction = 'node "$MAIN" instruction-run --instruction instructions/*.json'
const underInstruction =
  'node "$MAIN" issue claim bd-1 --assignee agent --instruction "$(basename instructions/*.json .json)"'

/** A project that claims governance, with a policy that nobody put in force. */
function governed(place: Place): void {
  place.run(...begun)
  const policy = { schema: 1, surfaces: { cli: { mode: 'open' } } }
  const document = governedDocument(policy, sha256)
  if (typeof document === 'string') throw new Error(document)
  place.write('.premath/policy.json', JSON.stringify(policy))
  place.write('evidence.json', JSON.stringify(promotionOf(document.digest)))
  const claims = ['profile.doctrine_inf_governance.v0']
  place.write('.premath/capability-registry.json', JSON.stringify({ profileOverlayClaims: claims }))
}

const failed = (step: number) =>
  `premath harness-trajectory append --action worker.loop --step-id worker.${step % 2}.bd-1.${step} --result-class failed --issue-id bd-1`

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
      remedy:
        'If the change is right, allow it: premath issue update … --may-change <pattern>. Then land it: premath land ….',
      given: changesTests,
      ask: land('bd-1'),
      completes: {
        'premath issue update bd-1 --may-change <pattern>':
          "premath issue update bd-1 --may-change 'test/**'",
        'premath land bd-1': land('bd-1'),
      },
      works: 'grep -q other test/a.txt',
    },
    {
      remedy: '… To have the work done again: premath reopen ….',
      given: place => {
        changesTests(place)
        place.ask(run('echo other > test/a.txt'))
      },
      ask: 'premath status',
      works: run('echo x > x.txt'),
    },
    {
      remedy:
        'Merge the target into the branch of the issue and commit. Then land it: premath land ….',
      given: [
        ...begun,
        ...waits('bd-1', 'x.txt'),
        'echo other > x.txt',
        'git add x.txt',
        'git commit -q -m other',
      ],
      ask: land('bd-1'),
      does: ['git switch -q premath/bd-1', 'git merge -q -X ours main', 'git switch -q main'],
      completes: { 'premath land bd-1': land('bd-1') },
      works: 'grep -q x x.txt',
    },
    {
      remedy: 'Fix it on the branch of the issue and commit. Then land it: premath land ….',
      given: [...begun, ...waits('bd-1', 'y.txt')],
      ask: landIf('test -f x.txt'),
      does: waits('bd-1', 'x.txt').map(line => line.replace(' -c ', ' ')),
      completes: { 'premath land bd-1': landIf('test -f x.txt') },
      works: 'test -f x.txt',
    },
    {
      remedy:
        'Fix it on … and commit. Then name the commit that has the work: premath land … --as <commit>.',
      given: [...begun, 'echo x > x.txt', 'git add x.txt', 'git commit -q -m merged'],
      ask: landIf('test -f y.txt', '--as main'),
      does: ['echo y > y.txt', 'git add y.txt', 'git commit -q -m mended'],
      completes: { 'premath land bd-1 --as <commit>': landIf('test -f y.txt', '--as main') },
      works: `grep -q '"status":"closed"' .premath/issues.jsonl`,
    },
    {
      remedy:
        'commit … landed on …, a branch that is gone here. Fetch the branch, or open the issue and name the commit that has its work now: premath reopen …, then premath land … --as <commit>',
      given: [
        ...begun,
        `premath config set verify 'test -d .'`,
        'git add -A',
        'git commit -q -m configure',
        'git switch -q -c feat',
        run('echo x > x.txt'),
        'git switch -q main',
        'git merge -q --squash feat',
        'git commit -q -m squash',
        'git branch -q -D feat',
      ],
      ask: 'premath witness verify bd-1 --rerun',
      completes: { 'premath land bd-1 --as <commit>': land('bd-1', '--as main') },
    },
    {
      remedy: 'premath doctor says what to do about them',
      given: [
        ...begun,
        'git switch -q -c try',
        run('echo x > x.txt'),
        'git switch -q main',
        'git branch -q -D try',
      ],
      ask: run('true'),
      shows: /git cherry-pick/,
    },
    {
      remedy: 'git add .premath && git commit -m "Record issue memory" .premath && git switch …',
      given: [...begun, 'git add -A', 'git commit -q -m one', 'git branch feature'],
      ask: run(switches),
      works: 'test -f x.txt',
    },
    {
      remedy: 'git switch …',
      given: [
        'git init -q -b main',
        'git commit -q --allow-empty -m begin',
        'git branch feature',
        'premath init',
        'premath issue add one',
      ],
      ask: `premath run --workers 1 --work-cmd '${switches}' --verify-cmd 'test -f x.txt' --no-baseline`,
      works: 'test -f x.txt',
    },
    ...['merge other', 'cherry-pick other', 'revert --no-edit HEAD~1'].map(operation => ({
      remedy: `git ${operation.split(' ')[0]} --abort`,
      given: (place: Place) => {
        place.run(...begun, 'git add -A', 'git commit -q -m one', 'echo a > a.txt', 'git add a.txt')
        place.run('git commit -q -m a', 'git switch -q -c other', 'echo other > a.txt')
        place.run('git commit -q -a -m other', 'git switch -q main', 'echo b > a.txt')
        place.run('git commit -q -a -m b', 'echo c > a.txt', 'git commit -q -a -m c')
        place.ask(`git ${operation}`)
      },
      ask: run('echo x > x.txt'),
    })),
    {
      remedy: '…; … … to land: premath land …',
      given: [...begun, 'premath issue add two', 'echo mine > x.txt'],
      ask: run('echo x > x.txt', '--max-steps 1'),
      printed: /to land: premath land \S+/,
      does: ['rm x.txt'],
      completes: { 'premath land bd-1': land('bd-1') },
      works: 'test -f x.txt',
    },
    {
      remedy: 'Merge … into …: git merge ….',
      given: elsewhere,
      ask: run(worksOn),
    },
    {
      remedy: 'Take its commit over to …: git cherry-pick ….',
      given: [...elsewhere, 'git branch -q -D topic'],
      ask: run(worksOn),
    },
    {
      remedy: '… Or have its work done again: premath reopen ….',
      given: elsewhere,
      ask: run(worksOn),
    },
    {
      remedy: 'changed protected files: premath show …',
      given: place => {
        changesTests(place)
        place.ask(land('bd-1'))
      },
      ask: 'premath land status',
      shows: /--may-change/,
    },
    {
      remedy: 'See what failed: premath show …. To try again: premath reopen …, then premath run.',
      given: begun,
      ask: run('true'),
      completes: { 'premath run': run('echo x > x.txt') },
      works: 'grep -q x x.txt',
    },
    {
      remedy: 'Run it again: premath land ….',
      given: place => {
        place.run(...begun, 'premath config set sandbox off', ...waits('bd-1'))
        place.write('check.sh', stopsOnce)
        place.write('land.sh', `echo $$ > pid\nexec node "$MAIN" land bd-1 ${stopping}\n`)
      },
      ask: 'sh land.sh',
      completes: { 'premath land bd-1': land('bd-1') },
      works: revert('bd-1'),
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
    {
      remedy: 'Run git submodule update --init in the main worktree to see why.',
      given: place => {
        place.run(...begun)
        place.write('.gitmodules', '[submodule "part"]\n\tpath = part\n\turl = /nowhere\n')
        place.run(
          'git add .gitmodules',
          'git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),part"',
          'git commit -q -m part',
        )
      },
      ask: run('echo x > x.txt'),
      shows: /nowhere/,
    },
    {
      remedy:
        '… changed during the run, and is not committed: look at it with git diff, then commit or restore it',
      given: place => {
        place.write('work.sh', changesSettings)
        place.run('premath init', 'premath config set verifiers 1', ...begun)
      },
      ask: run('sh work.sh'),
      shows: /\+.*"verifiers": ?2/,
    },
    {
      remedy: 'git reflog … shows when the branch was rewritten.',
      given: place => {
        place.run(...landed, 'git reset -q --soft HEAD~2')
        const { 'bd-1': row } = place.project.rowsById()
        const ids = Array.from({ length: 21 }, (_, number) => `bd-${number + 1}`)
        place.project.given(...ids.map(id => ({ ...row, id })))
      },
      // The page shows the first ten findings.
      ask: 'premath doctor --json',
      shows: /reset: moving to HEAD~/,
    },
    {
      remedy: 'The close stays queued. premath land tries it again.',
      given: place => {
        place.write('check.sh', movesTarget)
        place.run(...agentWith('sh check.sh'), 'echo x > work.txt', close)
      },
      ask: 'premath land',
      works: revert('bd-1'),
    },
    {
      remedy: 'The closes stay queued. Run the command again, or premath land.',
      given: place => {
        place.write('check.sh', stopsOnce)
        place.write('land.sh', 'echo $$ > pid\nexec node "$MAIN" land\n')
        place.run(...agentWith('sh check.sh'), 'echo x > work.txt', close)
      },
      ask: 'sh land.sh',
      works: revert('bd-1'),
    },
    {
      remedy: 'Verify its commit again: premath land … --as ….',
      given: place => {
        cutOff({ isMoved: true })(place)
        rmSync(place.at('.premath/proofs'), { recursive: true })
      },
      ask: land('bd-1'),
      completes: { 'premath land bd-1 --as': land('bd-1', '--as') },
      works: revert('bd-1'),
    },
    {
      remedy: 'premath issue compact',
      given: inCrlf('.premath/issues.jsonl'),
      ask: 'premath doctor',
    },
    {
      remedy: 'premath issue migrate-events',
      given: inCrlf('.premath/memory/events.jsonl'),
      ask: 'premath doctor',
    },
    {
      remedy: 'premath instruction-run --instruction …',
      given: linked,
      ask: 'premath instruction new --issue bd-1',
      works: underInstruction,
    },
    {
      remedy: 'premath policy set --input … --reason <why>',
      given: linked,
      // Without a terminal, at which the command would put it in force itself.
      ask: 'node "$MAIN" instruction new --issue bd-1',
      works: [runsInstruction, underInstruction],
    },
    {
      remedy:
        'A person puts it in force: premath policy set --input … --promotion <evidence> --reason <why>.',
      given: governed,
      ask: 'premath doctor',
      completes: {
        'premath policy set --input .premath/policy.json --promotion <evidence> --reason <why>':
          'premath policy set --input .premath/policy.json --promotion evidence.json --reason begin',
      },
    },
    {
      remedy: 'continue with premath harness-kpi remediate --reason <text>',
      given: place => {
        place.run(...begun)
        for (const step of [1, 2, 3]) place.run(failed(step))
      },
      ask: 'premath harness-kpi',
      completes: {
        'premath harness-kpi remediate --reason <text>':
          'premath harness-kpi remediate --reason mended',
      },
      works: `node "$MAIN" harness-kpi --json | grep -E '"paused": ?false'`,
    },
    {
      remedy: 'premath instruction new --issue …',
      given: linked,
      ask: 'premath issue update bd-1 --title other',
      works: [runsInstruction, underInstruction],
    },
  ] satisfies readonly Row[]
).map(row => ({ ...row, env: { ...gitVariables, MAIN: main } }))

/** `premath run`: every closed issue is one verified commit on the target. */
import { execSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import type { Ended } from './a-git-project.ts'
import { eventsIn, LandingProject, quickVerify, verifyCommand } from './a-landing-project.ts'
import { describeWithGit, gitEnv } from './a-repository.ts'
import { fewOf } from './sim/seeded.ts'

describeWithGit('premath run', () => {
  let project: LandingProject
  afterEach(() => project.remove())

  const argsOf = (work: string, more: readonly string[]) => {
    const verify = more.includes('--verify-cmd') ? [] : ['--verify-cmd', quickVerify]
    return ['run', '--work-cmd', work, ...verify, ...more, '--json']
  }

  const withEvents = <End extends Pick<Ended, 'status' | 'stdout'>>(ended: End) => ({
    ...ended,
    events: ended.status === 2 ? [] : eventsIn(ended.stdout),
  })

  const run = (work: string, ...more: readonly string[]) =>
    withEvents(project.premath(argsOf(work, more)))

  /** As people start it. */
  const runProcess = async (work: string, ...more: readonly string[]) =>
    withEvents(await project.run(argsOf(work, more)))

  /** For tests about what the work does to git. The files are of no interest. */
  const quickly = (work: string, ...more: readonly string[]) =>
    run(
      work,
      ...['--workers', '1', '--no-baseline'],
      ...(more.includes('--verify-cmd') ? [] : ['--verify-cmd', 'true']),
      ...more,
    )

  /** Ten issues in a diamond: one at the top, two rows of four that wait, one at the end. */
  const diamond = {
    top: [],
    a1: ['top'],
    a2: ['top'],
    a3: ['top'],
    a4: ['top'],
    b1: ['a1', 'a2'],
    b2: ['a2', 'a3'],
    b3: ['a3', 'a4'],
    b4: ['a4', 'a1'],
    end: ['b1', 'b2', 'b3', 'b4'],
  } as const

  /** A script that waits ends with the test, which removes it. */
  const rest = 'rest() { sleep 0.05; [ -e "$0" ] || exit 1; }'

  /**
   * In its first attempt, a1 forgets its line in the list. All of its row begin at the same commit,
   * and the others end their work when its candidate is there, so each of them comes behind it.
   */
  const forgetful = () =>
    project.script(
      'forgetful',
      `#!/bin/sh
${rest}
there() { git rev-parse --quiet --verify "$1" > /dev/null; }
case $PREMATH_ISSUE_ID-$PREMATH_ATTEMPT in
  a1-1)
    for other in a2 a3 a4; do
      until there refs/heads/premath/$other; do rest; done
    done
    mkdir -p items && echo a1 > items/a1
    exit ;;
  a?-1) until there refs/premath/candidates/a1; do rest; done ;;
esac
exec ${project.agent()}
`,
    )

  /** The red candidate of a1 is verified until another one is stacked on it. */
  const patient = () =>
    project.script(
      'patient',
      `#!/bin/sh
${rest}
if [ -e items/a1 ] && ! grep -q '^a1$' list.txt && [ "$(git log -1 --format=%s)" = 'Add a1 (a1)' ]; then
  head=$(git rev-parse HEAD)
  until git for-each-ref --format='%(parent)' refs/premath/candidates/ | grep -q "$head"; do
    rest
  done
fi
${quickVerify}
`,
    )

  test.each(fewOf([4, 2, 1]))(
    'lands ten issues that edit the same file, with %i workers',
    async workers => {
      project = new LandingProject('landing', { 'notes.md': 'notes\n' })
      project.issues(diamond)
      writeFileSync(project.at('notes.md'), 'my own edit\n')
      writeFileSync(project.at('mine.txt'), 'not tracked\n')
      const count = ['--workers', String(workers), '--verifiers', '2']
      const { status, events, stderr } =
        workers === 4
          ? await runProcess(forgetful(), ...count, '--verify-cmd', patient())
          : await runProcess(project.agent(), ...count, '--verify-cmd', verifyCommand)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      const landed = project.landed()
      expect(landed.map(({ issueId }) => issueId).sort()).toEqual(Object.keys(diamond).sort())
      for (const [id, on] of Object.entries(diamond)) {
        const commit = landed.findIndex(({ issueId }) => issueId === id)
        expect(project.issue(id)).toMatchObject({
          status: 'closed',
          metadata: { premathClose: { commit: landed[commit]?.id, target: 'main' } },
        })
        for (const other of on) {
          expect(landed.findIndex(({ issueId }) => issueId === other)).toBeLessThan(commit)
        }
      }
      expect(project.redCommits()).toEqual([])
      expect(project.read('notes.md')).toBe('my own edit\n')
      expect(project.read('mine.txt')).toBe('not tracked\n')
      expect(project.git('-C', project.root, 'status', '--porcelain')).toBe(
        ' M notes.md\n?? mine.txt',
      )
      expect(project.leftovers()).toEqual([])
      const conflicts = events.filter(event =>
        event.failureClasses?.includes('landing_conflict'),
      ).length
      const restacked = events.filter(({ event }) => event === 'restacked').length
      if (workers === 4) {
        expect(conflicts).toBeGreaterThanOrEqual(3)
        expect(restacked).toBeGreaterThanOrEqual(1)
      }
      if (workers === 1) expect(conflicts).toBe(0)
      const verified = project.asked('witness', 'verify', '--all')
      expect(verified.json).toMatchObject({ result: 'accepted' })
    },
  )

  const git = (...args: readonly string[]) => project.git('-C', project.root, ...args)
  const statusOf = (id: string) => project.issue(id).status
  const classesOf = (
    events: readonly { event: string; issueId?: string; resultClass?: string }[],
  ) =>
    events
      .filter(({ event }) => event === 'attempt.ended')
      .map(({ issueId, resultClass }) => `${issueId} ${resultClass}`)

  test('a conflict that nobody resolves blocks its issue, and the others land', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: [], c: [] })
    // It waits until another issue has landed, overwrites the file, and leaves every conflict.
    const stubborn = project.script(
      'stubborn',
      `#!/bin/sh
case $PREMATH_ISSUE_ID in
  b) until git log --format=%s main | grep -q Add; do sleep 0.05; done
     grep -q '^<<<<<<<' list.txt || echo "b of $PREMATH_ATTEMPT" > list.txt ;;
  *) ${project.agent()} ;;
esac
`,
    )
    const { status, events } = run(stubborn, '--workers', '3')
    expect(status).toBe(1)
    expect(['a', 'b', 'c'].map(statusOf)).toEqual(['closed', 'blocked', 'closed'])
    expect(
      project
        .landed()
        .map(({ issueId }) => issueId)
        .sort(),
    ).toEqual(['a', 'c'])
    expect(classesOf(events).filter(one => one.startsWith('b '))).toEqual([
      'b retry_needed_landing_conflict',
      'b retry_needed_landing_conflict',
      'b landing_conflict',
    ])
    // The markers are kept beside the branch, so that they cannot land with it.
    expect(git('show', 'premath/b:list.txt')).not.toContain('<<<<')
    expect(project.leftovers()).toEqual([
      'refs/heads/premath/b',
      expect.stringMatching(/^refs\/premath\/attempts\/b\//),
    ])
  })

  test('a semantic conflict is found before the target moves', () => {
    // Each passes alone. Together they have two kings.
    project = new LandingProject('landing', {
      'kings.test.mjs': `import { test } from 'node:test'
import { ok } from 'node:assert'
import { readdirSync } from 'node:fs'
test('there is one king', () => {
  ok(readdirSync('.').filter(name => name.endsWith('.king')).length < 2)
})
`,
    })
    project.issues({ a: [], b: [] })
    const work = project.script(
      'crown',
      '#!/bin/sh\n[ $PREMATH_ATTEMPT = 1 ] || rm -f $PREMATH_ISSUE_ID.king\n' +
        '[ $PREMATH_ATTEMPT = 1 ] && touch $PREMATH_ISSUE_ID.king || echo subject > $PREMATH_ISSUE_ID.txt\n',
    )
    const { status, events } = run(
      work,
      ...['--workers', '2', '--verifiers', '2', '--verify-cmd', verifyCommand],
    )
    expect(status).toBe(0)
    expect(classesOf(events).filter(one => one.includes('check_failed'))).toHaveLength(1)
    expect(project.landed()).toHaveLength(2)
    expect(project.redCommits()).toEqual([])
  })

  test('whatever commits the agent makes, one green commit lands', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const work = project.script(
      'commits',
      `#!/bin/sh
set -e
mkdir items && echo a > items/a && git add -A && git commit -qm 'red'
echo a >> list.txt && git commit -qam 'green'
git switch -qc mine && git merge -q --no-edit --no-ff main
echo done > done.txt
`,
    )
    const { status } = run(work, '--workers', '1')
    expect(status).toBe(0)
    expect(project.landed()).toEqual([
      { id: expect.any(String), subject: 'Add a (a)', issueId: 'a' },
    ])
    expect(project.redCommits()).toEqual([])
    expect(project.read('done.txt')).toBe('done\n')
    expect(project.git('-C', project.root, 'rev-list', '--count', 'main')).toBe('2')
  })

  const rudeToLink = [
    ['links to the repository of the person', `echo 'gitdir: ../../../.git' > .git`],
    ['removes .git', 'rm .git'],
    [
      'makes a repository of its own',
      'rm .git; git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm own',
    ],
  ] as const

  test.each(fewOf(rudeToLink))('work that %s changes nothing of the person', (_what, rude) => {
    project = new LandingProject('landing', { 'notes.md': 'notes\n' })
    writeFileSync(project.at('notes.md'), 'my own edit\n')
    project.issues({ a: [], b: [] })
    const work = project.script('rude', `#!/bin/sh\n${project.agent()}\n${rude}\n`)
    const { status } = quickly(work)
    expect(status).toBe(0)
    expect(project.landed().map(({ issueId }) => issueId)).toEqual(['a', 'b'])
    expect(project.git('-C', project.root, 'rev-list', '--count', 'main')).toBe('3')
    expect(project.git('-C', project.root, 'status', '--porcelain')).toBe(' M notes.md')
    expect(project.read('notes.md')).toBe('my own edit\n')
    expect(project.leftovers()).toEqual([])
  })

  const rudeToBranch = [
    ['begins a new history', 'git checkout -q --orphan new && git add -A && git commit -qm new'],
    ['deletes its branch', 'git update-ref -d HEAD'],
    ['leaves a lock', 'touch "$(git rev-parse --git-dir)/index.lock"'],
    ['locks its worktree', 'git worktree lock .'],
    [
      'has line ends that git would change',
      'git config core.autocrlf true; git config core.safecrlf true',
    ],
  ] as const

  test.each(fewOf(rudeToBranch))('work that %s lands, and so does the next', (_what, rude) => {
    project = new LandingProject('landing', { 'notes.md': 'notes\n' })
    project.issues({ a: [], b: [] })
    const text = `#!/bin/sh\n${project.agent()}\n[ $PREMATH_ISSUE_ID = b ] && exit 0\nrm notes.md; ${rude}\n`
    const { status, stderr } = quickly(project.script('rude', text))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(project.landed().map(({ issueId }) => issueId)).toEqual(['a', 'b'])
    expect(existsSync(project.at('notes.md'))).toBe(false)
    expect(project.leftovers()).toEqual([])
  })

  test('work that git cannot commit fails its issue only', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: [] })
    const text = `#!/bin/sh\n${project.agent()}\n[ $PREMATH_ISSUE_ID = b ] || git init -q part\n`
    const { status, events } = quickly(project.script('rude', text))
    expect(status).toBe(1)
    expect(['a', 'b'].map(statusOf)).toEqual(['blocked', 'closed'])
    expect(JSON.stringify(events)).toContain("'part/' does not have a commit checked out")
    expect(project.leftovers()).toEqual(['refs/heads/premath/a'])
    // What git could add is kept.
    expect(project.git('-C', project.root, 'show', 'premath/a:items/a')).toBe('a')
  })

  test.each(fewOf(['committed', 'forced'] as const))('work cannot change issue memory, %s', how => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    if (how === 'committed') project.git('-C', project.root, 'add', '--force', '.premath')
    if (how === 'committed') project.git('-C', project.root, 'commit', '-qm', 'Add memory.')
    const text = `#!/bin/sh\n${project.agent()}\nmkdir -p .premath/memory\necho evil >> .premath/issues.jsonl\necho evil > .premath/memory/evil\ngit add --force .premath\n`
    const work = project.script('rude', text)
    const { status, stderr } = quickly(work, '--no-commit-memory')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(project.landed()).toHaveLength(1)
    const changed = project.git('-C', project.root, 'diff', '--name-only', 'main^', 'main')
    expect(changed.split('\n')).toEqual(['items/a', 'list.txt'])
  })

  const removals = [
    ['the part of git', 'rm -rf "$(git rev-parse --git-dir)"'],
    ['its worktree', 'git worktree remove --force .'],
    ['its folder', 'rm -rf "$PWD"'],
  ] as const

  test.each(fewOf(removals))(
    'work that removes %s leaves nothing behind, and a later run lands it',
    (_what, rude) => {
      project = new LandingProject('landing')
      project.issues({ a: [] })
      const work = project.script('rude', `#!/bin/sh\n${project.agent()}\n${rude}\n`)
      const { status, stderr } = quickly(work)
      expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
      expect(project.worktrees).toEqual([project.root])
      expect(quickly(project.agent()).status).toBe(0)
      expect(project.landed()).toHaveLength(1)
      expect(project.leftovers()).toEqual([])
    },
  )

  test('an unfinished rebase fails its issue, and the next begins in a clean worktree', () => {
    project = new LandingProject('landing', {
      '.gitignore': '.premath/\nartifacts/\n*.tmp\ndeps/\n',
    })
    project.issues({ a: [], b: [] })
    const work = project.script(
      'rebase',
      `#!/bin/sh
if [ $PREMATH_ISSUE_ID = a ]; then
  touch left.tmp
  [ $PREMATH_ATTEMPT = 1 ] || exit 0
  echo one > list.txt && git commit -qam one && git branch one
  git reset -q --hard HEAD^ && echo two > list.txt && git commit -qam two
  git rebase -q one
  exit 0
fi
[ ! -e "$(git rev-parse --git-dir)/rebase-merge" ] && [ ! -e left.tmp ] && [ -e deps/made ] || exit 1
${project.agent()}
`,
    )
    const startup = ['--startup-cmd', 'mkdir -p deps && touch deps/made']
    const { status, events } = quickly(work, ...startup)
    expect(status).toBe(1)
    expect(['a', 'b'].map(statusOf)).toEqual(['blocked', 'closed'])
    expect(JSON.stringify(events)).toContain('the work left an unfinished rebase')
  })

  test('the start-up command runs again before a verification if a lock file changed', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: ['a'], c: ['b'], d: ['c'] })
    const starts = project.at('../starts')
    const startup = `case $PWD in *verify.*) git log -1 --format=%s >> '${starts}' ;; esac`
    const text = `#!/bin/sh\n${project.agent()}\n[ $PREMATH_ISSUE_ID != c ] || echo '{}' > package-lock.json\n`
    const { status } = quickly(project.script('lock', text), '--startup-cmd', startup)
    expect(status).toBe(0)
    expect(readFileSync(starts, 'utf8')).toBe('Add a (a)\nAdd c (c)\n')
  })

  test('work that a killed run left is kept until its issue closes', async () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const begun = project.at('../begun')
    const slow = project.script(
      'slow',
      `#!/bin/sh\necho half > half.txt\ntouch '${begun}'\nsleep 100\n`,
    )
    const args = ['--workers', '1', '--no-baseline', '--verify-cmd', 'true']
    const running = project.start(['run', '--work-cmd', slow, ...args])
    await expect.poll(() => existsSync(begun)).toBe(true)
    running.child.kill('SIGKILL')
    await running.ended
    const kept = project.at('../kept')
    const next = project.script(
      'next',
      `#!/bin/sh\ngit show "$(git for-each-ref --format='%(objectname)' refs/premath/attempts/a/):half.txt" > '${kept}'\n[ ! -e half.txt ] || exit 1\n${project.agent()}\n`,
    )
    expect(quickly(next).status).toBe(0)
    expect(readFileSync(kept, 'utf8')).toBe('half\n')
    expect(project.git('-C', project.root, 'ls-tree', '--name-only', 'main')).not.toContain('half')
    expect(project.leftovers()).toEqual([])
  })

  test('ignored files of the person park a landing, and the next one lands', () => {
    project = new LandingProject('landing')
    project.git('-C', project.root, 'config', 'core.excludesFile', project.at('../excluded'))
    writeFileSync(project.at('../excluded'), '.env\nbuild/\n')
    writeFileSync(project.at('.env'), 'SECRET=1\n')
    mkdirSync(project.at('build'))
    writeFileSync(project.at('build/out'), 'mine\n')
    project.issues({ a: [], b: [], c: [] })
    const work = project.script(
      'add',
      `#!/bin/sh
set -e
case $PREMATH_ISSUE_ID in
  a) echo example > .env && git add -f .env ;;
  b) mkdir build && echo built > build/out && git add -f build ;;
  c) echo c > c.txt ;;
esac
`,
    )
    const { status, events } = run(work, '--workers', '1')
    expect(status).toBe(1)
    expect(project.landed().map(({ issueId }) => issueId)).toEqual(['c'])
    expect([project.read('.env'), project.read('build/out')]).toEqual(['SECRET=1\n', 'mine\n'])
    expect(['a', 'b', 'c'].map(statusOf)).toEqual(['blocked', 'blocked', 'closed'])
    const parked = events.filter(({ about }) => about === 'landing_parked')
    expect(
      parked.map(({ issueId, message }) => [issueId, /\.env|build\/out/.exec(message)?.[0]]),
    ).toEqual([
      ['a', '.env'],
      ['b', 'build/out'],
    ])
    expect(events.at(-1)).toMatchObject({
      failed: [],
      parked: [{ issueId: 'a' }, { issueId: 'b' }],
      budget: { failures: 0 },
      nextStep: expect.stringContaining('premath land a'),
    })
    const asked = project.premath(['land'])
    expect(asked.stdout).toContain(
      'a waits to land: premath land a\nb waits to land: premath land b\n',
    )
    // The person makes room, and lands it.
    rmSync(project.at('.env'))
    const landed = project.premath(['land', 'a', '--verify-cmd', quickVerify])
    expect({ ...landed, stdout: '' }).toMatchObject({ status: 0, stderr: expect.any(String) })
    expect(project.read('.env')).toBe('example\n')
    expect(statusOf('a')).toBe('closed')
    expect(project.asked('land', 'status').json).toMatchObject({
      count: 1,
      items: [{ issueId: 'b', state: 'waiting', branch: 'premath/b', commits: 1 }],
    })
  })

  test('a target that fails by itself stops the run before anything is claimed', () => {
    project = new LandingProject('landing', { 'list.txt': 'items:\nmissing\n' })
    project.issues({ a: [] })
    const suite = ['--verify-cmd', verifyCommand]
    const { status, stderr } = run(project.agent(), '--workers', '1', ...suite)
    expect(status).toBe(3)
    expect(stderr).toContain('nothing was claimed, because main fails by itself')
    expect(stderr).toMatch(/exit code 1\n {2}\| .*\n(?: {2}\|.*\n)+ {2}The output is in /)
    expect(project.rows('issues.jsonl')).toHaveLength(1)
    expect(project.leftovers()).toEqual([])
  })

  const changes = [
    ['changes files and commits', 'echo formatted > list.txt; git commit -qam formatted'],
    ['changes files', 'echo formatted > list.txt'],
  ] as const

  test.each(fewOf(changes))(
    'a verification that %s proves another tree, and fails',
    (_what, verify) => {
      project = new LandingProject('landing')
      project.issues({ a: [] })
      const { status, events } = quickly(project.agent(), '--verify-cmd', verify)
      expect(status).toBe(1)
      expect(classesOf(events).at(-1)).toMatch(/^a .*verification_changed_files$/)
      expect(project.landed()).toEqual([])
    },
  )

  test('a commit of somebody else in the middle is built upon', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    // The person commits while the candidate is verified.
    const verify = project.script(
      'verify',
      `#!/bin/sh
set -e
${quickVerify}
[ -f items/a ] || exit 0
[ -f '${project.at('../once')}' ] && exit 0
touch '${project.at('../once')}'
cd '${project.root}' && echo mine > mine.txt && git add mine.txt && git commit -qm mine
`,
    )
    const args = ['--work-cmd', project.agent(), '--verify-cmd', verify, '--workers', '1']
    const { status, stderr } = project.premath(['run', ...args])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const subjects = project.git('-C', project.root, 'log', '--format=%s', '-3')
    expect(subjects).toBe('Add a (a)\nmine\nThe project begins.')
    expect(project.read('mine.txt')).toBe('mine\n')
    expect(project.git('-C', project.root, 'status', '--porcelain')).toBe('')
  })

  test('work that changes nothing fails, unless its issue needs no change', () => {
    project = new LandingProject('landing')
    project.given([
      { id: 'a', title: 'Look at it', labels: ['no-change'] },
      { id: 'b', title: 'Change it' },
    ])
    const { status, events } = run('true', '--workers', '1')
    expect(status).toBe(1)
    expect(['a', 'b'].map(statusOf)).toEqual(['closed', 'blocked'])
    expect(classesOf(events).at(-1)).toBe('b work_changed_nothing')
    expect(project.landed()).toEqual([])
  })

  test.each([
    ['a repository without a commit', 'has no commit yet', 'git add --all'],
    ['a detached head', 'no branch is checked out', '--onto'],
    ['a branch called premath', 'a branch called premath blocks', 'git branch -m premath'],
  ])('%s gets a clear line', (what, message, hint) => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const { git, root } = project
    if (what.includes('without')) {
      git('-C', root, 'update-ref', '-d', 'HEAD')
    }
    if (what.includes('detached')) git('-C', root, 'checkout', '--quiet', '--detach')
    if (what.includes('called')) git('-C', root, 'branch', 'premath')
    const { status, stderr } = run('true', '--workers', '1')
    expect(status).toBeGreaterThan(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(statusOf('a')).toBeUndefined()
  })

  test('a submodule that cannot be fetched stops the run before anything is claimed', () => {
    project = new LandingProject('landing')
    const { git, root } = project
    const other = project.at('../other')
    git('init', '--quiet', other)
    git(
      '-C',
      other,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a',
      'commit',
      '-qm',
      'a',
      '--allow-empty',
    )
    const add = ['submodule', '--quiet', 'add', other, 'part']
    git('-C', root, '-c', 'protocol.file.allow=always', ...add)
    git('-C', root, 'commit', '--quiet', '-m', 'Add a part.')
    rmSync(other, { recursive: true })
    project.issues({ a: [] })
    const { status, stderr } = run(project.agent(), '--workers', '1')
    expect(status).toBe(3)
    expect(stderr).toContain('the submodules of')
    expect(stderr).toContain('git submodule update --init')
    expect(statusOf('a')).toBeUndefined()
  })

  test('the target is deleted in the middle: the work is kept, and a later run lands it', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    project.git('-C', project.root, 'switch', '--quiet', '-c', 'other')
    const work = project.script(
      'delete',
      `#!/bin/sh\n${project.agent()}\ngit -C '${project.root}' branch -q -D main\n`,
    )
    const { status, events } = run(work, '--workers', '1', '--onto', 'main')
    expect(status).toBe(3)
    expect(JSON.stringify(events)).toContain('the branch main is gone')
    expect(statusOf('a')).not.toBe('closed')
    project.git('-C', project.root, 'branch', 'main')
    const again = run(project.agent(), '--workers', '1', '--onto', 'main')
    expect(again.status).toBe(0)
    expect(project.landed()).toHaveLength(1)
    expect(project.leftovers()).toEqual([])
  })

  test('a target that nobody has checked out is landed on, and this branch stays', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    project.git('-C', project.root, 'switch', '--quiet', '-c', 'mine')
    const { status } = run(project.agent(), '--workers', '1', '--onto', 'main')
    expect(status).toBe(0)
    expect(project.landed('main')).toHaveLength(1)
    expect(project.landed('mine')).toEqual([])
    expect(project.git('-C', project.root, 'status', '--porcelain')).toBe('')
  })

  test('a tag with the name of the branch is no obstacle', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    project.git('-C', project.root, 'tag', 'main')
    const { status, stderr } = quickly(project.agent())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(project.landed('refs/heads/main')).toHaveLength(1)
  })

  test('a linked git folder is followed', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    renameSync(project.at('.git'), project.at('../linked.git'))
    symlinkSync('../linked.git', project.at('.git'))
    const { status, stderr } = quickly(project.agent())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(project.read('items/a')).toBe('a\n')
    expect(project.git('-C', project.root, 'status', '--porcelain')).toBe('')
  })

  test('issue memory is committed at the end, without what the project ignores', () => {
    const ignored = '.premath/*\n!.premath/issues.jsonl\nartifacts/\n'
    project = new LandingProject('landing', { '.gitignore': ignored })
    project.issues({ a: [] })
    const { git, root } = project
    git('-C', root, 'add', '--all')
    git('-C', root, 'commit', '--quiet', '-m', 'Track issue memory.')
    const { status, stderr } = quickly(project.agent())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(git('-C', root, 'log', '--format=%s', '-2')).toBe('Record issue memory\nAdd a (a)')
    expect(git('-C', root, 'diff', '--name-only', 'main^', 'main')).toBe('.premath/issues.jsonl')
    expect(git('-C', root, 'status', '--porcelain')).toBe('')
    expect(project.leftovers()).toEqual([])
    // Killed just before the index follows, it leaves its lock. The next run has nothing to commit.
    const [base, commit] = git('-C', root, 'rev-parse', 'main^', 'main').split('\n')
    const holders = [{ path: root, gitFolder: project.at('.git') }]
    const note = { target: 'main', base, commit, isFromDisk: true, holders }
    writeFileSync(project.at('.git/premath/landing.json'), `${JSON.stringify(note)}\n`)
    git('-C', root, 'read-tree', 'main^')
    writeFileSync(project.at('.git/index.lock'), `premath lands ${commit}\n`)
    expect(quickly(project.agent()).status).toBe(0)
    expect(existsSync(project.at('.git/index.lock'))).toBe(false)
    expect(git('-C', root, 'status', '--porcelain')).toBe('')
  })

  test('sessions and trajectories of this machine are not committed', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n.premath/worktrees/\n' })
    project.issues({ a: [] })
    const { git, root } = project
    git('-C', root, 'add', '--all')
    git('-C', root, 'commit', '--quiet', '-m', 'Track issue memory.')
    expect(quickly(project.agent()).status).toBe(0)
    const changed = git('-C', root, 'diff', '--name-only', 'main^', 'main').split('\n')
    expect(changed).toContain('.premath/issues.jsonl')
    expect(changed.filter(path => !/issues.jsonl|proofs|memory/.test(path))).toEqual([])
    expect(existsSync(project.at('.premath/harness_trajectory.jsonl'))).toBe(true)
  })

  test('copies the files that commands need, and nothing else that git ignores', () => {
    project = new LandingProject('landing', { '.worktreeinclude': 'settings/*.local\n' })
    mkdirSync(project.at('settings'))
    writeFileSync(project.at('.git/config'), '[core]\nexcludesFile = ../excluded\n', { flag: 'a' })
    writeFileSync(project.at('../excluded'), '.env\n*.local\nother\n')
    for (const path of ['.env', 'settings/a.local', 'other']) writeFileSync(project.at(path), path)
    project.git('-C', project.root, 'config', 'core.excludesFile', project.at('../excluded'))
    project.issues({ a: [] })
    const seen = project.at('../seen')
    const verify = `ls -A . settings >> '${seen}'`
    const args = ['--work-cmd', project.agent(), '--verify-cmd', verify, '--workers', '1']
    const { status } = project.premath(['run', '--no-baseline', ...args, '--copy-files', '.env'])
    expect(status).toBe(0)
    const names = readFileSync(seen, 'utf8').split('\n')
    expect(names).toEqual(expect.arrayContaining(['.env', 'a.local']))
    expect(names).not.toContain('other')
    expect(project.git('-C', project.root, 'ls-tree', '-r', '--name-only', 'main')).not.toMatch(
      /env|local/,
    )
  })

  test('with --land none, issues close verified, and their work stays on their branches', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: [] })
    const { status, events } = run(project.agent(), '--workers', '2', '--land', 'none')
    expect(status).toBe(0)
    expect(events.at(-1)).toMatchObject({ event: 'run.ended', left: 0 })
    expect(project.landed()).toEqual([])
    for (const id of ['a', 'b']) {
      const commit = git('rev-parse', `premath/${id}`)
      const { premathClose } = project.issue(id).metadata
      expect(premathClose).toMatchObject({ commit })
      expect(premathClose).not.toHaveProperty('target')
      expect(git('rev-parse', `${commit}^`)).toBe(git('rev-parse', 'main'))
    }
    expect(project.asked('witness', 'verify', '--all').json).toMatchObject({ result: 'accepted' })
    // The next run leaves them alone: the branches are all there is of the work.
    project.premath(['issue', 'add', 'More', '--id', 'c'])
    expect(run(project.agent(), '--workers', '1').status).toBe(0)
    expect(project.branches).toEqual(['main', 'premath/a', 'premath/b'])
  })

  test('with --land branch, an issue closes when somebody has merged its branch', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: [], c: ['a'] })
    const opened = project.at('../opened')
    const open = `echo "$PREMATH_BRANCH onto $PREMATH_TARGET" >> '${opened}'`
    const flags = ['--workers', '1', '--land', 'branch', '--land-cmd', open]
    const { status, events } = run(project.agent(), ...flags)
    expect(status).toBe(0)
    expect(events.at(-1)).toMatchObject({ inReview: ['a', 'b'], closed: [] })
    expect(readFileSync(opened, 'utf8')).toBe('premath/a onto main\npremath/b onto main\n')
    expect(['a', 'b', 'c'].map(statusOf)).toEqual(['in_review', 'in_review', undefined])
    expect(project.issue('a').lease).toBeUndefined()
    expect(project.asked('land', 'status').json.items).toMatchObject([
      { issueId: 'a', state: 'in_review' },
      { issueId: 'b', state: 'in_review' },
    ])
    // One is squashed elsewhere, as a forge does it, and the other is changed on the way.
    git('commit', '--quiet', '--allow-empty', '-m', 'something else')
    git('cherry-pick', 'premath/a')
    git('commit', '--quiet', '--amend', '-m', 'A, as merged')
    const merged = git('rev-parse', 'main')
    const again = run(project.agent(), ...flags)
    expect(again.status).toBe(0)
    expect(project.issue('a')).toMatchObject({
      status: 'closed',
      metadata: { premathClose: { commit: merged, target: 'main' } },
    })
    expect(statusOf('c')).toBe('in_review')
    const own = ['--verify-cmd', quickVerify]
    expect(project.premath(['land', 'b', '--as', 'premath/b', ...own]).status).toBe(2)
    expect(project.premath(['land', 'b', '--as', 'main', ...own]).status).toBe(0)
    expect(project.issue('b').metadata.premathClose.commit).toBe(git('rev-parse', 'main'))
  })

  test('a branch whose command fails is tried again by the policy', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const flags = ['--workers', '1', '--land', 'branch', '--land-cmd', 'echo no token; exit 1']
    const { status, events } = run(project.agent(), ...flags)
    expect(status).toBe(1)
    expect(events.find(({ event }) => event === 'attempt.ended')).toMatchObject({
      failureClasses: ['land_command_failed'],
      lastLines: ['no token'],
    })
    expect(statusOf('a')).toBe('open')
  })

  test('a person lands a branch that conflicts only after resolving it', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    git('switch', '--quiet', '-c', 'premath/a')
    writeFileSync(project.at('list.txt'), 'items: \n')
    git('commit', '--quiet', '-am', 'work')
    git('switch', '--quiet', 'main')
    writeFileSync(project.at('list.txt'), 'items :\n')
    git('commit', '--quiet', '-am', 'other work')
    const args = ['land', 'a', '--verify-cmd', 'true', '--json']
    const refused = project.premath(args)
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ failureClasses: ['landing_conflict'] })
    expect(project.leftovers()[0]).toBe('refs/heads/premath/a')
    expect(git('status', '--porcelain')).toBe('')
    git('switch', '--quiet', 'premath/a')
    git('merge', '--quiet', '-X', 'ours', '-m', 'merge', 'main')
    git('switch', '--quiet', 'main')
    expect(project.premath(args).status).toBe(0)
    expect(project.read('list.txt')).toBe('items: \n')
    expect(project.leftovers()).toEqual([])
  })

  test('a run says that memory went back, and which closed issue its target lacks', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n' })
    project.issues({ a: [] })
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    git('switch', '--quiet', '-c', 'try')
    expect(run(project.agent()).status).toBe(0)
    const commit = project.landed('try')[0]?.id.slice(0, 9)
    git('switch', '--quiet', 'main')
    git('branch', '--quiet', '-D', 'try')
    const { events } = run(project.agent())
    const notes = events.flatMap(({ event, message }) => (event === 'note' ? [message] : []))
    expect(notes).toContainEqual(
      expect.stringContaining('has an older version of 1 issue (a), as after'),
    )
    expect(notes).toContain(`a is closed, but its commit ${commit} is not on main`)
  })

  test('an issue waits while the work of its blocker is on another branch only', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n' })
    const edge = (id: string, on: string) => [{ issue_id: id, depends_on_id: on, type: 'blocks' }]
    project.given([
      { id: 'lib', title: 'Add lib' },
      { id: 'use', title: 'Add use', priority: 3, dependencies: edge('use', 'lib') },
      { id: 'talk', title: 'Talk', status: 'closed' },
      { id: 'write', title: 'Add write', priority: 4, dependencies: edge('write', 'talk') },
    ])
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    git('switch', '--quiet', '-c', 'topic')
    expect(quickly(project.agent(), '--max-steps', '1').status).toBe(0)
    git('switch', '--quiet', 'main')
    const { events } = quickly(project.agent(), '--new-budget')
    const waits = 'use waits for lib, which landed on topic, not on main'
    expect(events).toContainEqual(expect.objectContaining({ event: 'note', message: waits }))
    expect(events.at(-1)).toMatchObject({
      why: 'idle',
      // Its blocker was closed by hand.
      closed: ['write'],
      nextStep: `${waits}. Merge topic into main: git merge topic. Or have its work done again: premath reopen lib.`,
    })
    git('merge', '--quiet', '--no-edit', '-X', 'ours', 'topic')
    expect(quickly(project.agent(), '--new-budget').events.at(-1)).toMatchObject({
      why: 'done',
      closed: ['use'],
    })
  })

  test('a run goes on where the work of a blocker landed again', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n' })
    project.issues({ a: [], b: ['a'] })
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    git('switch', '--quiet', '-c', 'topic')
    quickly(project.agent(), '--max-steps', '1')
    git('switch', '--quiet', 'main')
    expect(project.premath(['reopen', 'a']).status).toBe(0)
    const { events } = quickly(project.agent(), '--new-budget')
    expect(events.at(-1)).toMatchObject({ why: 'done', closed: ['a', 'b'] })
  })

  test('a run and status say that the target lacks work of closed issues', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n' })
    project.issues({ a: [], b: [] })
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    const before = git('rev-parse', 'HEAD')
    expect(quickly(project.agent()).status).toBe(0)
    const landed = git('rev-parse', 'HEAD')
    git('reset', '--quiet', '--hard', before)
    const words = '2 issues are closed, but main lacks their work: a, b'
    const { status, events } = quickly(project.agent(), '--new-budget')
    expect(status).toBe(1)
    expect(events.at(-1)).toMatchObject({
      why: 'done',
      lacking: { target: 'main', issues: ['a', 'b'] },
      nextStep: `${words}; premath doctor says what to do about them`,
    })
    const asked = project.premath(['status', '--json'])
    expect(JSON.parse(asked.stdout).attention).toMatchObject([
      { about: 'work_lost', message: words },
    ])
    git('cherry-pick', `${landed}~2`, `${landed}~1`)
    expect(quickly(project.agent(), '--new-budget').status).toBe(0)
    expect(JSON.parse(project.premath(['status', '--json']).stdout).attention).toEqual([])
  })

  test('a run says that somebody switched the branch, and the way back loses nothing', () => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n' })
    project.issues({ a: [], b: [] })
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    git('branch', 'feature')
    const work = `git -C '${project.root}' switch --quiet feature && ${project.agent()}`
    const { status, events } = quickly(work)
    expect(status).toBe(0)
    const [{ message = '' } = {}, more] = events.filter(
      ({ event, message: words }) => event === 'note' && /feature checked out/.test(words),
    )
    expect(more).toBeUndefined()
    const [about, back = ''] = message.split(': ')
    expect(about).toBe(
      'the main worktree has feature checked out, and the results are on main. To go back to it',
    )
    writeFileSync(project.at('mine.txt'), 'staged\n')
    git('add', 'mine.txt')
    expect(() => git('switch', '--quiet', 'main')).toThrow()
    execSync(back, { cwd: project.root, env: { ...process.env, ...gitEnv }, stdio: 'pipe' })
    expect(git('branch', '--show-current')).toBe('main')
    expect(git('status', '--porcelain')).toBe('A  mine.txt')
    expect(project.read('items/b')).toBe('b\n')
    git('reset', '--quiet')
    git('merge', '--quiet', '--no-edit', 'feature')
    expect(['a', 'b'].map(statusOf)).toEqual(['closed', 'closed'])
  })

  test.each([
    ['a merge', 'merge other', 'merge --abort'],
    ['a cherry-pick', 'cherry-pick other', 'cherry-pick --abort'],
    ['a rebase', 'rebase other', 'rebase --abort'],
  ])('nothing is claimed while %s with conflicts is open', (operation, command, abort) => {
    project = new LandingProject('landing', { '.gitignore': 'artifacts/\n', 'a.txt': 'a\n' })
    project.issues({ a: [] })
    git('add', '--all')
    git('commit', '--quiet', '-m', 'memory')
    git('switch', '--quiet', '-c', 'other')
    writeFileSync(project.at('a.txt'), 'other\n')
    git('commit', '--quiet', '-a', '-m', 'other')
    git('switch', '--quiet', 'main')
    writeFileSync(project.at('a.txt'), 'main\n')
    git('commit', '--quiet', '-a', '-m', 'main')
    expect(() => git(...command.split(' '))).toThrow()
    const refused = quickly(project.agent(), '--onto', 'main')
    expect(refused.status).toBe(3)
    expect(refused.stderr).toContain(
      `nothing was claimed, because ${operation} is open in ${project.root}`,
    )
    expect(refused.stderr).toContain(`git ${abort}`)
    expect(project.rows('issues.jsonl')).toHaveLength(1)
    if (operation === 'a merge') {
      // Resolved files stop no landing.
      git('add', 'a.txt')
    } else git(...abort.split(' '))
    expect(quickly(project.agent()).status).toBe(0)
    expect(statusOf('a')).toBe('closed')
  })

  test('a landing says what landed, or why not and what helps', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: [] })
    for (const [id, path] of [
      ['a', 'a.txt'],
      ['b', 'list.test.mjs'],
    ] as const) {
      git('switch', '--quiet', '-c', `premath/${id}`, 'main')
      writeFileSync(project.at(path), 'mine\n')
      git('add', '--all')
      git('commit', '--quiet', '-m', id)
      git('switch', '--quiet', 'main')
    }
    const landing = (id: string) => project.premath(['land', id, '--verify-cmd', 'true'])
    const done = landing('a')
    const commit = git('log', '--format=%H', '-1', '--grep', 'Add a')
    expect(done.stdout).toBe(`Closed a: Add a\n  landed on main as ${commit.slice(0, 9)}\n`)
    const refused = landing('b')
    expect(refused.stdout).toBe(`Not landed b: Add b
  the work changed protected files: list.test.mjs (exists, and only new files may be added); a person allows it with premath issue update b --may-change <pattern>
  b is open, so the next run works on it again.
  Next: If the change is right, allow it: premath issue update b --may-change <pattern>. Then land it: premath land b.
`)
    // Neither the work that nobody does, nor the names of its steps.
    expect(done.stderr + refused.stderr).not.toMatch(/work:|land\.|retry|again in/)
  })

  test.each([
    ['blocked', []],
    ['open', ['a completed']],
  ])('a landing that fails leaves an issue %s', (status, attempts) => {
    project = new LandingProject('landing')
    project.given([{ id: 'a', title: 'A', status }])
    for (const [branch, text] of [
      ['premath/a', 'items: \n'],
      ['main', 'items :\n'],
    ] as const) {
      git('switch', '--quiet', ...(branch === 'main' ? [] : ['-c']), branch)
      writeFileSync(project.at('list.txt'), text)
      git('commit', '--quiet', '-am', branch)
    }
    const { status: code } = project.premath(['land', 'a', '--verify-cmd', 'true'])
    expect([code, statusOf('a')]).toEqual([1, status])
    // A run takes no blocked issue.
    const { events } = quickly('echo other > list.txt')
    expect(classesOf(events)).toEqual(attempts)
  })

  /** A verification that counts how often it runs on the work of an issue. */
  const counting = () => {
    const count = project.at('../count')
    const script = `#!/bin/sh\n[ ! -d items ] || echo ran >> '${count}'\n${quickVerify}\n`
    return {
      verify: project.script('counting', script),
      runs: () => (existsSync(count) ? readFileSync(count, 'utf8').split('\n').length - 1 : 0),
    }
  }

  const reused = 'a: this tree passed before, not verified again'
  const verifyWitness = () => {
    const [path] = project.issue('a').metadata.premathClose.witnesses
    return JSON.parse(project.read(path))
  }

  test('a candidate that is made again with the same files is verified once', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const { verify, runs } = counting()
    // The person makes a commit without a change while the candidate is verified.
    const once = project.at('../once')
    const meanwhile = project.script(
      'meanwhile',
      `#!/bin/sh
set -e
${verify}
[ -d items ] && [ ! -e '${once}' ] || exit 0
touch '${once}'
git -C '${project.root}' commit -qm mine --allow-empty
`,
    )
    const args = ['--work-cmd', project.agent(), '--verify-cmd', meanwhile, '--workers', '1']
    const { status, stdout } = project.premath(['run', ...args, '--json'])
    expect(status).toBe(0)
    expect(runs()).toBe(1)
    expect(eventsIn(stdout)).toContainEqual(
      expect.objectContaining({ event: 'note', workerId: 'worker.1', message: reused }),
    )
    const [landed] = project.landed()
    expect(verifyWitness()).toMatchObject({
      commit: landed?.id,
      stepId: 'worker.1.a.1.1',
      reusedFrom: { stepId: 'worker.1.a.1.1', commit: expect.not.stringMatching(`${landed?.id}`) },
    })
    expect(project.asked('witness', 'verify', '--all').json).toMatchObject({ result: 'accepted' })
    const trajectory = project.rows('harness_trajectory.jsonl').at(-1)
    expect(trajectory.commands.map(({ role }: { role: string }) => role)).toEqual(['work'])
  })

  /** The work of `a` is verified, and a file of the person keeps it from landing. */
  async function park(verify: string, ...more: readonly string[]): Promise<void> {
    const mine = project.at('items/a')
    mkdirSync(project.at('items'))
    writeFileSync(mine, 'mine\n')
    const args = ['--work-cmd', project.agent(), '--verify-cmd', verify, '--workers', '1', ...more]
    expect((await project.run(['run', ...args])).status).toBe(1)
    expect(statusOf('a')).toBe('blocked')
    rmSync(mine)
  }

  test('a later process lands what an earlier one verified', async () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const { verify, runs } = counting()
    await park(verify)
    expect(runs()).toBe(1)
    expect((await project.run(['land', 'a', '--verify-cmd', verify])).status).toBe(0)
    expect([statusOf('a'), runs()]).toEqual(['closed', 1])
    expect(verifyWitness()).toMatchObject({ reusedFrom: { stepId: 'worker.1.a.1.1' } })
    expect(project.asked('witness', 'verify', '--all').json).toMatchObject({ result: 'accepted' })
  })

  test.each([
    ['another command', (verify: string) => `${verify} # more`],
    ['a copied file that changed', (verify: string) => verify],
    ['a command that asks about the issue', (verify: string) => verify],
  ])('%s verifies the same tree again', async (what, changed) => {
    project = new LandingProject('landing', { '.gitignore': '.env\n' })
    writeFileSync(project.at('.env'), 'A=1\n')
    project.issues({ a: [] })
    const { verify, runs } = counting()
    const asked = what.includes('asks') ? `${verify} "$PREMATH_ISSUE_ID"` : verify
    await park(asked, '--copy-files', '.env')
    if (what.includes('copied')) writeFileSync(project.at('.env'), 'A=2\n')
    const args = ['--verify-cmd', changed(asked), '--copy-files', '.env']
    expect(project.premath(['land', 'a', ...args]).status).toBe(0)
    expect([statusOf('a'), runs()]).toEqual(['closed', 2])
    expect(verifyWitness()).not.toHaveProperty('reusedFrom')
  })

  test('the start-up command runs again after a verification changed what it made', () => {
    project = new LandingProject('landing', { '.gitignore': 'deps/\n' })
    project.issues({ a: [], b: ['a'], c: ['b'] })
    const starts = project.at('../starts')
    // It does not write over a file that is there, as package managers do.
    const start = project.script(
      'start',
      `#!/bin/sh
pwd >> '${starts}'
mkdir -p deps/one && { [ -e deps/one/lib.js ] || echo made > deps/one/lib.js; }
`,
    )
    // The verification of a changes a file, and the one of b leaves one.
    const verify = project.script(
      'verify',
      `#!/bin/sh
set -e
grep -q made deps/one/lib.js && [ ! -e deps/one/left ]
case $(ls items 2> /dev/null | tail -1) in
  a) echo changed > deps/one/lib.js ;;
  b) touch deps/one/left ;;
esac
`,
    )
    const args = ['--work-cmd', project.agent(), '--verify-cmd', verify, '--startup-cmd', start]
    const { status, stdout } = project.premath(['run', ...args, '--workers', '1', '--json'])
    expect(status).toBe(0)
    const seen = readFileSync(starts, 'utf8').split('\n')
    expect(seen.filter(path => path.endsWith('/verify.1'))).toHaveLength(3)
    const notes = eventsIn(stdout).filter(({ event }) => event === 'note')
    expect(notes.map(({ message }) => message).slice(1)).toEqual([
      'not sandboxed: the sandbox is off',
      'runs the start-up command again: a verification changed deps/one/lib.js',
      'runs the start-up command again: a verification changed deps/one/left',
    ])
  })

  test('a run tells before its start that the upstream is ahead', () => {
    project = new LandingProject('landing')
    project.issues({ a: [] })
    const git = (...args: readonly string[]) => project.git('-C', project.root, ...args)
    git('commit', '--quiet', '--allow-empty', '-m', 'theirs')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    git('reset', '--quiet', '--hard', 'HEAD~')
    git('remote', 'add', 'origin', project.folder)
    git('branch', '--quiet', '--set-upstream-to=origin/main')
    const { status, events } = run(project.agent(), '--workers', '1')
    expect(status).toBe(0)
    expect(events[0]).toMatchObject({
      event: 'note',
      workerId: 'coordinator',
      message: expect.stringContaining('origin/main has 1 commit that main lacks'),
    })
  })

  test('doctor names the issues whose commits a rewritten target lost', () => {
    project = new LandingProject('landing')
    project.issues({ a: [], b: ['a'] })
    expect(run(project.agent(), '--workers', '1').status).toBe(0)
    const findings = () =>
      project
        .asked('doctor')
        .json.findings.filter(({ check }: { check: string }) => check === 'landed')
    expect(findings()).toEqual([])
    const [, lost] = project.landed()
    project.git('-C', project.root, 'reset', '--quiet', '--hard', 'HEAD~')
    expect(findings()).toMatchObject([
      { what: `b landed as ${lost?.id}, which main no longer has`, exitCode: 1 },
    ])
  })
})

/** `premath land revert`: takes back what a closed issue landed, and opens the issue again. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { LandingProject, quickVerify, verifyCommand } from './a-landing-project.ts'
import { describeWithGit } from './a-repository.ts'
import { runInProcess } from './in-process.ts'
import { everySecond, inTurn } from './sim/seeded.ts'

const twoHours = 2 * 3600 * 1000

describeWithGit('premath land revert', () => {
  let project: LandingProject
  afterEach(() => project.remove())

  const git = (...args: readonly string[]) => project.git('-C', project.root, ...args)

  /** Each issue has a line of its own in the list, apart from the others. */
  const apart = () =>
    project.script(
      'apart',
      `#!/bin/sh
set -e
case $PREMATH_ISSUE_ID in a) line=3 ;; b) line=8 ;; *) line=13 ;; esac
mkdir -p items
echo "$PREMATH_ISSUE_ID" > "items/$PREMATH_ISSUE_ID"
sed "\${line}s/.*/$PREMATH_ISSUE_ID/" list.txt > list.new
mv list.new list.txt
`,
    )

  const run = (work = apart(), verify = quickVerify) => {
    const commands = ['--work-cmd', work, '--verify-cmd', verify, '--no-baseline']
    const { status, stdout } = project.premath(['run', '--workers', '1', ...commands])
    expect({ status, stdout }).toMatchObject({ status: 0 })
  }

  let made: LandingProject | undefined
  const copyOf = ({ folder }: LandingProject) => `${folder}.copy`
  afterAll(() => {
    if (made) rmSync(copyOf(made), { recursive: true })
  })

  /**
   * Three issues that landed, of which b waited for a. The first test makes them; later tests copy
   * them back to the same place.
   */
  function landed(): void {
    made ??= makeLanded()
    project = made
    cpSync(copyOf(made), made.folder, { recursive: true, verbatimSymlinks: true })
    // The index describes the files by their times, which a copy changes.
    git('status')
  }

  function makeLanded(): LandingProject {
    const list = `items:\n${'\n'.repeat(15)}`
    project = new LandingProject('revert', { 'list.txt': list, 'notes.md': 'notes\n' })
    project.issues({ a: [], b: ['a'], c: [] })
    run()
    expect(project.ids('closed')).toEqual(['a', 'b', 'c'])
    cpSync(project.folder, copyOf(project), { recursive: true, verbatimSymlinks: true })
    project.remove()
    return project
  }

  const revert = (...more: readonly string[]) => {
    const verify = more.includes('--verify-cmd') ? [] : ['--verify-cmd', quickVerify]
    const args = ['land', 'revert', ...more, ...verify, '--json']
    const { status, stdout, stderr } = project.premath(args)
    return { status, stderr, json: JSON.parse(stdout) }
  }

  const commitOf = (id: string): string => project.issue(id).metadata.premathClose.commit
  const commits = () => git('log', '--format=%s', 'main').split('\n')

  test('takes back one of three issues, which can then be done again', () => {
    landed()
    const row = project.issue('a')
    const [of, head] = [commitOf('a'), git('rev-parse', 'main')]
    writeFileSync(project.at('notes.md'), 'my own edit\n')
    const { status, json, stderr } = revert(
      'a',
      '--reason',
      'Breaks the export',
      '--verify-cmd',
      verifyCommand,
    )
    const commit = git('rev-parse', 'main')
    expect({ status, json }).toEqual({
      status: 0,
      json: {
        action: 'land.revert',
        issuesPath: '.premath/issues.jsonl',
        issueId: 'a',
        commit,
        reverted: of,
        target: 'main',
        status: 'open',
        closedDependents: ['b'],
        result: 'reverted',
      },
    })
    expect(stderr).toContain('note: b depended on a and stays closed')
    expect(git('rev-parse', 'main^')).toBe(head)
    expect(git('log', '-1', '--format=%B', 'main')).toBe(`Revert "Add a (a)"

This reverts commit ${of}.

Breaks the export

Premath-Issue: a
Premath-Step: revert.a.1.1`)
    // The files of the person followed, and the edit stays.
    expect(existsSync(project.at('items/a'))).toBe(false)
    expect(project.read('list.txt')).not.toContain('a\n')
    expect(git('status', '--porcelain')).toBe(' M notes.md')
    expect(project.read('notes.md')).toBe('my own edit\n')
    expect(project.redCommits()).toEqual([])
    expect(project.leftovers()).toEqual([])
    // The row is open again, and keeps how it was closed.
    const open = project.issue('a')
    expect(open.status).toBe('open')
    for (const gone of ['assignee', 'closed_at', 'lease']) expect(open).not.toHaveProperty(gone)
    expect(open.notes).toBe(`Commit ${of} was reverted on main by ${commit}: Breaks the export`)
    expect(open.metadata).toEqual({
      ...row.metadata,
      premathReverted: {
        commit,
        landed: of,
        target: 'main',
        at: open.updated_at,
        reason: 'Breaks the export',
      },
    })
    expect(project.ids('closed')).toEqual(['b', 'c'])
    expect(project.asked('witness', 'verify', '--all').json).toMatchObject({ result: 'accepted' })
    const shown = project.asked('issue', 'show', 'a').json
    expect(shown.issue.reverted).toMatchObject({ commit, landed: of, reason: 'Breaks the export' })

    // The commit that was taken back cannot close it again. The work can.
    const as = project.premath(['land', 'a', '--as', of, '--verify-cmd', 'true', '--json'])
    expect(as.status).toBe(2)
    expect(JSON.parse(as.stdout).error.message).toContain(`${of} was reverted by ${commit}`)
    expect(project.ids('open')).toEqual(['a'])
    run()
    expect(project.ids('closed')).toEqual(['a', 'b', 'c'])
    expect(project.read('items/a')).toBe('a\n')
    expect(commits().slice(0, 2)).toEqual(['Add a (a)', 'Revert "Add a (a)"'])
    expect(commitOf('a')).toBe(git('rev-parse', 'main'))
    expect(project.asked('issue', 'show', 'a').json.issue.reverted).toBeUndefined()
    expect(project.asked('witness', 'verify', '--all').json).toMatchObject({ result: 'accepted' })
    expect(project.asked('doctor').status).toBe(0)
    expect(project.leftovers()).toEqual([])
  })

  test('a second time refuses an open issue, and reverts one that landed again', () => {
    landed()
    expect(revert('c').status).toBe(0)
    const twice = revert('c')
    expect(twice).toMatchObject({
      status: 1,
      json: { error: { code: 'issue_not_landed', message: expect.stringContaining('c is open') } },
    })
    run()
    expect(revert('c').status).toBe(0)
    expect(commits().filter(subject => subject === 'Revert "Add c (c)"')).toHaveLength(2)
    expect(project.ids('open')).toEqual(['c'])
    expect(project.issue('c').notes.match(/was reverted on main/g)).toHaveLength(2)
  })

  /** Nothing moved, and the row is the one of the close. */
  function refused(asked: () => ReturnType<typeof revert>): ReturnType<typeof revert> {
    const { updated_at: _before, ...row } = project.issue('a')
    const head = git('rev-parse', 'main')
    const ended = asked()
    expect(git('rev-parse', 'main')).toBe(head)
    const { updated_at: _after, ...now } = project.issue('a')
    expect(now).toEqual(row)
    expect(project.leftovers()).toEqual([])
    return ended
  }

  test('a conflict names the files and the way by hand', () => {
    project = new LandingProject('revert')
    project.issues({ a: [], b: ['a'] })
    run(project.agent())
    const of = commitOf('a')
    const { status, json, stderr } = refused(() => revert('a'))
    expect({ status, json }).toMatchObject({
      status: 1,
      json: { failureClasses: ['landing_conflict'], paths: ['list.txt'] },
    })
    expect(stderr).toContain('in list.txt')
    expect(stderr).toContain(`git revert ${of}`)
    expect(stderr).toContain('premath reopen a')
  })

  test('a commit of which nothing is left says so', () => {
    project = new LandingProject('revert')
    project.issues({ a: [] })
    run(project.agent())
    git('revert', '--no-edit', commitOf('a'))
    const { status, json, stderr } = refused(() => revert('a'))
    expect({ status, json }).toMatchObject({
      status: 1,
      json: { failureClasses: ['work_changed_nothing'] },
    })
    expect(stderr).toContain('premath reopen a')
  })

  test('a failing verification moves nothing', () => {
    landed()
    const needsA = 'echo looks; test -e items/a'
    const { status, json } = refused(() => revert('a', '--verify-cmd', needsA))
    expect({ status, json }).toMatchObject({
      status: 1,
      json: { failureClasses: ['check_failed'], lastLines: ['looks'] },
    })
    const changes = 'echo more >> list.txt'
    const changed = refused(() => revert('a', '--verify-cmd', changes))
    expect(changed.json.failureClasses).toEqual(['verification_changed_files'])
  })

  test('a file of the person in the way stops it, and stays', () => {
    landed()
    writeFileSync(project.at('items/a'), 'edited by hand\n')
    const { status, json } = refused(() => revert('a'))
    expect({ status, json }).toMatchObject({
      status: 1,
      json: { failureClasses: ['landing_parked'], paths: ['items/a'] },
    })
    expect(project.read('items/a')).toBe('edited by hand\n')
    git('checkout', '--', 'items/a')
    expect(revert('a').status).toBe(0)
  })

  test('an issue without a commit on the target is refused', () => {
    landed()
    git('branch', 'before', `${commitOf('a')}^`)
    const elsewhere = refused(() => revert('a', '--onto', 'before'))
    expect(elsewhere).toMatchObject({
      status: 2,
      json: { error: { message: expect.stringContaining('is not on before') } },
    })
    expect(revert('nobody').json.error.code).toBe('issue_not_found')
    project.premath(['issue', 'add', 'By force', '--id', 'd'])
    project.premath(['issue', 'update', 'd', '--status', 'closed', '--force', '--reason', 'x'])
    expect(revert('d').json.error).toMatchObject({
      code: 'issue_not_landed',
      hint: expect.stringContaining('premath reopen d'),
    })
  })

  test('an issue that changed no file has nothing to revert', () => {
    landed()
    project.premath(['issue', 'add', 'Look', '--id', 'look', '--label', 'no-change'])
    run('true')
    const { json } = refused(() => revert('look'))
    expect(json.error).toMatchObject({
      code: 'issue_not_landed',
      message: expect.stringContaining('look changed no file'),
    })
  })

  test('a policy that refuses the caller is asked before the verification', async () => {
    landed()
    const ran = join(project.folder, 'ran')
    const env = { PREMATH_STEP_ID: 'w.a.1.1' }
    const args = ['land', 'revert', 'a', '--verify-cmd', `touch '${ran}'`]
    const nested = await project.start(args, { env }).ended
    expect(nested.status).toBe(2)
    writeFileSync(
      project.at('.premath/policy.json'),
      JSON.stringify({ schema: 1, surfaces: { cli: { mode: 'human-override' } } }),
    )
    const { status, json } = revert('a', '--verify-cmd', `touch '${ran}'`)
    expect({ status, json }).toMatchObject({
      status: 1,
      json: { failureClasses: ['mutation_not_granted'] },
    })
    expect(existsSync(ran)).toBe(false)
  })

  test('lands beside a commit that landed during its verification', () => {
    landed()
    // In its first run, the verification moves the target.
    const moves = project.script(
      'moves',
      `#!/bin/sh
cd '${project.root}'
[ -e '${project.folder}/moved' ] && exit
touch '${project.folder}/moved'
echo beside > beside.txt && git add beside.txt && git commit --quiet -m Beside
`,
    )
    expect(revert('a', '--verify-cmd', moves).status).toBe(0)
    expect(commits().slice(0, 2)).toEqual(['Revert "Add a (a)"', 'Beside'])
    expect(project.ids('open')).toEqual(['a'])
  })

  test('leaves tracked issue memory as it is on the target, and records the change', () => {
    project = new LandingProject('revert', { '.gitignore': 'artifacts/\n' })
    project.premath(['init', '--yes'])
    project.premath(['issue', 'add', 'One', '--id', 'a'])
    git('add', '.premath')
    git('commit', '--quiet', '-m', 'Track issue memory')
    run(project.agent())
    expect(revert('a').status).toBe(0)
    expect(commits().slice(0, 2)).toEqual(['Record issue memory', 'Revert "One (a)"'])
    expect(git('diff', '--name-only', 'main~2', 'main~1')).toBe('items/a\nlist.txt')
    expect(git('show', 'main:.premath/issues.jsonl')).toContain('premathReverted')
  })

  const moves = {
    'the inverse is committed': '*" commit-tree "*',
    'the commit is checked out': '*" checkout --quiet --force --detach "*',
    'the commit gets its ref': '*" update-ref refs/premath/reverts/"*',
    'the files follow': '*" read-tree -m -u "*',
    'the target moves': '*" refs/heads/main "*',
    'the ref is removed': '*" update-ref -d refs/premath/reverts/"*',
  } as const

  /** `npm test` kills at every second command: a crash after one is a crash before the next. */
  const moments = everySecond(Object.keys(moves) as readonly (keyof typeof moves)[]).flatMap(
    (name, at) => inTurn(['before', 'after'] as const, at).map(when => [name, when] as const),
  )

  test.each(moments)('killed when %s (%s) is settled by the next claim', async (name, when) => {
    landed()
    writeFileSync(project.at('notes.md'), 'my own edit\n')
    mkdirSync(project.at('.git/info'), { recursive: true })
    writeFileSync(project.at('.git/info/exclude'), 'secret\n')
    writeFileSync(project.at('secret'), 'mine\n')
    const { updated_at: _before, ...row } = project.issue('c')
    const bin = project.gitThatKills(moves[name], when)
    const args = ['land', 'revert', 'c', '--verify-cmd', quickVerify]
    expect(await project.runWithGit(bin, args)).toBe(true)
    const isBegun = project.issue('c').status === 'in_progress'
    if (isBegun) {
      expect(project.asked('land', 'status').json.items).toMatchObject([
        { issueId: 'c', state: 'reverting' },
      ])
      expect(project.asked('issue', 'show', 'c').json.issue.landing.reverts).toBe(
        row.metadata.premathClose.commit,
      )
      expect(project.asked('issue', 'update', 'c', '--title', 'Other').status).toBe(4)
      expect(project.asked('issue', 'claim', 'a', '--assignee', 'x').status).toBe(1)
    }
    const later = join(project.folder, 'later')
    writeFileSync(later, '')
    const claimed = runInProcess({
      args: ['issue', 'claim-next', '--assignee', 'other', '--json'],
      cwd: project.root,
      env: { ...process.env, TMPDIR: join(project.folder, 'tmp') },
      input: '',
      laterFrom: { path: later, ms: twoHours },
    })
    expect(claimed).toMatchObject({ status: 0 })
    // Either it is on the target and the issue was there to be claimed, or nothing has changed.
    const isReverted = commits()[0] === 'Revert "Add c (c)"'
    expect(isReverted).toBe(isBegun)
    expect(JSON.parse(claimed.stdout).issue?.id).toBe(isReverted ? 'c' : undefined)
    const { updated_at: _after, ...now } = project.issue('c')
    if (isReverted) expect(now.notes).toContain('was reverted on main')
    else expect(now).toEqual(row)
    expect(existsSync(project.at('items/c'))).toBe(!isReverted)
    expect(git('status', '--porcelain')).toBe(' M notes.md')
    expect(project.read('notes.md')).toBe('my own edit\n')
    expect(project.read('secret')).toBe('mine\n')
    expect(existsSync(project.at('.git/index.lock'))).toBe(false)
    // Then the work goes on, and nothing is left of the revert.
    rmSync(later)
    if (isReverted) project.give('c')
    run()
    expect(project.ids('closed')).toEqual(['a', 'b', 'c'])
    expect(project.leftovers()).toEqual([])
  })
})

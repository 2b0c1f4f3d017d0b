/**
 * Landing, killed: before and after single git commands, and at any moment. The next start finds out
 * what happened. `SEED=…` draws the same moments again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { LandingProject, quickVerify } from './a-landing-project.ts'
import { describeWithGit } from './a-repository.ts'
import { runInProcess } from './in-process.ts'
import { everySecond, inTurn, seeded, seedOf } from './sim/seeded.ts'

const kills = Number(process.env['TORTURE_LANDING_KILLS'] ?? 2)
const seed = seedOf(process.env)
const chance = seeded(seed)

/** The git commands of a landing, and how each is recognised. */
const commands = {
  'the candidate is committed': '*" commit-tree "*',
  'the candidate gets its ref': '*" update-ref refs/premath/candidates/"*',
  'the candidate is checked out': '*" checkout --quiet --force --detach "*',
  'the files follow': '*" read-tree -m -u "*',
  'the target moves': '*" refs/heads/main "*',
  'the refs are listed': '*" for-each-ref "*',
  'the refs are removed': '*" update-ref --stdin "*',
} as const

describeWithGit('a landing that is killed', () => {
  let project: LandingProject
  afterEach(() => project.remove())

  const args = () => [
    'run',
    '--no-baseline',
    '--work-cmd',
    project.agent(),
    '--verify-cmd',
    quickVerify,
  ]
  const env = () => ({ ...process.env, TMPDIR: join(project.folder, 'tmp') })

  /** The person has an edit, an ignored file, and the target checked out. */
  function begin(ids: readonly string[]): void {
    project = new LandingProject('landing-kills', { 'notes.md': 'notes\n' })
    project.issues(Object.fromEntries(ids.map(id => [id, []])))
    writeFileSync(project.at('notes.md'), 'my own edit\n')
    mkdirSync(project.at('.git/info'))
    writeFileSync(project.at('.git/info/exclude'), 'secret\n')
    writeFileSync(project.at('secret'), 'mine\n')
  }

  /** Nothing of the person is lost, and closed issues are on the target, each with one commit. */
  function mustHold(): void {
    expect(project.read('notes.md')).toBe('my own edit\n')
    expect(project.read('secret')).toBe('mine\n')
    const landed = project.landed().map(({ issueId }) => issueId)
    expect(new Set(landed).size).toBe(landed.length)
    const closed = new Map(project.rows('issues.jsonl').map(row => [row.id, row.status]))
    for (const [id, status] of closed) if (status === 'closed') expect(landed).toContain(id)
  }

  /** After the next start, whatever is on the target is closed. */
  function mustBeSettled(): void {
    mustHold()
    for (const { issueId } of project.landed()) {
      expect([issueId, project.issue(issueId).status]).toEqual([issueId, 'closed'])
    }
    expect(project.git('-C', project.root, 'status', '--porcelain')).toBe(' M notes.md')
    expect(existsSync(project.at('.git/index.lock'))).toBe(false)
  }

  const twoHours = 2 * 3600 * 1000

  /** `npm test` kills at every second command: a crash after one is a crash before the next. */
  const moments = everySecond(Object.keys(commands) as readonly (keyof typeof commands)[]).flatMap(
    (name, at) => inTurn(['before', 'after'] as const, at).map(when => [name, when] as const),
  )

  test.each(moments)(
    'when %s (%s) is settled two hours later by another worker',
    async (name, when) => {
      begin(['a', 'b'])
      await project.runWithGit(project.gitThatKills(commands[name], when), [
        ...args(),
        '--workers',
        '1',
      ])
      expect(existsSync(join(project.folder, 'killed'))).toBe(true)
      mustHold()
      const later = join(project.folder, 'later')
      writeFileSync(later, '')
      const claimed = runInProcess({
        args: ['issue', 'claim-next', '--assignee', 'other', '--json'],
        cwd: project.root,
        env: env(),
        input: '',
        laterFrom: { path: later, ms: twoHours },
      })
      expect(claimed).toMatchObject({ status: 0 })
      mustBeSettled()
      const { id } = JSON.parse(claimed.stdout).issue
      expect(project.landed().map(({ issueId }) => issueId)).not.toContain(id)
      // Then the work goes on.
      project.give(id)
      const { status, stdout } = project.premath([...args(), '--workers', '1'])
      expect({ status, stdout }).toMatchObject({ status: 0 })
      mustBeSettled()
      expect(project.landed()).toHaveLength(2)
      expect(project.leftovers()).toEqual([])
    },
  )

  test('after its verification does not verify the same files again', async () => {
    begin(['a'])
    const count = join(project.folder, 'count')
    const run = args().with(-1, `echo ran >> '${count}'; ${quickVerify}`)
    // The proof reads the tree, after the result of the verification is kept.
    const kept = '.git/premath/verified.jsonl'
    const git = project.gitThatKills('*" ls-files -z --cached "*', 'before', kept)
    await project.runWithGit(git, [...run, '--workers', '1'])
    expect(existsSync(join(project.folder, 'killed'))).toBe(true)
    expect(project.landed()).toEqual([])
    const { status, stdout } = await project.run([...run, '--workers', '1'])
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('a: this tree passed before, not verified again'),
    })
    mustBeSettled()
    expect(project.landed()).toHaveLength(1)
    expect(readFileSync(count, 'utf8')).toBe('ran\n')
  })

  test(`ends well after ${kills} kills at any moment, with seed ${seed}`, async () => {
    const ids = Array.from({ length: 6 }, (_, at) => `i${at}`)
    begin(ids)
    let open = ids.length
    for (let killed = 0; killed < kills; ) {
      const running = project.start([...args(), '--workers', '2', '--verifiers', '2'])
      const patience = new Promise<false>(settle =>
        setTimeout(() => settle(false), 200 + 1500 * chance()),
      )
      const ended = await Promise.race([running.ended, patience])
      if (ended === false) {
        if (chance() < 0.5) killGroup(project)
        running.child.kill('SIGKILL')
        const { signal } = await running.ended
        if (signal === 'SIGKILL') killed++
        mustHold()
      }
      const left = project.ids('open', 'in_progress').length
      if (left < 3) {
        project.premath(['issue', 'add', `More work ${open}`, '--id', `i${open++}`])
        project.premath(['issue', 'add', `More work ${open}`, '--id', `i${open++}`])
      }
    }
    const { status, stdout, stderr } = await project.run([...args(), '--workers', '2'])
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
    mustBeSettled()
    expect(project.landed()).toHaveLength(open)
    expect(project.redCommits()).toEqual([])
    expect(project.leftovers()).toEqual([])
    expect(project.processes).toEqual([])
  })
})

/** Kills the commands of a run too: work, verification and git. */
function killGroup(project: LandingProject): void {
  for (const line of project.processes) {
    const pid = Number(line.split(' ')[0])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

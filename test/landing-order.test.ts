/**
 * Landing in any order: random dependencies, durations, workers and verifiers, and work that is red at
 * first. `SEED=…` draws the same runs again.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { describeWithGit } from './a-repository.ts'
import { seeded, seedOf } from './sim/seeded.ts'

const rounds = Number(process.env['TORTURE_LANDING_ROUNDS'] ?? 2)
const seed = seedOf(process.env)
const chance = seeded(seed)

const from = (least: number, most: number) => least + Math.floor(chance() * (most - least + 1))
/** Most take no time, so that several end in the same moment. */
const pause = () => (chance() < 0.5 ? 0 : from(1, 30) / 100)

interface Drawn {
  readonly id: string
  readonly on: readonly string[]
  /** The first attempt forgets the line in the list. */
  readonly isRedFirst: boolean
  readonly workSeconds: number
  readonly verifySeconds: number
}

function draw(): readonly Drawn[] {
  const ids = Array.from({ length: from(3, 8) }, (_, at) => `i${at}`)
  return ids.map((id, at) => ({
    id,
    on: ids.slice(0, at).filter(() => chance() < 0.25),
    isRedFirst: chance() < 0.3,
    workSeconds: pause(),
    verifySeconds: pause(),
  }))
}

/** The list and the items agree, and every item has those below it that it needs. */
const check = `[ "$(tail -n +2 list.txt | sort)" = "$(ls items 2>/dev/null | sort)" ] || exit 1
for item in items/*; do
  [ -e "$item" ] || continue
  for other in $(cat "$item"); do [ -e "items/$other" ] || exit 1; done
done
`

const cases = (drawn: readonly Drawn[], lineOf: (one: Drawn) => string) =>
  drawn.map(one => `  ${one.id}) ${lineOf(one)} ;;`).join('\n')

const workOf = (drawn: readonly Drawn[], agent: string) => `#!/bin/sh
case $PREMATH_ISSUE_ID in
${cases(drawn, ({ workSeconds }) => `sleep ${workSeconds}`)}
esac
case $PREMATH_ISSUE_ID-$PREMATH_ATTEMPT in
${cases(
  drawn.filter(({ isRedFirst }) => isRedFirst).map(one => ({ ...one, id: `${one.id}-1` })),
  ({ on }) => `mkdir -p items; echo ${on.join(' ')} > items/$PREMATH_ISSUE_ID; exit`,
)}
esac
${agent} || exit 1
case $PREMATH_ISSUE_ID in
${cases(drawn, ({ id, on }) => `echo ${on.join(' ')} > items/${id}`)}
esac
`

const verifyOf = (drawn: readonly Drawn[]) => `#!/bin/sh
case $(git log -1 --format='%(trailers:key=Premath-Issue,valueonly)') in
${cases(drawn, ({ verifySeconds }) => `sleep ${verifySeconds}`)}
esac
${check}`

describeWithGit('work that lands in any order', () => {
  let project: LandingProject
  afterEach(() => project.remove())

  /** The commits of the target on which the check fails. */
  function redCommits(): readonly string[] {
    const clone = mkdtempSync(join(project.folder, 'clone-'))
    project.git('clone', '--quiet', project.root, clone)
    return project
      .git('-C', clone, 'rev-list', 'main')
      .split('\n')
      .filter(commit => {
        project.git('-C', clone, 'checkout', '--quiet', '--detach', commit)
        return spawnSync('sh', ['-c', check], { cwd: clone }).status !== 0
      })
  }

  test.each(Array.from({ length: rounds }, (_, at) => at + 1))(
    `respects dependencies, one green commit for each issue: round %i of seed ${seed}`,
    async () => {
      const drawn = draw()
      const [workers, verifiers] = [from(1, 4), from(1, 3)].map(String)
      const about = JSON.stringify({ drawn, workers, verifiers })
      project = new LandingProject('landing-order')
      project.issues(Object.fromEntries(drawn.map(({ id, on }) => [id, on])))
      const work = project.script('work', workOf(drawn, project.agent()))
      const verify = project.script('verify', verifyOf(drawn))
      const commands = ['--work-cmd', work, '--verify-cmd', verify]
      const counts = ['--workers', workers ?? '', '--verifiers', verifiers ?? '']
      const { status, stderr } = await project.run(['run', '--no-baseline', ...commands, ...counts])
      expect({ status, stderr }, about).toEqual({ status: 0, stderr: '' })
      const landed = project.landed()
      const ids = landed.map(({ issueId }) => issueId)
      expect(ids.toSorted(), about).toEqual(drawn.map(({ id }) => id))
      for (const { id, on } of drawn) {
        const at = ids.indexOf(id)
        for (const other of on) expect(ids.indexOf(other), about).toBeLessThan(at)
        const { metadata, status: state } = project.issue(id)
        const closed = [state, metadata.premathClose.commit]
        expect(closed, about).toEqual(['closed', landed[at]?.id])
      }
      const count = project.git('-C', project.root, 'rev-list', '--count', 'main')
      expect(Number(count), about).toBe(1 + drawn.length)
      expect(redCommits(), about).toEqual([])
      expect(project.git('-C', project.root, 'status', '--porcelain'), about).toBe('')
      expect(project.leftovers(), about).toEqual([])
      expect(project.processes, about).toEqual([])
    },
  )
})

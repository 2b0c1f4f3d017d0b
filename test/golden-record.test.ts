/**
 * The record of acknowledged rows that an earlier version left in git's folder, beside a file that went
 * back: this version brings it forward. `test/golden-record/<version>/` has both, written by real
 * commands of that version; it never changes afterwards.
 */
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { gitIn } from './a-repository.ts'

const golden = resolve('test/golden-record')
const project = aProject()
const { done } = project

/** The leases of the record have expired long ago, and each command says that the file went back. */
const asked = (...args: readonly string[]) => project.asked(args).json

describe.each(readdirSync(golden))('the record of %s', version => {
  const given = () => {
    gitIn(project.folder, 'init', '--quiet', '--initial-branch=main')
    done('init')
    cpSync(join(golden, version, 'issues.jsonl'), project.issues)
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Begin')
    const record = join(project.folder, '.git/premath/memory/issues')
    mkdirSync(record, { recursive: true })
    cpSync(join(golden, version, 'record'), record, { recursive: true })
  }

  test('brings the acknowledged rows back, and the next change writes them', () => {
    given()
    for (const write of [false, true]) {
      if (write) asked('issue', 'comment', 'bd-1', 'Said later', '--author', 'bob')
      const { issue } = asked('issue', 'show', 'bd-1')
      expect(issue).toMatchObject({
        title: 'One more',
        lease: { owner: 'bob', fence: 1 },
        dependencies: [{ dependsOnId: 'bd-2', type: 'blocks' }],
      })
      expect(issue.comments[0]).toMatchObject({ author: 'ann', text: 'Said here' })
      expect(asked('issue', 'show', 'bd-2').issue.status).toBe('closed')
    }
  })

  test('brings the proof of a close back', () => {
    given()
    asked('doctor', '--fix')
    expect(done('witness', 'verify', 'bd-2')).toMatchObject({ result: 'accepted' })
  })

  test('does not give out the fence of an issue that somebody gave up', () => {
    given()
    asked('issue', 'add', 'Another three', '--id', 'bd-3')
    expect(asked('issue', 'claim', 'bd-3', '--assignee', 'eve').issue.lease.fence).toBe(2)
  })
})

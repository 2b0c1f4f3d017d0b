/** What rows, sessions and reports of the hooks link to, by the built command on real files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done, premath } = project

const at = (path: string) => join(project.folder, path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const session = () => JSON.parse(text('.premath/harness_session.json'))
const add = (...words: string[]) => done('issue', 'add', ...words).issue.id
const stepWords = (work = 'true', verify = 'true') => [
  'harness-step',
  '--work-cmd',
  work,
  '--verify-cmd',
  verify,
]
const step = (...more: string[]) => asked([...stepWords(), ...more])

describe('[linkage.1.snapshot] the session', () => {
  test('of a step names issue memory, and a start compares it', () => {
    add('First')
    add('Second')
    const seen = join(project.folder, 'seen.json')
    asked(stepWords(`cp .premath/harness_session.json '${seen}'`))
    expect(JSON.parse(text('seen.json')).issuesSnapshotRef).toMatch(/^log1_\d+_[0-9a-f]{64}$/)
    const size = readFileSync(project.issues).length
    expect(session().issuesSnapshotRef).toMatch(new RegExp(`^log1_${size}_`))
    expect(done('harness-boot').snapshot).toBe('same')
    add('Third')
    expect(done('harness-boot').snapshot).toBe('moved')
    done('issue', 'compact')
    expect(done('harness-boot').snapshot).toBe('unknown')
  })

  test('of a run names issue memory', () => {
    // Without an issue no step writes the session.
    project.given()
    const words = ['--work-cmd', 'true', '--verify-cmd', 'true']
    const ran = premath(['harness-loop', 'worker', ...words])
    expect(ran.status, ran.stderr).toBe(0)
    expect(session().issuesSnapshotRef).toMatch(/^log1_0_[0-9a-f]{64}$/)
  })
})

/** Closed issues without proof: rows that were written by hand, imports, and closes by force. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done, premath } = project

const at = (path: string) => join(project.folder, path)
const memory = '.premath/issues.jsonl'
const append = (row: object) => appendFileSync(at(memory), `${JSON.stringify(row)}\n`)

const verified = (...args: readonly string[]) => {
  const { status, json } = asked(['witness', 'verify', '--all', ...args])
  return [status, json.failureClasses]
}
const everythingVerified = (...args: readonly string[]) => {
  const { status, json } = asked(['verify', ...args])
  return [status, json.proofs.failureClasses]
}
/** The findings of doctor about proofs. */
const examined = (): readonly string[] => {
  const { status, json } = asked(['doctor'])
  const found = json.findings.filter(({ check }: { check: string }) => check === 'proofs')
  expect(status === 0 ? [] : [status]).toHaveLength(json.findings.length > 0 ? 1 : 0)
  return found.map(({ what }: { what: string }) => what)
}

const closedAt = '2026-01-02T03:04:05Z'
const closedRow = (id: string, members: object = {}) => ({
  id,
  title: 'Done elsewhere',
  status: 'closed',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: closedAt,
  closed_at: closedAt,
  ...members,
})

beforeEach(() => done('init'))

describe('a closed row that was written by hand', () => {
  test('[proofs.1.closed-has-proof] fails every verification, and doctor', () => {
    done('issue', 'add', 'One')
    append({ ...project.rowsById()['bd-1'], status: 'closed', closed_at: closedAt })
    expect(verified()).toEqual([1, ['proof_missing']])
    expect(verified('--allow-forced')).toEqual([1, ['proof_missing']])
    expect(everythingVerified()).toEqual([1, ['proof_missing']])
    expect(examined()).toEqual(['bd-1 is closed, and has no proof (proof_missing)'])
    const { stdout } = premath(['witness', 'verify', '--all'])
    expect(stdout).toContain('rejected proof bd-1\n')
    expect(stdout).toContain('proof_missing: bd-1: it is closed, and has no proof\n')
  })

  test('fails with the record of a close that nobody made', () => {
    const by = { by: 'verification', treeDigest: `tree1_${'0'.repeat(64)}` }
    append(closedRow('bd-1', { metadata: { premathClose: by } }))
    expect(verified()).toEqual([1, ['proof_missing']])
    expect(examined()).toHaveLength(1)
    append(closedRow('bd-1', { metadata: { premathClose: { by: 'force', reason: 'x' } } }))
    expect(verified('--allow-forced')).toEqual([1, ['proof_missing']])
  })

  test('fails beside the proof of an earlier close', () => {
    done('issue', 'add', 'One')
    done('issue', 'update', 'bd-1', '--status', 'closed', '--verify-cmd', 'test -d .')
    done('issue', 'update', 'bd-1', '--status', 'open')
    expect(verified()).toEqual([0, []])
    append(closedRow('bd-1'))
    expect(verified()).toEqual([5, ['proof_row_mismatch']])
  })

  test('[proofs.1.closed-has-proof] fails if it says that it was imported, and was open here', () => {
    done('issue', 'add', 'One')
    append(closedRow('bd-1', { metadata: { premathImported: { closedAt } } }))
    expect(verified()).toEqual([1, ['proof_missing']])
    expect(examined()).toHaveLength(1)
  })

  test('is reported by doctor in a bounded list', () => {
    for (let n = 1; n <= 25; n++) append(closedRow(`bd-${n}`))
    const problems = examined()
    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('5 more closed issues without proof (proof_missing)')
  })
})

describe('an issue that came closed', () => {
  const rows = [closedRow('old-1'), { id: 'old-2', title: 'Open', status: 'open' }]
  const file = () =>
    writeFileSync(at('old.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))

  test('with an import needs no proof, and is not counted as verified', () => {
    file()
    done('issue', 'import', 'old.jsonl')
    expect(verified()).toEqual([0, []])
    expect(examined()).toEqual([])
    const { stdout } = premath(['witness', 'verify', '--all'])
    expect(stdout).toBe('0 of 1 item verified, 1 imported as closed\n')
    expect(premath(['issue', 'show', 'old-1']).stdout).toContain(
      `${closedAt}, before it was imported`,
    )
    expect(done('issue', 'show', 'old-1').issue.imported).toBe(true)
    expect(asked(['witness', 'verify', 'old-1']).json.failureClasses).toEqual(['proof_missing'])
  })

  test('is the same after a second import', () => {
    file()
    done('issue', 'import', 'old.jsonl')
    const before = readFileSync(at(memory), 'utf8')
    expect(done('issue', 'import', 'old.jsonl')).toMatchObject({ added: [], replaced: [] })
    expect(readFileSync(at(memory), 'utf8')).toBe(before)
  })

  test('with the issues of an earlier tool needs no proof', () => {
    const other = mkdtempSync(join(project.folders, 'other '))
    mkdirSync(join(other, '.beads'), { recursive: true })
    const text = rows.map(row => JSON.stringify(row)).join('\n')
    writeFileSync(join(other, '.beads/issues.jsonl'), text)
    const inOther = { cwd: other }
    expect(premath(['init', '.'], inOther).status).toBe(0)
    expect(premath(['witness', 'verify', '--all'], inOther).status).toBe(0)
    expect(premath(['doctor'], inOther).status).toBe(0)
    expect(readFileSync(join(other, memory), 'utf8').startsWith(`${text}\n`)).toBe(true)
  })

  test('and was copied in by hand is recorded by an import of its file', () => {
    file()
    for (const row of rows) append(row)
    expect(verified()).toEqual([1, ['proof_missing']])
    expect(done('issue', 'import', 'old.jsonl')).toMatchObject({ replaced: ['old-1'] })
    expect(verified()).toEqual([0, []])
  })

  test('needs a proof once it was open here', () => {
    file()
    done('issue', 'import', 'old.jsonl')
    done('issue', 'update', 'old-1', '--status', 'open')
    append(closedRow('old-1', { metadata: { premathImported: { closedAt } } }))
    expect(verified()).toEqual([1, ['proof_missing']])
  })

  test('never closes an issue that is open here', () => {
    done('issue', 'add', 'Mine', '--id', 'old-1')
    file()
    done('issue', 'import', 'old.jsonl', '--on-conflict', 'replace')
    const row = project.rowsById()['old-1']
    expect([row.status, row.metadata?.premathImported]).toEqual(['open', undefined])
  })
})

describe('a close by force', () => {
  beforeEach(() => {
    done('issue', 'add', 'One')
    done('issue', 'add', 'Two')
    done('issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'Not needed')
    done('issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'test -d .')
  })

  test('[proofs.2.forced] fails every verification unless it is allowed, and is not counted as verified', () => {
    expect(verified()).toEqual([1, ['proof_forced']])
    expect(verified('--allow-forced')).toEqual([0, []])
    expect(everythingVerified()).toEqual([1, ['proof_forced']])
    expect(everythingVerified('--allow-forced')).toEqual([0, []])
    expect(premath(['verify', '--allow-forced']).stdout).toContain(
      'proofs and witnesses: 2 of 3 verified, 1 closed by force\n',
    )
    expect(premath(['witness', 'verify', '--all', '--allow-forced']).stdout).toBe(
      '2 of 3 items verified, 1 closed by force\n',
    )
    expect(examined()).toEqual([])
  })

  test('is shown by show, list, status and log', () => {
    const { forced, closedAt: time } = done('issue', 'show', 'bd-1').issue
    expect(forced).toEqual({ reason: 'Not needed' })
    expect(premath(['issue', 'show', 'bd-1']).stdout).toContain(`${time}, by force: Not needed\n`)
    expect(done('issue', 'show', 'bd-2').issue.forced).toBeUndefined()
    expect(premath(['issue', 'list']).stdout).toMatch(/^bd-1 .*closed \(force\).* One$/m)
    expect(premath(['issue', 'list']).stdout).toMatch(/^bd-2 .*closed .* Two$/m)
    const items = done('issue', 'list').items.map(({ forced: is }: { forced?: boolean }) => is)
    expect(items).toEqual([true, undefined])
    expect(premath(['status']).stdout).toContain('2 closed (1 by force)')
    expect(done('status').counts).toMatchObject({ closed: 2, forced: 1 })
    expect(premath(['log']).stdout).toContain('closed by force: Not needed')
    // A close by force is no attempt.
    expect(premath(['log']).stdout).toMatch(/\n\d+ results?\n$/)
    expect(done('log', 'bd-1').items).toMatchObject([
      { finishedAt: time, issueId: 'bd-1', resultClass: 'closed_by_force', stepId: null },
    ])
    expect(done('log', 'bd-2')).toMatchObject({ items: [], total: 0 })
  })

  test('counts no more once the issue was opened again', () => {
    done('issue', 'update', 'bd-1', '--status', 'open')
    expect(verified()).toEqual([0, []])
    expect(done('status').counts).toMatchObject({ forced: 0 })
    expect(done('log', 'bd-1').items).toEqual([])
  })

  test('stands in the log between the steps around it', () => {
    // A step records its end in whole seconds, so each command runs ten seconds after the last.
    const later = (n: number) => ({ laterFrom: { path: project.folder, ms: n * 10_000 } })
    const step = ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -d .']
    const force = ['issue', 'update', 'bd-4', '--status', 'closed', '--force', '--reason', 'Moot']
    done('issue', 'add', 'Three')
    expect(premath(step, later(1)).status).toBe(0)
    done('issue', 'add', 'Four')
    expect(premath(force, later(2)).status).toBe(0)
    done('issue', 'add', 'Five')
    expect(premath(step, later(3)).status).toBe(0)
    const ids = done('log').items.map(({ issueId }: { issueId: string }) => issueId)
    expect(ids).toEqual(['bd-5', 'bd-4', 'bd-3', 'bd-1'])
    expect(done('log', '--limit', '2')).toMatchObject({ count: 2, total: 4 })
  })
})

/** `premath comment`, and every place that shows or keeps comments, on the built command. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aLanding } from './a-landing.ts'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, given, premath, refused, rowsById } = project
const at = (path: string) => join(project.folder, path)
const shown = (id = 'bd-1') => done('issue', 'show', id).issue
const textsOf = (id?: string) => shown(id).comments.map(({ text }: { text: string }) => text)

beforeEach(() => {
  done('init')
  done('issue', 'add', 'Fix the login')
})

describe('premath comment', () => {
  test('adds a comment with its author and time, in the shape of beads', () => {
    const { comment, issue } = done('comment', 'bd-1', 'It is the cookie', '--author', 'ana')
    expect(issue).toMatchObject({ id: 'bd-1', status: 'open' })
    expect(rowsById()['bd-1'].comments).toEqual([
      {
        id: expect.any(Number),
        issue_id: 'bd-1',
        author: 'ana',
        text: 'It is the cookie',
        created_at: comment.createdAt,
      },
    ])
    expect(Number.isSafeInteger(comment.id)).toBe(true)
    done('issue', 'comment', 'bd-1', 'Found it', '--author', 'bob')
    expect(shown().comments).toMatchObject([comment, { author: 'bob', text: 'Found it' }])
    expect(shown().others).toBeNull()
    done('issue', 'add', 'Without')
    expect(shown('bd-2')).not.toHaveProperty('comments')
  })

  test('reads stdin with -, and a file or stdin with --file', () => {
    premath(['comment', 'bd-1', '-'], { input: 'from\n  stdin\n' })
    premath(['comment', 'bd-1', '--file', '-'], { input: 'the same\n\n' })
    writeFileSync(at('said.txt'), 'from a file')
    done('comment', 'bd-1', '--file', 'said.txt')
    expect(textsOf()).toEqual(['from\n  stdin', 'the same', 'from a file'])
  })

  test.each([
    ['<text> is missing', ['comment', 'bd-1']],
    ['exclude each other', ['comment', 'bd-1', 'x', '--file', 'y']],
    ['<id> is missing', ['comment']],
  ])('asks for one text: %s', (why, args) => {
    expect(premath(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(why) })
  })

  test('takes the author from the environment', () => {
    premath(['comment', 'bd-1', 'a'], { env: { PREMATH_OPERATOR: 'ops' } })
    expect(shown().comments).toMatchObject([{ author: 'ops' }])
  })

  test('refuses a blank comment and a missing issue', () => {
    expect(refused(['comment', 'bd-1', ' '])).toEqual(['issue_comment_blank', 1])
    expect(refused(['comment', 'bd-9', 'x'])).toEqual(['issue_not_found', 1])
  })

  test('leaves a lease alone, and needs none', () => {
    done('issue', 'claim', 'bd-1', '--assignee', 'worker')
    const { lease, metadata } = rowsById()['bd-1']
    done('comment', 'bd-1', 'How is it going?')
    expect(rowsById()['bd-1']).toMatchObject({ status: 'in_progress', lease, metadata })
  })

  test('refuses an issue that is landing', () => {
    const time = '2026-02-22T00:00:00Z'
    const lease = { lease_id: 'l', owner: 'w', acquired_at: time, expires_at: time }
    const metadata = { premathFence: 1, premathLanding: aLanding }
    given({ id: 'bd-1', title: 'One', status: 'in_progress', lease, metadata })
    expect(refused(['comment', 'bd-1', 'Wait'])).toEqual(['issue_landing', 4])
  })

  test('leaves the proof of a closed issue valid', () => {
    done('close', 'bd-1', '--verify-cmd', 'test -d .premath')
    const { metadata, closed_at } = rowsById()['bd-1']
    done('comment', 'bd-1', 'Thank you')
    expect(rowsById()['bd-1']).toMatchObject({ status: 'closed', metadata, closed_at })
    expect(premath(['witness', 'verify', '--all'])).toMatchObject({ status: 0 })
  })
})

describe('comments', () => {
  test('are on the page of the issue, with nothing that a terminal would obey', () => {
    done('comment', 'bd-1', 'red \u001b[31m\nsecond line', '--author', 'a\u001b[2Jna')
    const { createdAt } = shown().comments[0]
    expect(premath(['show', 'bd-1']).stdout).toContain(
      `\ncomments\n  a\\u001b[2Jna, ${createdAt}\n    red \\u001b[31m\n    second line\n`,
    )
    expect(premath(['comment', 'bd-1', 'x', '--author', '\u001b[2J']).stdout).toBe(
      'Commented on bd-1 as \\u001b[2J\n',
    )
  })

  test('are found by a query', () => {
    done('issue', 'add', 'Other')
    done('comment', 'bd-2', 'The COOKIE expires')
    const ids = done('list', '--query', 'cookie').items.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['bd-2'])
  })

  test('are exported, and imported again with every member', () => {
    const comment = { id: 3, issue_id: 'x-1', author: 'bob', text: '=1+1, "a"', reactions: ['+1'] }
    const row = { id: 'x-1', title: 'Old', comments: [comment], due: 1 }
    writeFileSync(at('old.jsonl'), `${JSON.stringify(row)}\n`)
    done('issue', 'import', 'old.jsonl')
    done('comment', 'x-1', 'New\nlines', '--author', 'ana')
    const { createdAt } = shown('x-1').comments[1]
    const { comments } = rowsById()['x-1']
    expect(comments).toMatchObject([comment, { text: 'New\nlines' }])

    done('issue', 'export', '--format', 'csv', '--output', 'all.csv')
    const csv = readFileSync(at('all.csv'), 'utf8')
    expect(csv.split('\r\n')[0]).toMatch(/,comments$/)
    expect(csv).toContain(`,"bob: =1+1, ""a""\n${createdAt} ana: New\nlines"\r\n`)

    done('issue', 'export', '--format', 'json', '--output', 'all.json')
    const before = done('issue', 'backend-status').canonicalMemory.snapshotRef
    writeFileSync(project.issues, '')
    rmSync(at('.premath/memory'), { recursive: true })
    project.forgetAcknowledged()
    done('issue', 'import', 'all.json')
    expect(rowsById()['x-1'].comments).toEqual(comments)
    expect(done('issue', 'backend-status').canonicalMemory.snapshotRef).toBe(before)
  })

  test('are in the event log, which replays to the same memory', () => {
    done('comment', 'bd-1', 'One')
    done('comment', 'bd-1', 'Two')
    const before = rowsById()
    expect(done('issue', 'replay-events').snapshotRef).toBe(
      done('issue', 'backend-status').canonicalMemory.snapshotRef,
    )
    expect(rowsById()).toEqual(before)
    expect(textsOf()).toEqual(['One', 'Two'])
  })
})

describe('an agent', () => {
  const env = { NODE: process.execPath, MAIN: main }
  const step = (work: string, verify = 'true') =>
    asked(
      ['harness-step', '--issue', 'bd-1', '--worker', 'w', '--work-cmd', work].concat(
        '--verify-cmd',
        verify,
      ),
      { env },
    )

  test('comments on its own issue if the policy opens the work of a step, and the step closes it', () => {
    const surfaces = { cli: { mode: 'open' }, work: { mode: 'open' } }
    writeFileSync(at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
    const { status } = step('"$NODE" "$MAIN" comment "$PREMATH_ISSUE_ID" "It was the cookie"')
    expect(status).toBe(0)
    expect(shown()).toMatchObject({
      status: 'closed',
      comments: [{ author: 'w', text: 'It was the cookie' }],
    })
    expect(premath(['witness', 'verify', '--all'])).toMatchObject({ status: 0 })
  })

  test('reads in its briefing and its handoff packet what people said since the last attempt', () => {
    step('true', 'false')
    done('comment', 'bd-1', 'Look at the cookie', '--author', 'ana')
    const { createdAt } = shown().comments[0]
    step('cp "$PREMATH_HANDOFF_FILE" packet.json; "$NODE" "$MAIN" prime > prime.txt', 'false')
    expect(JSON.parse(readFileSync(at('packet.json'), 'utf8')).comments).toEqual([
      { author: 'ana', createdAt, text: 'Look at the cookie' },
    ])
    expect(readFileSync(at('prime.txt'), 'utf8')).toContain(
      `## Last comments\n- ana (${createdAt}): Look at the cookie\n`,
    )
  })
})

/** What the work of a step may not do, even if a person started it, and what it may ask for; on the built command. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, premath, rowsById } = project

const at = (name: string) => join(project.folder, name)
const closing = ['issue', 'update', 'bd-1', '--status', 'closed']
const row = { id: 'bd-1', title: 'One', status: 'closed' }

/** Commands that work is refused, by the purpose of an agent that would use them. */
const refusedCommands: readonly [string, readonly string[]][] = [
  ['close by force', [...closing, '--force', '--reason', 'done']],
  ['choose its verification', [...closing, '--verify-cmd', 'ls']],
  ['choose its specs', ['issue', 'update', 'bd-1', '--spec', 'specs']],
  ['choose the specs of others', ['issue', 'discover', 'bd-1', 'Three', '--spec', 'specs']],
  ['change an issue', ['issue', 'update', 'bd-1', '--notes', 'seen']],
  ['add an issue of its own', ['issue', 'add', 'Three']],
  ['claim', ['issue', 'claim', 'bd-2', '--assignee', 'me']],
  ['claim the next', ['issue', 'claim-next', '--assignee', 'me']],
  ['remove a dependency', ['dep', 'remove', 'bd-1', 'bd-2']],
  ['import rows', ['issue', 'import', 'rows.jsonl', '--on-conflict', 'replace']],
  ['compact', ['issue', 'compact']],
  ['write events anew', ['issue', 'migrate-events']],
  ['replay events', ['issue', 'replay-events', '--force', '--reason', 'mine']],
  ['write a session', ['harness-session', 'write', '--summary', 'done']],
  ['end a session', ['harness-stop', '--worker', 'x', '--session', '.premath/mine.json']],
  ['write the ledger', ['harness-feature', 'write', '--feature-id', 'bd-1', '--status', 'pending']],
  ['run an instruction', ['instruction-run', '--instruction', 'instructions/x.json']],
  ['write a witness', ['harness-join-check', '--input', 'turn.json', '--write-witness']],
  [
    'record a step',
    ['harness-trajectory', 'append', '--step-id', 's', '--action', 'a', '--result-class', 'c'],
  ],
]

/** Opens the policy for the work of a step, as far as a policy can. */
function openWork(): void {
  const surfaces = { cli: { mode: 'open' }, work: { mode: 'open' } }
  writeFileSync(at('.premath/policy.json'), JSON.stringify({ schema: 1, surfaces }))
}

beforeEach(() => {
  done('init')
  done('issue', 'add', 'One')
  done('issue', 'add', 'Two')
  writeFileSync(at('rows.jsonl'), `${JSON.stringify(row)}\n`)
})

const env = { PREMATH_STEP_ID: 'step-1' }

test('work may read', () => {
  const args = ['issue', 'import', 'rows.jsonl', '--on-conflict', 'keep', '--dry-run']
  expect(premath(args, { env })).toMatchObject({ status: 0, stderr: '' })
})

describe('under every policy the work of a step is refused', () => {
  beforeEach(openWork)

  test.each(refusedCommands)('[trust.32.asks] to %s', (_, args) => {
    const before = readFileSync(project.issues)
    const { status, json } = asked(args, { env })
    expect([status, json.result, json.failureClasses]).toEqual([
      1,
      'rejected',
      ['mutation_not_granted'],
    ])
    expect(json.diagnostic).toContain('the work of a step may not')
    expect(json.remedy).toMatch(/premath issue discover, premath issue comment|without specs/)
    expect(readFileSync(project.issues)).toEqual(before)
    expect(existsSync(at('artifacts/ciwitness'))).toBe(false)
  })

  test('to ask for something when its step is over, or of another memory', () => {
    const comment = ['issue', 'comment', 'bd-1', 'seen']
    expect(asked(comment, { env }).json.diagnostic).toBe('step step-1 takes no requests now')
    mkdirSync(at('artifacts/steps/step-1/mailbox'), { recursive: true })
    expect(asked(comment, { env }).status).toBe(0)
    const other = asked([...comment, '--issues', 'other.jsonl'], { env })
    expect(other.json.diagnostic).toContain('the issues of another memory')
    writeFileSync(at('artifacts/steps/step-1/requests.json'), '[]\n')
    expect(asked(comment, { env }).status).toBe(1)
    expect(readdirSync(at('artifacts/steps/step-1/mailbox'))).toHaveLength(1)
  })

  test.each([
    [['harness-step', '--session', 'own.json']],
    [['harness-loop', 'worker', '--session', 'own.json']],
    [['harness-loop', 'coordinator', '--worktree', '.']],
  ])('to begin another step: %j', command => {
    const before = readFileSync(project.issues)
    const args = [...command, '--work-cmd', 'true', '--verify-cmd', 'true']
    const { status, stderr } = premath(args, { env })
    expect([status, stderr]).toEqual([2, expect.stringContaining('may not begin another step')])
    expect(readFileSync(project.issues)).toEqual(before)
  })

  test('to repair memory, which the doctor still checks and reports', () => {
    const { stdout } = premath(['doctor', '--fix', '--json'], { env })
    expect(stdout).toContain('the work of a step may not')
    expect(premath(['doctor'], { env }).stdout).not.toContain('the work of a step')
  })

  test('[trust.32.asks] a witness of the specs that it runs', () => {
    const spec =
      '# Spec\n\n```yaml spec-test\nid: A-1\ntype: text.file\npath: /rows.jsonl\nassert:\n  - target: text\n    must:\n      - contain: ["One"]\n```\n'
    writeFileSync(at('a.spec.md'), spec)
    const { status, stdout } = premath(['spec', 'run', 'a.spec.md'], { env })
    expect([status, stdout]).toEqual([0, expect.stringContaining('the work of a step writes none')])
    expect(existsSync(at('artifacts/ciwitness'))).toBe(false)
    expect(asked(['spec', 'run', 'a.spec.md']).json.witness).toMatch(/^artifacts\/ciwitness/)
  })

  test('without failing the step, which is verified as usual', () => {
    const tried = refusedCommands.slice(0, 4)
    const run = tried.map(([, args]) => `"$NODE" "$MAIN" ${args.join(' ')}; echo $? >> codes`)
    const step = ['harness-step', '--issue', 'bd-2', '--work-cmd', run.join('\n')]
    const env = { NODE: process.execPath, MAIN: main }
    const { status } = premath([...step, '--verify-cmd', 'true'], { env: env })
    expect(readFileSync(at('codes'), 'utf8').trim().split('\n')).toEqual(tried.map(() => '1'))
    expect([status, rowsById()['bd-1'].status, rowsById()['bd-2'].status]).toEqual([
      0,
      'open',
      'closed',
    ])
  })
})

/** One step on bd-1, with the built command as `premath` in its work. */
function step(work: string, ...more: readonly string[]) {
  const text = `premath() { '${process.execPath}' '${main}' "$@"; }\n${work}`
  const args = ['harness-step', '--issue', 'bd-1', '--work-cmd', text, '--verify-cmd', 'true']
  return asked([...args, ...more], { isSpawned: true })
}

const texts = (id: string) =>
  (rowsById()[id].comments ?? []).map((one: { text: string }) => one.text)
const mailbox = '"$(dirname "$PREMATH_ISSUE_FILE")/mailbox"'

describe('work asks the harness, which takes it after the step', () => {
  test('comments, discoveries and dependencies, as its worker', () => {
    const { status, json } = step(
      [
        'premath comment bd-2 "seen by the work" --author ana > said.txt',
        'premath issue discover bd-1 Three --priority 0 --json > said.json',
        'premath dep add bd-2 bd-1',
        'cp "$PREMATH_ROOT/.premath/issues.jsonl" during.jsonl',
      ].join('\n'),
      ...['--worker', 'w'],
    )
    expect(status).toBe(0)
    expect(readFileSync(at('said.txt'), 'utf8')).toBe(
      'Asked for a comment on bd-2. The harness takes it after the step.\n',
    )
    expect(JSON.parse(readFileSync(at('said.json'), 'utf8'))).toEqual({
      action: 'issue.discover',
      request: {
        action: 'issue.discover',
        parentId: 'bd-1',
        issue: { title: 'Three', priority: 0 },
      },
      result: 'asked',
      stepId: 'w.bd-1.1.1',
    })
    expect(readFileSync(at('during.jsonl'), 'utf8')).not.toMatch(/Three|seen by the work/)
    expect(json.requests).toEqual([
      { action: 'issue.comment', issueId: 'bd-2', result: 'taken', createdIssueId: null },
      { action: 'issue.discover', issueId: 'bd-1', result: 'taken', createdIssueId: 'bd-3' },
      { action: 'dep.add', issueId: 'bd-2', result: 'taken', createdIssueId: null },
    ])
    expect(rowsById()['bd-2'].comments).toMatchObject([{ author: 'w', text: 'seen by the work' }])
    expect(rowsById()['bd-3']).toMatchObject({ title: 'Three', priority: 0, status: 'open' })
    expect(rowsById()['bd-2'].dependencies).toMatchObject([
      { depends_on_id: 'bd-1', type: 'blocks', created_by: 'w' },
    ])
  })

  test('also when the step fails, and tells the next attempt what was refused', () => {
    const { json } = step('premath comment bd-9 nobody; premath comment bd-2 stuck; exit 1')
    expect(json.requests[0]).toMatchObject({ result: 'refused', failureClass: 'issue_not_found' })
    expect(texts('bd-2')).toContain('stuck')
    const [{ stepId }] = json.attempts
    const failure = JSON.parse(readFileSync(at(`artifacts/steps/${stepId}/failure.json`), 'utf8'))
    expect(failure.notes).toEqual([
      'the work asked for a comment on bd-9, which was refused: issue not found: bd-9',
    ])
    step('cp "$PREMATH_FEEDBACK_FILE" feedback.txt')
    expect(readFileSync(at('feedback.txt'), 'utf8')).toContain('Not taken over:')
  })

  test.each([
    ['without its variable', 'unset PREMATH_STEP_ID;'],
    ['without its environment', 'cd "$PREMATH_ROOT"; env -i'],
    ['without environment and session', 'cd "$PREMATH_ROOT"; env -i setsid --wait'],
  ])('[trust.32.ancestors] and is known by its ancestors %s', (_, prefix) => {
    const command = `'${process.execPath}' '${main}'`
    const { status } = step(
      [
        `(${prefix} ${command} issue update bd-2 --title Mine) 2> said.txt; echo $? >> codes`,
        `(${prefix} ${command} close bd-1 --force --reason x); echo $? >> codes`,
        `(${prefix} ${command} issue comment bd-2 hello); echo $? >> codes`,
      ].join('\n'),
    )
    expect(status).toBe(0)
    expect(readFileSync(at('codes'), 'utf8')).toBe('1\n1\n0\n')
    expect(readFileSync(at('said.txt'), 'utf8')).toContain('the work of a step may not')
    expect(rowsById()['bd-2'].title).toBe('Two')
    expect(rowsById()['bd-2'].comments).toMatchObject([{ author: 'worker', text: 'hello' }])
  })

  test('and people beside the step are no work of it', () => {
    const beside = `sh '${join(process.cwd(), 'test/by-another.sh')}' '${process.execPath}' '${main}'`
    expect(step(`${beside} issue update bd-2 --title Theirs`).status).toBe(0)
    expect(rowsById()['bd-2'].title).toBe('Theirs')
  })

  test('[trust.32.mailbox] unless it left something else there, which is named and dropped', () => {
    const head = '"schema":1,"requestKind":"premath.harness.step_request.v1"'
    const { status, json } = step(
      [
        `cd ${mailbox}`,
        'mkfifo 1-fifo; mkdir 2-folder; ln -s "$PREMATH_ISSUE_FILE" 3-link',
        'head -c 70000 /dev/zero > 4-huge; echo text > 5-text; printf "\\377" > 6-bytes',
        `echo '{${head},"action":"issue.update","id":"bd-2"}' > 7-update`,
        `echo '{${head},"action":"issue.discover","parentId":"bd-1","issue":{"title":"X","specs":["a"]}}' > 8-specs`,
        `echo '{${head},"action":"issue.comment","id":"bd-2","text":"fine"}' > 9-good`,
        'truncate -s 20G 4-sparse',
      ].join('\n'),
    )
    expect(status).toBe(0)
    expect(json.requests).toMatchObject([{ action: 'issue.comment', result: 'taken' }])
    const why = json.notes.map((note: string) => note.replace(/^.*dropped: /, ''))
    expect(why).toEqual([
      '1-fifo: it is not a plain file',
      '2-folder: it is not a plain file',
      '3-link: it is not a plain file',
      '4-huge: it is larger than 65536 bytes',
      '4-sparse: it is larger than 65536 bytes',
      '5-text: it is not JSON',
      '6-bytes: it is not UTF-8',
      expect.stringContaining('7-update: action '),
      expect.stringContaining('8-specs: issue'),
    ])
    expect(Object.keys(rowsById())).toEqual(['bd-1', 'bd-2'])
  })

  test('[trust.32.mailbox] as many as a step takes', () => {
    const request =
      '{"schema":1,"requestKind":"premath.harness.step_request.v1","action":"issue.comment","id":"bd-2","text":"again"}'
    const fill = `const { writeFileSync } = require("fs"); for (let n = 0; n < 10000; n++) writeFileSync(String(n).padStart(5, "0"), process.argv[1])`
    const { status, json } = step(`cd ${mailbox}; '${process.execPath}' -e '${fill}' '${request}'`)
    expect(status).toBe(0)
    expect(json.requests).toHaveLength(100)
    expect(json.notes).toEqual(['9900 requests of the work were dropped: a step takes 100'])
    expect(texts('bd-2')).toHaveLength(100)
  })

  test('[trust.32.asks] once, also if the harness is killed before or while it takes them', () => {
    const ask =
      'premath comment bd-2 one; premath issue discover bd-1 Three; premath dep add bd-2 bd-1'
    // The work kills the harness. The next start finds the mailbox.
    step(`${ask}; kill -9 $PPID; sleep 60`)
    expect(texts('bd-2')).toEqual([])
    const [name = ''] = readdirSync(at('.premath/steps')).filter(one => one.endsWith('.jsonl'))
    const journal = readFileSync(at(`.premath/steps/${name}`))
    expect(premath(['harness-boot'], { isSpawned: true }).status).toBe(0)
    const isOnce = () => {
      expect(texts('bd-2')).toEqual(['one'])
      expect(Object.keys(rowsById())).toEqual(['bd-1', 'bd-2', 'bd-3'])
      expect(rowsById()['bd-2'].dependencies).toHaveLength(1)
    }
    isOnce()
    // As if the harness had been killed after its changes, before it recorded the end of the step.
    writeFileSync(at(`.premath/steps/${name}`), journal)
    expect(premath(['harness-boot'], { isSpawned: true }).status).toBe(0)
    isOnce()
  })
})

test.each(refusedCommands.slice(0, 2))('a person outside of a step may %s', (_, args) => {
  expect(premath(args)).toMatchObject({ status: 0, stderr: '' })
  expect(rowsById()['bd-1'].status).toBe('closed')
})

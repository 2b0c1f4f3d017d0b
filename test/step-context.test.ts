/** The turn that a step makes of itself: state view, reminder queue, error result, stop policy. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../src/kernel/canonical.ts'
import { aProject } from './a-project.ts'
import { evidence } from './a-turn.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done } = project
const at = (path: string) => join(project.folder, path)
const json = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'))
const digestOf = (value: never) =>
  `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`

const add = (...words: string[]) => done('issue', 'add', ...words).issue.id
const show = (id: string) => done('issue', 'show', id).issue
const step = (work: string, verify = 'true', ...more: string[]) =>
  asked(['harness-step', '--sandbox', 'off', '--work-cmd', work, '--verify-cmd', verify, ...more])
const attempt = (number: number) => `artifacts/steps/worker.bd-1.1.${number}`
const turnOf = (number: number) => json(`${attempt(number)}/turn.json`).evidence
const withPolicy = (more: object) =>
  writeFileSync(
    at('.premath/policy.json'),
    JSON.stringify({ schema: 1, surfaces: { cli: { mode: 'open' } }, ...more }),
  )

/** A command of a person, while the step runs. */
const person = (...args: readonly string[]) =>
  `env -u PREMATH_STEP_ID '${process.execPath}' '${main}' ${args.join(' ')}`

describe('the state view', () => {
  test('[gate.2.state-view] is kept, and its digest is in the turn', () => {
    add('First')
    writeFileSync(at('said.txt'), 'yes')
    step('true')
    const view = json(`${attempt(1)}/view.json`)
    expect(view).toMatchObject({
      viewKind: 'premath.harness.state_view.v1',
      stepId: 'worker.bd-1.1.1',
      issue: { id: 'bd-1', status: 'in_progress', rowDigest: expect.stringMatching(/^sha256:/) },
      blockers: [],
      lease: { owner: 'worker', fence: 1 },
      policy: { mode: 'open', refusal: null },
      asked: null,
      treeDigest: expect.any(String),
    })
    expect(view.policy.digest).toBe(done('prime').mutationPolicyDigest)
    const { stateViews } = turnOf(1)
    expect(stateViews).toMatchObject([
      { viewId: 'harness/state', viewDigest: digestOf(view as never) },
    ])
  })

  test('[gate.2.state-view] that was changed is found by verify and doctor', () => {
    add('First')
    step('true')
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
    expect(asked(['doctor']).status).toBe(0)
    const path = at(`${attempt(1)}/view.json`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"blockers":[]', '"blockers":[{}]'))
    const named = asked(['witness', 'verify', 'bd-1'])
    expect(named.status).toBe(5)
    expect(JSON.stringify(named.json)).toContain('view.json is not what the turn')
    expect(asked(['witness', 'verify', '--all']).status).toBe(5)
    const doctor = asked(['doctor'])
    expect(doctor.status).toBe(1)
    expect(JSON.stringify(doctor.json)).toContain('view.json is not what the turn')
  })

  test('[gate.2.state-view] of an attempt with the same id in another clone is not compared', () => {
    add('First')
    step('touch done')
    const [proof, rows] = ['proofs', 'issues.jsonl'].map(name => at(`.premath/${name}`))
    const theirs = mkdtempSync(join(project.folders, 'theirs '))
    cpSync(proof ?? '', join(theirs, 'proofs'), { recursive: true })
    cpSync(rows ?? '', join(theirs, 'issues.jsonl'))
    // Here the attempt failed before, under the same step id.
    project.begin()
    add('First')
    step('touch done', 'false')
    project.forgetAcknowledged()
    rmSync(at('.premath/memory'), { recursive: true })
    cpSync(theirs, at('.premath'), { recursive: true })
    expect(existsSync(at(`${attempt(1)}/view.json`))).toBe(true)
    expect(asked(['witness', 'verify', 'bd-1'])).toMatchObject({ status: 0 })
    expect(JSON.stringify(asked(['doctor']).json)).not.toContain('view.json')
  })
})

describe('the reminder queue', () => {
  test('[gate.3.reminder-queue] has what the retry was given, and its digest is in the turn', () => {
    add('First')
    step('echo first', 'echo broken; echo broken; [ -e fixed ] || { touch fixed; exit 1; }')
    expect(existsSync(at(`${attempt(1)}/reminders.json`))).toBe(false)
    const queue = json(`${attempt(2)}/reminders.json`)
    const texts = queue.lines.map(({ text }: { text: string }) => text)
    expect(texts.filter((text: string) => text === 'broken')).toHaveLength(1)
    expect(texts.join('\n')).toContain('Find the cause before you try the same again.')
    const sources = new Set(queue.lines.map(({ source }: { source: string }) => source))
    expect(sources).toEqual(new Set(['handoff', 'feedback']))
    expect(turnOf(2).reminderQueue).toMatchObject([{ reducedDigest: digestOf(queue as never) }])
    expect(turnOf(1).reminderQueue).not.toEqual(turnOf(2).reminderQueue)
  })

  test('[gate.3.reminder-queue] is capped by the policy', () => {
    add('First')
    withPolicy({ harness: { reminderLines: 2 } })
    step('true', '[ -e fixed ] || { touch fixed; exit 1; }')
    const queue = json(`${attempt(2)}/reminders.json`)
    expect(queue).toMatchObject({ linesMax: 2, lines: [{}, {}] })
    expect(queue.dropped).toBeGreaterThan(0)
  })

  test('[gate.3.reminder-queue] has what a run reported about the issue', () => {
    add('First')
    const row = {
      schema: 1,
      attentionKind: 'premath.harness.attention.v1',
      at: '2026-02-22T12:00:00Z',
      runId: 'r-1',
      about: 'worker_quiet',
      message: 'worker has printed nothing for 60 s',
      next: 'Check it',
      issueId: 'bd-1',
    }
    writeFileSync(at('.premath/harness_attention.jsonl'), `${JSON.stringify(row)}\n`)
    step('true', '[ -e fixed ] || { touch fixed; exit 1; }')
    const text = 'worker has printed nothing for 60 s. Check it'
    expect(json(`${attempt(2)}/handoff.json`).attention).toEqual([text])
    expect(json(`${attempt(2)}/reminders.json`).lines).toContainEqual({ source: 'attention', text })
  })
})

describe('the stop policy', () => {
  test('[gate.4.stop-policy] begins no retry after the policy has changed', () => {
    add('First')
    const policy = '{"schema":1,"surfaces":{"cli":{"mode":"human-override"}}}'
    const { json: answer } = step(`echo '${policy}' > .premath/policy.json`, 'false')
    expect(answer.attempts).toHaveLength(1)
    expect(answer.attempts[0].resultClass).toBe('retry_needed_check_failed')
    expect(existsSync(at(attempt(2)))).toBe(false)
    expect(answer.notes).toEqual([
      expect.stringMatching(/^no other attempt began: the policy has changed since the step began/),
    ])
    expect(answer.error.hint).toBe('Show the policy in force: premath policy show.')
  })

  test('[gate.4.stop-policy] begins no retry of an issue that waits for another, and frees it', () => {
    add('First')
    add('Second')
    const { json: answer } = step(person('dep', 'add', 'bd-1', 'bd-2'), 'false', '--issue', 'bd-1')
    expect(answer.attempts).toHaveLength(1)
    expect(existsSync(at(attempt(2)))).toBe(false)
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(asked(['doctor']).status).toBe(0)
  })

  test('tries again while nothing is against it', () => {
    add('First')
    expect(step('true', 'false').json.attempts).toHaveLength(3)
  })
})

describe('work that fails', () => {
  test('[gate.5.error-result] is an error result of its call', () => {
    add('First')
    step('exit 3')
    expect(turnOf(1).toolResults).toMatchObject([
      {
        status: 'error',
        errorCode: 'check_failed',
        retryable: true,
        errorMessage: 'the work command ended with exit code 3',
        payload: { exitCode: 3 },
      },
    ])
    // The retry policy allows three attempts.
    expect(turnOf(3).toolResults[0].retryable).toBe(false)
    expect(show('bd-1').status).toBe('blocked')
    expect(asked(['witness', 'verify', '--all']).status).toBe(0)
  })

  test('and work that passes is a result like any other', () => {
    add('First')
    step('true')
    expect(turnOf(1).toolResults).toMatchObject([{ status: 'ok', payload: { exitCode: 0 } }])
    expect(turnOf(1).toolResults[0]).not.toHaveProperty('errorCode')
  })
})

describe('the turns of an agent', () => {
  const leaving = (turn: object) => {
    writeFileSync(at('turn.json'), `${JSON.stringify(turn)}\n`)
    return `cat '${at('turn.json')}' >> "$PREMATH_TURN_EVIDENCE"`
  }
  const asks = (mutationPolicyDigest: string) => ({
    evidence: evidence(['tc-1'], {
      callSpec: {
        callId: 'turn-1',
        modelRef: 'm',
        actionMode: 'code',
        executionPattern: 'single',
        normalizerId: 'nf.v1',
        mutationPolicyDigest,
        governancePolicyDigest: 'g',
        toolRenderProtocolDigest: 'r',
        reminderQueuePolicyDigest: 'q',
        stateViewPolicyDigest: 'v',
        decompositionPolicyDigest: 'd',
      },
      sessionRefs: ['s'],
      trajectoryRefs: ['t'],
    }),
    mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
    capabilityClaims: ['capabilities.change_morphisms', 'capabilities.change_morphisms.all'],
    activeMutationPolicyDigest: mutationPolicyDigest,
  })

  test('[gate.6.policy-in-force] are judged under the policy in force, not under their own', () => {
    add('First')
    const { json: answer } = step(leaving(asks('sha256:another')))
    expect(answer.failureClasses).toEqual(['mutation.policy_digest_mismatch'])
    expect(show('bd-1').status).toBe('in_progress')
  })

  test('[gate.6.policy-in-force] that are bound to it are accepted', () => {
    add('First')
    const { json: answer } = step(leaving(asks(done('prime').mutationPolicyDigest)))
    expect(answer.result).toBe('completed')
  })

  test('[gate.6.policy-in-force] are required where the policy requires them', () => {
    add('First')
    withPolicy({ harness: { requireAgentEvidence: true } })
    const { status, json: answer } = step('true')
    expect(status).toBe(1)
    expect(answer.failureClasses).toEqual(['mutation.use_evidence_missing'])
    expect(show('bd-1').status).toBe('in_progress')
    const turn = asks(done('prime').mutationPolicyDigest)
    expect(step(leaving(turn), 'true', '--issue', 'bd-1').json.result).toBe('completed')
  })
})

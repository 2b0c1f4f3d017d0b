/** The three hooks as people run them: real commands, real files, and steps that go wrong. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { aProject } from './a-project.ts'
import { oneAttempt } from './a-retry-policy.ts'
import { block } from './a-spec-run.ts'
import { evidence } from './a-turn.ts'
import { main } from './built-command.ts'

/** Part of each sleep, so that no other suite runs the same command. */
const own = process.pid

/** A closed turn, unless a part is replaced. */
const aTurn = (more: object = {}) => ({ evidence: evidence(['tc-1'], more) })

const project = aProject()
const { asked, done, premath } = project

const add = (...words: string[]) => done('issue', 'add', ...words).issue.id
const show = (id: string) => done('issue', 'show', id).issue

const step = (work: string, verify = 'true', ...more: string[]) =>
  asked(['harness-step', '--work-cmd', work, '--verify-cmd', verify, ...more])

const rows = () => {
  const path = join(project.folder, '.premath/harness_trajectory.jsonl')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

const journals = () =>
  readdirSync(join(project.folder, '.premath/steps')).filter(name => name.endsWith('.jsonl'))

const sessionFile = () =>
  JSON.parse(readFileSync(join(project.folder, '.premath/harness_session.json'), 'utf8'))

const ledger = () => done('harness-feature', 'read').ledger.features

/** By hand, because premath refuses the second one. */
const putTwoInProgress = () => {
  const updatedAt = '2026-02-22T00:00:00Z'
  const features = ['a', 'b'].map(featureId => ({ featureId, status: 'in_progress', updatedAt }))
  const head = { schema: 1, ledgerKind: 'premath.harness.feature_ledger.v1', updatedAt }
  const path = join(project.folder, '.premath/harness_feature_ledger.json')
  writeFileSync(path, JSON.stringify({ ...head, features }))
}

/** Leaves the turn where the step looks for it. */
const leaving = (turn: object) => {
  const path = join(project.folder, 'turn.json')
  writeFileSync(path, `${JSON.stringify(turn)}\n`)
  return `cat '${path}' >> "$PREMATH_TURN_EVIDENCE"`
}

/** Beside us, once its work has made the file `began`. */
async function begunStep(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project.folder,
    stdio: 'ignore',
  })
  const ended = new Promise(settle => child.on('exit', settle))
  while (!existsSync(join(project.folder, 'began'))) await new Promise(go => setTimeout(go, 20))
  return { child, ended }
}

describe('a step', () => {
  test('that passes closes one issue and records it everywhere', () => {
    add('First')
    add('Second')
    const { status, json } = step('echo worked; echo aside >&2')
    expect(status).toBe(0)
    expect(json).toMatchObject({
      action: 'harness-step',
      result: 'completed',
      claimed: true,
      issueId: 'bd-1',
      failureClasses: [],
      boot: { result: 'accepted', target: { issueId: 'bd-1', why: 'ready' } },
    })
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
    expect(show('bd-2')).toMatchObject({ status: 'open' })
    const [row] = rows()
    expect(row).toMatchObject({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: 'worker.bd-1.1.1',
      issueId: 'bd-1',
      action: 'harness.step',
      resultClass: 'completed',
      workerId: 'worker',
      attempt: 1,
      turn: { joinClosed: true, mutationReady: true, failureClasses: [] },
      commands: [
        { role: 'work', exitCode: 0 },
        { role: 'verify', exitCode: 0 },
      ],
    })
    expect(row.witnessRefs).toContainEqual(
      expect.stringMatching(/^lease:\/\/handoff\/bd-1\/released\//),
    )
    expect(row.lineageRefs.map((ref: string) => ref.split(':')[0])).toEqual([
      'cover',
      'ctx',
      'refinement',
    ])
    expect(sessionFile()).toMatchObject({
      state: 'stopped',
      issueId: 'bd-1',
      witnessRefs: row.witnessRefs,
    })
    expect(ledger()).toMatchObject([{ featureId: 'bd-1', status: 'completed' }])
    expect(done('harness-feature', 'check').result).toBe('accepted')
    expect(done('harness-trajectory', 'query')).toMatchObject({ totalCount: 1, failedCount: 0 })
    const folder = join(project.folder, 'artifacts/steps/worker.bd-1.1.1')
    expect(readFileSync(join(folder, 'work.stdout'), 'utf8')).toBe('worked\n')
    expect(readFileSync(join(folder, 'work.stderr'), 'utf8')).toBe('aside\n')
    expect(existsSync(join(project.folder, '.premath/steps/worker.jsonl'))).toBe(false)
  })

  test('gives the work its issue', () => {
    add('Fix the login', '--acceptance', 'It works.')
    const names = [
      'PREMATH_ISSUE_ID',
      'PREMATH_ISSUE_TITLE',
      'PREMATH_LEASE_ID',
      'PREMATH_FENCE',
      'PREMATH_STEP_ID',
      'PREMATH_ATTEMPT',
    ]
    const print = names.map(name => `echo "$${name}"`).join('; ')
    const rest =
      'test -f "$PREMATH_ISSUES_PATH" && test -n "$PREMATH_TURN_EVIDENCE" && test -f "$PREMATH_HARNESS_SESSION_PATH" && grep -q "It works" "$PREMATH_ISSUE_FILE" && echo "$PREMATH_ISSUE_JSON" | grep -q "It works"'
    expect(step(`${print}; ${rest}`).json.result).toBe('completed')
    const out = readFileSync(
      join(project.folder, 'artifacts/steps/worker.bd-1.1.1/work.stdout'),
      'utf8',
    )
    expect(out.trimEnd().split('\n')).toEqual([
      'bd-1',
      'Fix the login',
      'lease1_bd-1_worker',
      '1',
      'worker.bd-1.1.1',
      '1',
    ])
  })

  test('[tusk.4.sub-agents] lets its work ask for others', () => {
    add('First')
    const premathHere = `'${process.execPath}' '${main}'`
    const found = `${premathHere} issue discover "$PREMATH_ISSUE_ID" "Another thing"`
    expect(step(found).json).toMatchObject({ result: 'completed' })
    expect(show('bd-1')).toMatchObject({ status: 'closed' })
    expect(show('bd-2')).toMatchObject({
      title: 'Another thing',
      dependencies: [{ dependsOnId: 'bd-1', type: 'discovered-from' }],
    })
  })

  test('without work says so, and exits 0', () => {
    add('First')
    done('issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'done')
    const { status, json } = step('false')
    expect({ status, result: json.result }).toEqual({ status: 0, result: 'idle' })
    expect(rows()).toEqual([])
  })

  test('without a command for work or verification is a usage error', () => {
    add('First')
    const { status, stderr } = premath(['harness-step', '--work-cmd', 'true'])
    expect(status).toBe(2)
    expect(stderr).toContain('--verify-cmd is missing')
    expect(show('bd-1').status).toBe('open')
  })

  test('without a memory creates nothing', () => {
    const { status, stderr } = premath([
      'harness-step',
      '--work-cmd',
      'true',
      '--verify-cmd',
      'true',
    ])
    expect(status).toBe(2)
    expect(stderr).toContain('premath init')
    expect(readdirSync(project.folder)).toEqual([])
  })
})

/** A class that is escalated by a new issue. */
const operational = 'pipeline_missing_witness'
const failingAs = (failureClass: string) => `echo '${failureClass}: no' >&2; false`

describe('work that fails', () => {
  test('[tusk.5.verification-classes] is tried three times, and then the issue is blocked with a note', () => {
    add('First')
    const { status, json } = step('true', 'echo no; false')
    expect(status).toBe(1)
    expect(json).toMatchObject({ result: 'failed', failureClasses: ['check_failed'] })
    const issue = show('bd-1')
    expect(issue).toMatchObject({ status: 'blocked' })
    expect(issue.notes).toContain('matchedFailureClass: check_failed')
    expect(rows()).toMatchObject([
      { resultClass: 'retry_needed_check_failed', attempt: 1 },
      { resultClass: 'retry_needed_check_failed', attempt: 2 },
      { resultClass: 'check_failed', attempt: 3 },
    ])
    expect(ledger()).toMatchObject([{ status: 'blocked' }])
    expect(ledger()[0]).not.toHaveProperty('verificationRefs')
  })

  test('is not verified', () => {
    add('First')
    step('exit 3', 'touch verified')
    expect(existsSync(join(project.folder, 'verified'))).toBe(false)
    expect(rows()[0].commands).toMatchObject([{ role: 'work', exitCode: 3 }])
  })

  test('[tusk.5.max-attempts] is retried if its check is flaky', () => {
    add('First')
    // Outside of the files that are verified, as a service would be.
    const seen = `'${join(project.folder, 'artifacts/seen')}'`
    const { status, json } = step('true', `test -f ${seen} || { touch ${seen}; false; }`)
    expect({ status, result: json.result }).toEqual({ status: 0, result: 'completed' })
    expect(rows().map(row => [row.stepId, row.resultClass])).toEqual([
      ['worker.bd-1.1.1', 'retry_needed_flaky_execution'],
      ['worker.bd-1.1.2', 'completed'],
    ])
    expect(done('harness-trajectory', 'query', '--mode', 'retry-needed').count).toBe(1)
  })

  test('[tusk.5.escalation-path] is tried as often as its class allows, then reported as a new issue', () => {
    add('First', '--acceptance=- `npm test` passes.')
    const { status, json } = step(failingAs(operational))
    expect(status).toBe(1)
    expect(json).toMatchObject({ failureClasses: [operational], createdIssueId: 'bd-2' })
    expect(json.attempts).toHaveLength(2)
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(show('bd-2').title).toContain(operational)
    expect(asked(['issue', 'check']).json).toMatchObject({ failureClasses: [], result: 'accepted' })
  })

  test('names its class on the last line of stderr', () => {
    add('First')
    const { json } = step('echo "governance.eval_gate_unmet: too low" >&2; false')
    expect(json.failureClasses).toEqual(['governance.eval_gate_unmet'])
    // A gate's class: nothing in issue memory changes, the lease included.
    expect(show('bd-1')).toMatchObject({ status: 'in_progress' })
  })

  test('is ended at the timeout, with everything it started', () => {
    add('First')
    const slow = `(sleep 61.5${own}; echo late) & sleep 61.5${own}`
    const { json } = step(slow, 'true', '--work-timeout-seconds', '1')
    expect(json.attempts[0]).toMatchObject({ resultClass: 'retry_needed_command_timeout' })
    const left = spawnSync('pgrep', ['-f', `sleep 61.5${own}`], { encoding: 'utf8' })
    expect(left.stdout).toBe('')
  })

  test.each([
    ['forks and exits', `(sleep 62.5${own}) & true`, 'completed'],
    ['closes its output', 'exec >&- 2>&-; true', 'completed'],
    ['prints very much', 'head -c 30000000 /dev/zero | tr "\\0" x', 'completed'],
  ])('that %s is limited', (_, work, result) => {
    add('First')
    expect(step(work).json.result).toBe(result)
    const out = join(project.folder, 'artifacts/steps/worker.bd-1.1.1/work.stdout')
    expect(statSync(out, { throwIfNoEntry: false })?.size ?? 0).toBeLessThan(11_000_000)
    expect(spawnSync('pgrep', ['-f', `sleep 62.5${own}`], { encoding: 'utf8' }).stdout).toBe('')
  })
})

describe('the gate', () => {
  test('[runtime.3.2.join-closed] [runtime.3.2.fail-closed] refuses the change if the work left an open turn, and says why', () => {
    add('First')
    const { status, json } = step(leaving(aTurn({ toolUse: [] })))
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual(['tool.use_missing', 'tool.join_incomplete'])
    expect(show('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'worker' })
    expect(rows()).toMatchObject([
      {
        resultClass: 'tool.use_missing',
        turn: { joinClosed: false, mutationReady: false, failureClasses: json.failureClasses },
      },
    ])
    expect(sessionFile().summary).toContain('the gate rejected the turn')
  })

  test('[runtime.3.2.tool-use] accepts closed turns', () => {
    add('First')
    const { json } = step(`${leaving(aTurn())}; ${leaving(aTurn())}`)
    expect(json).toMatchObject({ result: 'completed' })
  })

  test('binds the turns to row, record and proof, so that a later change is found', () => {
    add('First')
    step(`${leaving(aTurn())}; ${leaving(aTurn())}`)
    const folder = join(project.folder, 'artifacts/steps', rows()[0].stepId)
    const file = join(folder, 'evidence.ndjson')
    const sha256 = `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`
    const { evidence } = rows()[0]
    expect(evidence).toMatchObject({ sha256, turns: 2, joinClosed: true })
    const record = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8'))
    expect(record).toMatchObject({
      evidence,
      turnDigests: [expect.any(String), expect.any(String)],
    })
    const proofs = join(project.folder, '.premath/proofs/bd-1')
    const proof = readFileSync(join(proofs, readdirSync(proofs)[0] ?? ''), 'utf8')
    expect(proof).toContain(evidence.verdictsDigest)
    expect(project.premath(['doctor']).status).toBe(0)
    writeFileSync(file, `${JSON.stringify(aTurn())}\n`)
    const { status, stdout } = project.premath(['doctor'])
    expect(status).toBe(1)
    expect(stdout.replace(/\s+/g, ' ')).toContain('evidence.ndjson is not what the step')
  })

  test('refuses evidence that is not JSON', () => {
    add('First')
    const { json } = step('echo nonsense >> "$PREMATH_TURN_EVIDENCE"')
    expect(json).toMatchObject({ result: 'failed', failureClasses: ['tool.schema_invalid'] })
  })

  test('requires turns if the policy does', () => {
    add('First')
    const policy = {
      schema: 1,
      surfaces: { cli: { mode: 'open' } },
      harness: { requireAgentEvidence: true },
    }
    writeFileSync(join(project.folder, '.premath/policy.json'), JSON.stringify(policy))
    expect(step('true').json.failureClasses).toEqual(['mutation.use_evidence_missing'])
    expect(step(leaving(aTurn())).json.result).toBe('completed')
  })

  test('[runtime.1.2.relocation] [runtime.3.2.relocation] does not verify relocated work here', () => {
    add('First')
    const handoff = { target: 'location://far', requiredArtifactRefs: [], returnPathRef: 'r' }
    const { json } = step(leaving(aTurn({ handoff })))
    expect(json.failureClasses).toContain('handoff.destination_evidence_missing')
    expect(show('bd-1').status).toBe('in_progress')
  })

  test('[runtime.8.one-authority] checks work done elsewhere by a step, like any other', () => {
    add('First')
    const handoff = { target: 'location://far', requiredArtifactRefs: [], returnPathRef: 'r' }
    const before = readFileSync(project.issues, 'utf8')
    const giveBack = () => {
      const { leaseId, fence } = show('bd-1').lease
      const proof = ['--lease-id', leaseId, '--fence', String(fence)]
      done('issue', 'lease-release', 'bd-1', '--assignee', 'worker', ...proof)
    }
    step(leaving(aTurn({ handoff })))
    // Sent away: but for the claim, nothing of it is in memory, and no other way leads there.
    expect(show('bd-1').status).toBe('in_progress')
    expect(readFileSync(project.issues, 'utf8').startsWith(before)).toBe(true)
    giveBack()
    // The evidence of the other place is judged like any that was left here.
    const lost = aTurn({ toolResults: [] })
    expect(step(leaving(lost)).json.failureClasses).toContain('tool.result_missing')
    giveBack()
    expect(step(leaving(aTurn())).json.result).toBe('completed')
    expect(show('bd-1').status).toBe('closed')
    expect(rows().map(({ issueId, resultClass }) => [issueId, resultClass])).toEqual([
      ['bd-1', 'handoff.destination_evidence_missing'],
      ['bd-1', 'tool.result_missing'],
      ['bd-1', 'completed'],
    ])
  })
})

describe('the output and the files of the hooks', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const complies = (kind: string, value: unknown) => {
    const validate = ajv.compile(jsonSchemas()[kind] as object)
    validate(value)
    return validate.errors ?? []
  }

  test('match the published schemas', () => {
    add('First')
    add('Second')
    const failed = step('echo no >&2; false')
    expect(complies('premath.harness.step_report.v1', failed.json)).toEqual([])
    expect(complies('premath.harness.step_report.v1', step('true').json)).toEqual([])
    expect(complies('premath.harness.step_report.v1', step('true').json)).toEqual([])
    expect(complies('premath.harness.boot.v1', done('harness-boot'))).toEqual([])
    for (const row of rows()) expect(complies('premath.harness.step.v1', row)).toEqual([])
    const path = '"$(dirname "$PREMATH_HARNESS_SESSION_PATH")/steps/worker.jsonl"'
    add('Third')
    step(`cp ${path} journal.jsonl`)
    const text = readFileSync(join(project.folder, 'journal.jsonl'), 'utf8')
    const lines = text.split('\n').filter(line => line !== '')
    for (const line of lines.slice(1)) {
      expect(complies('premath.harness.step_journal.v1', JSON.parse(line))).toEqual([])
    }
    expect(lines).toHaveLength(3)
  })
})

describe('boot', () => {
  test('reports a ledger with two features in progress, and continues', () => {
    add('First')
    putTwoInProgress()
    const { status, json } = step('true')
    expect(status).toBe(0)
    expect(json.boot.warnings).toEqual([
      {
        why: expect.stringContaining('harness_feature_ledger.in_progress.non_contractible'),
        next: expect.stringContaining('premath harness-feature check'),
      },
    ])
  })

  test('leaves the session of a newer premath unchanged', () => {
    add('First')
    const path = join(project.folder, '.premath/harness_session.json')
    const newer = '{"schema":2,"sessionKind":"premath.harness.session.v1"}\n'
    writeFileSync(path, newer)
    const { status, stderr } = premath([
      'harness-step',
      '--work-cmd',
      'true',
      '--verify-cmd',
      'true',
    ])
    expect(status).toBe(2)
    expect(stderr).toContain('newer')
    expect(readFileSync(path, 'utf8')).toBe(newer)
    expect(show('bd-1').status).toBe('open')
  })
})

describe('stop', () => {
  test('does not carry facts of one issue over to the next', () => {
    add('First')
    add('Second')
    step('true')
    done('issue', 'claim', 'bd-2', '--assignee', 'worker')
    const { session } = done('harness-stop')
    expect(session.issueId).toBe('bd-2')
    expect(session).not.toHaveProperty('summary')
    expect(session.witnessRefs.join()).not.toContain('bd-1')
  })

  test.each(['29', '86401'])('refuses a term of %s seconds, as a step does', term => {
    const flags = ['--lease-ttl-seconds', term]
    for (const hook of [
      ['harness-stop', '--keep-lease'],
      ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'true'],
    ]) {
      const { status, stderr } = premath([...hook, ...flags])
      expect([status, stderr]).toEqual([2, expect.stringContaining('Pass 30 to 86400 seconds.')])
    }
    expect(rows()).toEqual([])
  })
})

describe('one worker', () => {
  test('runs once at a time', async () => {
    add('First')
    const work = 'touch began; until [ -e go ]; do sleep 0.02; done'
    const args = ['harness-step', '--work-cmd', work, '--verify-cmd', 'true']
    const { ended } = await begunStep(...args)
    const { status, stderr } = premath([
      'harness-step',
      '--work-cmd',
      'true',
      '--verify-cmd',
      'true',
    ])
    expect(status).toBe(4)
    expect(stderr).toContain('worker lock busy')
    writeFileSync(join(project.folder, 'go'), '')
    expect(await ended).toBe(0)
  })

  test('that is asked to stop ends its work, releases the issue and hands over', async () => {
    add('First')
    const args = [
      'harness-step',
      '--work-cmd',
      `touch began; sleep 63.5${own}`,
      '--verify-cmd',
      'true',
    ]
    const { child, ended } = await begunStep(...args)
    child.kill('SIGTERM')
    expect(await ended).toBe(1)
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(rows()).toMatchObject([{ resultClass: 'interrupted_by_signal' }])
    expect(sessionFile()).toMatchObject({ state: 'stopped' })
    expect(spawnSync('pgrep', ['-f', `sleep 63.5${own}`], { encoding: 'utf8' }).stdout).toBe('')
  })

  test.each([
    ['while it is verified', 'touch began', `sleep 68.5${own}`, 'interrupted_by_signal'],
    [
      'while it waits to try again',
      'touch began; echo "flaky_io: x" >&2; false',
      'true',
      'retry_needed_flaky_io',
    ],
  ])('that is asked to stop %s releases the issue', async (_, work, verify, resultClass) => {
    add('First')
    const args = ['harness-step', '--work-cmd', work, '--verify-cmd', verify]
    const child = spawn(process.execPath, [main, ...args], {
      cwd: project.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise(settle => child.on('exit', settle))
    const moment = resultClass.startsWith('retry') ? 'again in' : 'verify:'
    for await (const text of child.stderr) if (String(text).includes(moment)) break
    while (!existsSync(join(project.folder, 'began'))) await new Promise(go => setTimeout(go, 20))
    child.kill('SIGTERM')
    expect(await ended).toBe(1)
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(rows()).toMatchObject([{ resultClass }])
    expect(journals()).toEqual([])
  })

  test('that was killed while it waits for a retry has its issue released by the next start', async () => {
    add('First')
    const flaky = 'echo "flaky_io: x" >&2; false'
    const args = ['harness-step', '--work-cmd', flaky, '--verify-cmd', 'true']
    const child = spawn(process.execPath, [main, ...args], {
      cwd: project.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise(settle => child.on('exit', settle))
    for await (const text of child.stderr) if (String(text).includes('again in')) break
    child.kill('SIGKILL')
    await ended
    expect(journals()).toEqual(['worker.jsonl'])
    const { json } = asked(['harness-boot', '--worker', 'another'])
    expect(json.recovered).toEqual({
      stepId: 'worker.bd-1.1.1',
      issueId: 'bd-1',
      how: 'finished',
      resultClass: 'retry_needed_flaky_io',
    })
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(rows().map(row => row.stepId)).toEqual(['worker.bd-1.1.1'])
    expect(journals()).toEqual([])
  })

  test('that was killed before the policy required an instruction gets the command that finishes its step', async () => {
    add('First')
    const args = [
      'harness-step',
      '--work-cmd',
      `touch began; sleep 64.7${own}`,
      '--verify-cmd',
      'true',
    ]
    const { child, ended } = await begunStep(...args)
    child.kill('SIGKILL')
    await ended
    const surfaces = { cli: { mode: 'instruction-linked' } }
    const policy = { policyKind: 'premath.mutation_policy.v1', schema: 1, surfaces }
    writeFileSync(join(project.folder, '.premath/policy.json'), JSON.stringify(policy))
    const { stdout } = premath(['harness-boot', '--reason', 'mine'])
    expect(stdout.replace(/\s+/g, ' ')).toContain('with the --instruction of the step.')
    expect(stdout).not.toContain('again with --reason')
  })

  test('that was killed is recovered by the next start, which ends its running commands', async () => {
    add('First')
    const args = [
      'harness-step',
      '--work-cmd',
      `touch began; sleep 64.5${own}`,
      '--verify-cmd',
      'true',
    ]
    const { child, ended } = await begunStep(...args)
    child.kill('SIGKILL')
    await ended
    const { json } = asked(['harness-boot'])
    expect(json.recovered).toEqual({
      stepId: 'worker.bd-1.1.1',
      issueId: 'bd-1',
      how: 'undone',
      resultClass: 'retry_needed_interrupted',
    })
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
    expect(spawnSync('pgrep', ['-f', `sleep 64.5${own}`], { encoding: 'utf8' }).stdout).toBe('')
    expect(step('true').json.result).toBe('completed')
    expect(rows().map(row => row.stepId)).toEqual(['worker.bd-1.1.1', 'worker.bd-1.2.1'])
  })
})

describe('unreadable evidence does not count', () => {
  test.each([
    ['a pipe', 'mkfifo "$PREMATH_TURN_EVIDENCE"'],
    ['a folder', 'mkdir "$PREMATH_TURN_EVIDENCE"'],
    ['a link that leads nowhere', 'ln -s nowhere "$PREMATH_TURN_EVIDENCE"'],
    ['a link to what never ends', 'ln -s /dev/zero "$PREMATH_TURN_EVIDENCE"'],
    ['a link to another file', 'echo x > other; ln -s "$PWD/other" "$PREMATH_TURN_EVIDENCE"'],
  ])('%s', (_, work) => {
    add('First')
    const { status, json } = step(work)
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual(['tool.schema_invalid'])
    expect(show('bd-1').status).toBe('in_progress')
  })

  test('and evidence from an earlier step does not count', () => {
    add('First')
    const policy = {
      schema: 1,
      surfaces: { cli: { mode: 'open' } },
      harness: { requireAgentEvidence: true },
    }
    writeFileSync(join(project.folder, '.premath/policy.json'), JSON.stringify(policy))
    const folder = join(project.folder, 'artifacts/steps/worker.bd-1.1.1')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'evidence.ndjson'), `${JSON.stringify(aTurn())}\n`)
    expect(step('true').json.failureClasses).toEqual(['mutation.use_evidence_missing'])
  })
})

describe('the end of a step', () => {
  test('is a failure if the issue is gone', () => {
    add('First')
    const { status, json } = step('rm -r "$XDG_STATE_HOME"; printf "" > .premath/issues.jsonl')
    expect(status).toBe(1)
    expect(json).toMatchObject({ result: 'failed', failureClasses: ['failed_issue_missing'] })
  })

  test('closes the issue if the work emptied issue memory: its rows are written again', () => {
    add('First')
    const { status, json, stderr } = step('printf "" > .premath/issues.jsonl')
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('lacked 1 issue (bd-1)'),
    })
    expect(json).toMatchObject({ result: 'completed' })
    expect(project.premath(['issue', 'show', 'bd-1', '--json']).stdout).toContain('"closed"')
  })

  test('keeps the reason of the failure if the change is also refused', () => {
    add('First')
    writeFileSync(join(project.folder, 'retry.json'), oneAttempt())
    const premath = `'${process.execPath}' '${main}'`
    const { json } = step(
      `${premath} issue update bd-1 --status closed --force --reason done`,
      'false',
      ...['--retry-policy', 'retry.json'],
    )
    expect(json.failureClasses[0]).toBe('check_failed')
    expect(rows()[0]).toMatchObject({ resultClass: 'check_failed' })
  })

  test.each([
    ['exit 3', 'true', 'premath issue update bd-1 --status open'],
    [failingAs(operational), 'true', 'premath issue show bd-2'],
    ['exit 127', 'true', 'premath harness-step --issue bd-1'],
  ])('names the next action after %s', (work, verify, next) => {
    add('First')
    step(work, verify)
    expect(sessionFile().nextStep).toContain(next)
    expect(premath(['prime']).stdout).toContain(next)
  })

  test('reports an added issue once', () => {
    add('First')
    expect(step(failingAs(operational)).json.createdIssueId).toBe('bd-2')
    const again = step(failingAs(operational), 'true', '--issue', 'bd-1')
    expect(again.json.createdIssueId).toBeNull()
  })

  test('blocks an issue that an escalation added, and adds no other', () => {
    add('First')
    expect(step(failingAs(operational)).json.createdIssueId).toBe('bd-2')
    const again = step(failingAs(operational), 'true', '--issue', 'bd-2')
    expect(again.json).toMatchObject({ result: 'failed', createdIssueId: null })
    expect(show('bd-2')).toMatchObject({ status: 'blocked', assignee: '' })
    expect(show('bd-2').notes).toContain('action: mark_blocked')
    expect(Object.keys(project.rowsById())).toEqual(['bd-1', 'bd-2'])
    expect(journals()).toEqual([])
  })

  test('needs a timeout greater than 0', () => {
    add('First')
    const flags = ['--work-cmd', 'true', '--verify-cmd', 'true', '--work-timeout-seconds', '0']
    expect(premath(['harness-step', ...flags]).status).toBe(2)
  })
})

describe('a lease', () => {
  test('is renewed while the work runs', () => {
    add('First')
    const events = join(project.folder, '.premath/memory/events.jsonl')
    const renewed = `grep -q '"action":"renew_lease"' '${events}'`
    const { json } = step(
      `until ${renewed}; do sleep 0.1; done`,
      renewed,
      ...['--lease-ttl-seconds', '30', '--work-timeout-seconds', '90'],
    )
    expect(json.result).toBe('completed')
  })

  test('that expired is acquired again if nobody took it over', () => {
    add('First')
    // The row says that the lease is over, as after a night in which the machine slept.
    const sleepWell = `sed -i 's/"expires_at":"[^"]*"/"expires_at":"2020-01-01T00:00:00Z"/' .premath/issues.jsonl`
    const { status, json } = step(sleepWell)
    expect({ status, result: json.result }).toEqual({ status: 0, result: 'completed' })
    expect(show('bd-1').status).toBe('closed')
  })
})

describe('several workers', () => {
  const begun = (name: string, ...flags: string[]) => {
    const work = `touch '${name}.began'; while [ ! -f go ]; do sleep 0.05; done`
    const args = ['harness-step', '--work-cmd', work, '--verify-cmd', 'true', ...flags]
    return project.started(...args)
  }
  const until = async (name: string) => {
    while (!existsSync(join(project.folder, name))) await new Promise(go => setTimeout(go, 20))
  }

  test('with separate sessions run in parallel', async () => {
    const names = ['w1', 'w2', 'w3']
    for (const name of names) add(name)
    const running = []
    for (const name of names) {
      running.push(begun(name, '--worker', name, '--session', `.premath/${name}.json`))
      await until(`${name}.began`)
    }
    writeFileSync(join(project.folder, 'go'), '')
    const ended = await Promise.all(running)
    expect(ended.map(({ status, json }) => [status, json.result])).toEqual(
      names.map(() => [0, 'completed']),
    )
    expect(new Set(rows().map(({ issueId }) => issueId)).size).toBe(3)
  })

  test('cannot share one name, whatever their sessions', async () => {
    add('First')
    add('Second')
    const first = begun('w', '--worker', 'w', '--session', '.premath/s1.json')
    await until('w.began')
    const again = ['harness-step', '--worker', 'w', '--session', '.premath/s2.json']
    const { status, stderr } = premath([...again, '--work-cmd', 'true', '--verify-cmd', 'true'])
    expect(status).toBe(4)
    expect(stderr).toContain('--worker')
    writeFileSync(join(project.folder, 'go'), '')
    expect((await first).json.result).toBe('completed')
    expect(rows()).toHaveLength(1)
  })
})

describe('the work of a killed step is taken up', () => {
  test('by another worker, under the name of the one that was killed', async () => {
    add('First')
    const flags = [
      '--worker',
      'w1',
      '--work-cmd',
      `touch began; sleep 66.5${own}`,
      '--verify-cmd',
      'true',
    ]
    const { child, ended } = await begunStep('harness-step', ...flags)
    child.kill('SIGKILL')
    await ended
    const { json } = asked(['harness-boot', '--worker', 'w2'])
    expect(json.recovered).toMatchObject({ stepId: 'w1.bd-1.1.1', how: 'undone' })
    expect(show('bd-1')).toMatchObject({ status: 'open', assignee: '' })
  })

  test.each([
    ['the same name', 'w1', 's2'],
    ['another name', 'w2', 's2'],
  ])('by %s in another session, before it begins anything', async (_, worker, session) => {
    add('First')
    const began = ['harness-step', '--worker', 'w1', '--session', '.premath/s1.json']
    const work = ['--work-cmd', `touch began; sleep 69.5${own}`, '--verify-cmd', 'true']
    const { child, ended } = await begunStep(...began, ...work)
    child.kill('SIGKILL')
    await ended
    expect(asked(['doctor']).json.findings).toMatchObject([{ check: 'harness' }])
    const flags = ['--worker', worker, '--session', `.premath/${session}.json`]
    const { json } = step('true', 'true', ...flags)
    expect(json).toMatchObject({
      result: 'completed',
      boot: { recovered: { stepId: 'w1.bd-1.1.1', how: 'undone' } },
    })
    expect(spawnSync('pgrep', ['-f', `sleep 69.5${own}`], { encoding: 'utf8' }).stdout).toBe('')
    expect(rows().map(({ stepId }) => stepId)).toEqual(['w1.bd-1.1.1', `${worker}.bd-1.2.1`])
    const written = JSON.parse(readFileSync(join(project.folder, '.premath/s1.json'), 'utf8'))
    expect(written).toMatchObject({ state: 'stopped', issueId: 'bd-1' })
  })

  test.each([
    ['closed where the files are as they were', '', 'finished', 'completed', 'closed'],
    ['given back where one changed', 'said.txt', 'undone', 'close_proof_stale', 'open'],
    ['given back where a spec changed', 'said.spec.md', 'undone', 'close_proof_stale', 'open'],
  ])('and the verified files are %s', async (_, changed, how, result, status) => {
    const put = (name: string, text: string) => writeFileSync(join(project.folder, name), text)
    const spec = block('id: SAID', 'type: cli.run', 'harness: {entrypoint: [cat, said.txt]}')
    put('said.spec.md', spec)
    put('said.txt', 'yes')
    add('First', '--spec', 'said.spec.md')
    const work = 'touch began; until [ -e go ]; do sleep 0.02; done'
    const { child, ended } = await begunStep(
      'harness-step',
      // In a sandbox the commands that verify do not see artifacts/.
      ...['--work-cmd', work, '--verify-cmd', 'grep yes said.txt', '--sandbox', 'off'],
    )
    // It decides, and waits for the lock to close its issue.
    const lock = await nodeDisk.lock(`${project.issues}.lock`, 120_000)
    put('go', '')
    const journal = join(project.folder, '.premath/steps/worker.jsonl')
    while (!readFileSync(journal, 'utf8').includes('"outcome"')) {
      await new Promise(go => setTimeout(go, 20))
    }
    child.kill('SIGKILL')
    await ended
    if (lock.held) await lock.release()
    if (changed !== '') put(changed, spec.replace('SAID', 'ELSE'))
    const resultClass = how === 'undone' ? `retry_needed_${result}` : result
    const { json } = asked(['harness-boot', '--worker', 'another'])
    expect(json.recovered).toMatchObject({ stepId: 'worker.bd-1.1.1', how, resultClass })
    expect(show('bd-1')).toMatchObject({ status })
    expect(rows()).toMatchObject([{ stepId: 'worker.bd-1.1.1', resultClass }])
    expect(journals()).toEqual([])
  })

  test('by a stop, which keeps the message of the person', async () => {
    add('First')
    const flags = ['--work-cmd', `touch began; sleep 67.5${own}`, '--verify-cmd', 'true']
    const { child, ended } = await begunStep('harness-step', ...flags)
    child.kill('SIGKILL')
    await ended
    const stopped = asked(['harness-stop', '--summary', 'mine', '--next-step', 'do X']).json
    expect(stopped).toMatchObject({ recovered: { how: 'undone' }, session: { summary: 'mine' } })
    expect(spawnSync('pgrep', ['-f', `sleep 67.5${own}`], { encoding: 'utf8' }).stdout).toBe('')
    expect(asked(['harness-boot']).json).toMatchObject({
      recovered: null,
      bootstrap: { nextStep: 'do X' },
    })
  })

  test('and reported by doctor, with other inconsistencies', () => {
    add('First')
    const folder = join(project.folder, '.premath')
    expect(asked(['doctor']).status).toBe(0)
    mkdirSync(join(folder, 'steps'))
    writeFileSync(join(folder, 'steps/worker.jsonl'), '{}')
    writeFileSync(join(folder, 'harness_session.json'), '{"schema":2}')
    writeFileSync(join(folder, 'harness_trajectory.jsonl'), 'nonsense\n')
    putTwoInProgress()
    const { status, json } = asked(['doctor'])
    expect(status).toBe(1)
    expect(json.findings.map(({ check }: { check: string }) => check)).toEqual([
      'harness',
      'harness',
      'harness',
      'harness',
    ])
  })

  test('and an unreadable journal is set aside', () => {
    add('First')
    done('issue', 'claim', 'bd-1', '--assignee', 'worker')
    mkdirSync(join(project.folder, '.premath/steps'))
    writeFileSync(join(project.folder, '.premath/steps/worker.jsonl'), '{"schema":')
    const { status, json, stderr } = asked(['harness-boot'])
    expect({ status, target: json.target?.why }).toEqual({ status: 0, target: 'held' })
    expect(stderr).toContain('steps/worker.jsonl')
  })
})

test('a step tells if its verify command cannot fail', () => {
  add('First')
  const { status, stderr } = step('true', 'false || true')
  expect(status).toBe(0)
  expect(stderr.match(/note: the verification "false \|\| true" cannot fail/g)).toHaveLength(1)
})

describe('prime', () => {
  test('shows the claimed issue and its last failure', () => {
    add('Fix the login', '--acceptance', 'It works.', '--spec', 'specs/login.spec.md')
    step(leaving(aTurn({ toolUse: [] })))
    const { status, stdout } = premath(['prime'])
    expect(status).toBe(0)
    for (const part of [
      'Fix the login',
      'It works.',
      'specs/login.spec.md',
      'tool.use_missing',
      '--fence 1',
    ]) {
      expect(stdout).toContain(part)
    }
    expect(asked(['prime']).json.tokensAtMost).toBeLessThanOrEqual(1_200)
  })

  test('knows a claim right after it was made', () => {
    for (const title of ['First', 'Second', 'Third']) add(title)
    done('issue', 'claim', 'bd-2', '--assignee', 'ann')
    expect(done('prime').issueId).toBe('bd-2')
    done('issue', 'claim-next', '--assignee', 'bob')
    expect(done('prime').issueId).toBeNull()
    expect(done('prime', '--worker', 'bob').issueId).toBe('bd-1')
    const { stdout } = premath(['prime'], { env: { PREMATH_WORKER_ID: 'ann' } })
    expect(stdout).toContain('# bd-2: Second')
    expect(stdout).toContain('--fence 1')
  })
})

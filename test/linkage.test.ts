/** What rows, sessions and reports of the hooks link to, by the built command on real files. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LandingProject } from './a-landing-project.ts'
import { aProject } from './a-project.ts'
import { describeWithGit } from './a-repository.ts'
import { block } from './a-spec-run.ts'
import { envelope, testPolicy } from './an-instruction.ts'

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
const rows = () =>
  text('.premath/harness_trajectory.jsonl')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

function put(path: string, content: unknown) {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** The flags of an agent whose instruction lists these changes. */
function under(...mutations: readonly object[]): readonly string[] {
  const id = '20260221T000000Z-wiring'
  const claims = ['', '.issue_claim', '.issue_update', '.issue_lease_release']
  const capabilityClaims = claims.map(name => `capabilities.change_morphisms${name}`)
  const scope = { kind: 'repo', mutations }
  put('policies/instruction/test-v1.json', testPolicy)
  const checks = { 'hk-check': 'true' }
  put('.premath/checks.json', { schema: 1, checksKind: 'premath.checks.v1', checks })
  const instruction = { ...envelope, instructionType: 'ci.gate.check', capabilityClaims, scope }
  const path = put(`instructions/${id}.json`, instruction)
  expect(asked(['instruction-run', '--instruction', path]).status).toBe(0)
  return ['--instruction', id]
}

const instructionRefs = ['instruction://20260221T000000Z-wiring']

describe('the session', () => {
  test('[linkage.1.snapshot] of a step names issue memory, and a start compares it', () => {
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

  test('[linkage.1.snapshot] of a run names issue memory', () => {
    // Without an issue no step writes the session.
    project.given()
    const words = ['--work-cmd', 'true', '--verify-cmd', 'true']
    const ran = premath(['harness-loop', 'worker', ...words])
    expect(ran.status, ran.stderr).toBe(0)
    expect(session().issuesSnapshotRef).toMatch(/^log1_0_[0-9a-f]{64}$/)
  })
})

describe('the instruction', () => {
  test('[linkage.2.instruction] is named everywhere: row, session and ledger of a step, and at stop', () => {
    add('First')
    add('Second')
    const [claim, update] = ['issue_claim', 'issue_update'].map(action => ({
      action,
      issueId: 'bd-1',
    }))
    const agent = under(claim ?? {}, update ?? {})
    const seen = `cp .premath/harness_session.json .premath/harness_feature_ledger.json '${project.folder}/seen'`
    mkdirSync(at('seen'))
    const { status, stderr } = asked([...stepWords(seen), '--issue', 'bd-1', ...agent])
    expect(status, stderr).toBe(0)
    expect(JSON.parse(text('seen/harness_session.json'))).toMatchObject({ instructionRefs })
    const [begun] = JSON.parse(text('seen/harness_feature_ledger.json')).features
    expect(begun).toMatchObject({ status: 'in_progress', instructionRefs })
    expect(session()).toMatchObject({ instructionRefs })
    expect(done('harness-feature', 'read').ledger.features[0]).toMatchObject({ instructionRefs })
    expect(done('harness-stop', ...agent).row).toMatchObject({ instructionRefs })
    expect(rows().map(row => row.instructionRefs)).toEqual([instructionRefs, instructionRefs])
    expect(session()).toMatchObject({ instructionRefs })
  })

  test('[linkage.2.instruction] of an interrupted step is named by the caller that finishes it', () => {
    add('First')
    const { lease } = done('issue', 'claim', 'bd-1', '--assignee', 'worker').issue
    const journal = {
      schema: 1,
      journalKind: 'premath.harness.step_journal.v1',
      workerId: 'worker',
      startedAt: '2026-02-21T00:00:00Z',
      sessionPath: at('.premath/harness_session.json'),
      ledgerPath: at('.premath/harness_feature_ledger.json'),
      stepId: 'worker.bd-1.1.1',
      issueId: 'bd-1',
      leaseId: lease.leaseId ?? lease.lease_id,
      fence: 1,
      attempt: 1,
      instructionId: '20260221T000000Z-wiring',
    }
    put('.premath/steps/worker.jsonl', `${JSON.stringify(journal)}\n`)
    expect(asked(['harness-boot']).json.recovered).toMatchObject({ how: 'undone' })
    expect(rows()).toMatchObject([{ stepId: 'worker.bd-1.1.1', instructionRefs }])
  })
})

describe('a start', () => {
  test('[linkage.3.target] passes over issues that the instruction does not list, and says so', () => {
    add('First')
    add('Second')
    add('Third', '--assignee', 'ann', '--priority', '0')
    const agent = under({ action: 'issue_claim', issueId: 'bd-2' })
    const failureClass = 'instruction_scope_exceeded'
    expect(done('harness-boot', ...agent)).toMatchObject({
      target: { issueId: 'bd-2', why: 'ready' },
      passedOver: [
        { issueId: 'bd-3', failureClass },
        { issueId: 'bd-1', failureClass },
      ],
      passedOverCount: 2,
    })
    expect(premath(['harness-boot', ...agent]).stdout).toContain(
      `  Passed over: bd-1 (${failureClass})\n`,
    )
    expect(done('harness-boot')).toMatchObject({
      target: { issueId: 'bd-1' },
      passedOver: [{ issueId: 'bd-3', failureClass: 'lease_contention_active' }],
    })
  })

  test('[linkage.3.target] names no issue to a caller that the policy does not allow to claim', () => {
    add('First')
    put('.premath/policy.json', {
      schema: 1,
      surfaces: { cli: { mode: 'instruction-linked' } },
    })
    expect(done('harness-boot')).toMatchObject({
      target: null,
      passedOver: [{ issueId: 'bd-1', failureClass: 'mutation_not_granted' }],
    })
    expect(premath(['harness-boot']).stdout).toContain('  No ready issue may be claimed here.\n')
  })
})

describe('a step that closed its issue', () => {
  test('[linkage.4.reread] names the reading of the close in its row', () => {
    add('First')
    step()
    const [{ witnessRefs }] = rows()
    const ref = witnessRefs.find((one: string) => one.includes('/reread.json/'))
    const read = JSON.parse(text('artifacts/steps/worker.bd-1.1.1/reread.json'))
    expect(ref).toMatch(/^witness:\/\/steps\/worker\.bd-1\.1\.1\/reread\.json\/[0-9a-f]{64}$/)
    const last = text('.premath/issues.jsonl').trimEnd().split('\n').at(-1) ?? ''
    expect(read).toEqual({
      issueId: 'bd-1',
      rowDigest: `sha256:${createHash('sha256').update(last).digest('hex')}`,
      status: 'closed',
      fence: 1,
      dependencies: [],
      chain: JSON.parse(last).metadata.premathClose.chain,
      tree: '',
    })
  })
})

describe('a stop', () => {
  test('[linkage.5.stop] compacts issue memory, unless an agent makes it', () => {
    add('First')
    done('issue', 'update', 'bd-1', '--title', 'Other')
    const size = () => readFileSync(project.issues).length
    const before = size()
    const agent = under({ action: 'issue_claim', issueId: 'bd-1' })
    expect(done('harness-stop', ...agent).compacted).toBeNull()
    expect(size()).toBe(before)
    expect(done('harness-stop').compacted).toEqual({ bytesBefore: before, bytesAfter: size() })
    expect(text('.premath/issues.jsonl').trimEnd().split('\n')).toHaveLength(1)
    expect(done('harness-boot').snapshot).toBe('same')
  })

  test('[linkage.5.stop] leaves at most 8 KB, and names the file with the whole text', () => {
    add('First')
    step()
    const summary = `${'what I learned. '.repeat(2000)}the end`
    const nextStep = `do ${'this and that '.repeat(500)}`
    const { offloadedRef, session: left } = done(
      ...['harness-stop', '--summary', summary, '--next-step', nextStep],
    )
    expect(readFileSync(at('.premath/harness_session.json')).length).toBeLessThanOrEqual(8192)
    expect(left.witnessRefs).toContain(offloadedRef)
    const path = `artifacts/${/^witness:\/\/(.*)\/[0-9a-f]{64}$/.exec(offloadedRef)?.[1]}`
    expect(left.summary).toContain(`is in ${path}.`)
    const bytes = createHash('sha256').update(text(path)).digest('hex')
    expect(path.endsWith(`/${bytes}.json`)).toBe(true)
    expect(JSON.parse(text(path))).toMatchObject({ summary, nextStep })
    expect(rows().at(-1).witnessRefs).toContain(offloadedRef)
    // The next start opens the ref, and rejects a file that was changed.
    expect(done('harness-boot').refs).toContainEqual({ ref: offloadedRef, state: 'verified' })
    put(path, '{}')
    expect(asked(['harness-boot']).status).toBe(5)
  })

  test('[linkage.5.stop] names the long outputs of the last attempt by their digests', () => {
    add('First')
    // Not UTF-8, as the output of a program may be.
    const long = "head -c 9000 /dev/zero | tr '\\0' '\\377'; echo short >&2"
    asked(['harness-step', '--work-cmd', `${long}; exit 1`, '--verify-cmd', 'true'])
    const failed = rows().at(-1)
    const path = `steps/${failed.stepId}/work.stdout`
    const digest = createHash('sha256')
      .update(readFileSync(at(`artifacts/${path}`)))
      .digest('hex')
    const ref = `witness://${path}/${digest}`
    const { row, session: left } = done('harness-stop', '--keep-lease')
    const outputs = (refs: string[]) => refs.filter(one => /std(out|err)/.test(one))
    expect([outputs(row.witnessRefs), outputs(left.witnessRefs)]).toEqual([[ref], [ref]])
    expect(done('harness-boot').refs).toContainEqual({ ref, state: 'verified' })
    put(`artifacts/${path}`, 'other')
    expect(asked(['harness-boot']).status).toBe(5)
  })

  test('[linkage.5.stop] keeps a short handoff as it is', () => {
    add('First')
    const { offloadedRef, session: left } = done('harness-stop', '--summary', 'half of it')
    expect([offloadedRef, left.summary]).toEqual([null, 'half of it'])
  })
})

describe('a start without a start-up command', () => {
  const witnessOf = (ref: string) => {
    const [, path, digest] = /^witness:\/\/(.*)\/([0-9a-f]{64})$/.exec(ref) ?? []
    const content = text(`artifacts/${path}`)
    expect(createHash('sha256').update(content).digest('hex')).toBe(digest)
    return JSON.parse(content)
  }

  test('[linkage.3.scope] runs the verify command of the project, and leaves a witness', () => {
    add('First')
    put('.premath/config.json', { verify: 'test -f healthy', sandbox: 'off' })
    const { status, json } = asked(['harness-boot'])
    expect(status).toBe(1)
    expect(json).toMatchObject({
      failureClasses: ['check_failed'],
      scope: { how: 'verify', passed: false },
      startup: { exitCode: 1 },
    })
    expect(json.reasons[0].why).toBe('the verify command ended with exit code 1')
    put('healthy', '')
    const { scope } = asked(['harness-boot']).json
    expect(witnessOf(scope.witnessRef)).toMatchObject({
      how: 'verify',
      passed: true,
      issueId: 'bd-1',
      command: { exitCode: 0 },
    })
  })

  test('[linkage.3.scope] loads and lints the specs of the issue, and leaves a witness', () => {
    put('specs/a.spec.md', '```yaml spec-test\nid: a\ntype: nothing.known\n```\n')
    add('First', '--spec', 'specs/a.spec.md')
    const { status, json } = asked(['harness-boot'])
    expect(status).toBe(1)
    expect(json).toMatchObject({
      failureClasses: ['scope_specs_invalid'],
      scope: { how: 'specs', passed: false, specs: ['specs/a.spec.md'] },
    })
    put(
      'specs/a.spec.md',
      block('id: SAID', 'type: cli.run', 'harness: {entrypoint: [cat, said.txt]}'),
    )
    const { scope } = done('harness-boot')
    expect(witnessOf(scope.witnessRef)).toMatchObject({ how: 'specs', passed: true, errors: [] })
  })

  test('[linkage.3.scope] says that nothing was to be verified', () => {
    add('First')
    const { scope } = done('harness-boot')
    expect(witnessOf(scope.witnessRef)).toMatchObject({ how: 'none', passed: true })
  })
})

describeWithGit('a landed close', () => {
  test('[linkage.4.reread] is read again with the tree on the target', async () => {
    const landing = new LandingProject('reread')
    try {
      landing.issues({ 'bd-1': [] })
      const words = ['--verify-cmd', 'true', '--workers', '1', '--no-baseline', '--json']
      const { status, stderr } = await landing.run([
        'run',
        '--work-cmd',
        'echo a > new.txt',
        ...words,
      ])
      expect(status, stderr).toBe(0)
      const folder = join(landing.root, 'artifacts/steps')
      const [name = ''] = readdirSync(folder).filter(one => one.includes('.bd-1.'))
      const read = JSON.parse(readFileSync(join(folder, name, 'reread.json'), 'utf8'))
      const [commit] = landing.landed()
      const tree = landing.git('-C', landing.root, 'rev-parse', `${commit?.id}^{tree}`)
      expect(read).toMatchObject({ status: 'closed', tree })
    } finally {
      landing.remove()
    }
  })
})

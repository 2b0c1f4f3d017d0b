import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AgentGrant } from '../kernel/authority/agent-grant.ts'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import { stepTurn } from '../kernel/harness/step/step-turn.ts'
import { checkEnvelope } from '../kernel/instruction/envelope.ts'
import {
  instructionPolicyDigest,
  instructionPolicyKind,
  readInstructionPolicy,
  registerPolicies,
} from '../kernel/instruction/instruction-policy.ts'
import { isRefused } from '../kernel/instruction/instruction-refusal.ts'
import { readRuntime } from '../kernel/instruction/instruction-runtime.ts'
import { witnessInstruction } from '../kernel/instruction/instruction-witness.ts'
import { fenceOf, type Issue, readIssueLine } from '../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import { closeOf } from '../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../kernel/issues/issue-refusal.ts'
import { landingOf } from '../kernel/issues/landing/landing-state.ts'
import type { Json } from '../kernel/json.ts'
import { CloseProof } from '../kernel/proof/close-proof.ts'
import { Landed } from '../kernel/proof/landed.ts'
import { chainFileOf } from '../kernel/proof/proof-folder.ts'
import { witnessDigest, witnessPath } from '../kernel/proof/witness.ts'
import { timestampOf } from '../kernel/timestamp.ts'
import { MutationReady } from '../kernel/turn/mutation-ready.ts'
import type { AdmissionOptions } from '../store/admission.ts'
import type { Authority, IssueStore } from '../store/issue-store.ts'

/** A memory that does not exist yet, in one backend. */
export interface IssueBackend {
  /** The memory as another process opens it. */
  open(options: Pick<AdmissionOptions, 'clock'>): IssueStore
  /** Stores a witness where a close reads it. */
  addWitness(path: string, text: string): Promise<void>
  /** The names of the chains that are kept for the issue. */
  chainsOf(issueId: string): Promise<readonly string[]>
}

/** The contract of `IssueStore`. `begin` creates a new backend for each test. */
export function describeIssueStore(name: string, begin: () => IssueBackend) {
  let ticks = 1_800_000_000
  const clock = { now: () => BigInt(ticks++) * 1_000_000_000n }
  const opened = (backend = begin()) => {
    const open = () => backend.open({ clock })
    return { backend, open, store: open() }
  }
  const started = async (...ids: readonly string[]) => {
    const { backend, open, store } = opened()
    for (const id of ids) await must(store.mutate(operator, add(id)))
    return { backend, open, store }
  }

  describe(`${name} keeps the promises of an issue store`, () => {
    test('a memory is missing until a new issue creates it', async () => {
      const { store, open } = opened()
      const missing = { code: 'invalid_input', message: expect.stringContaining(store.location) }
      expect(await store.exists()).toBe(false)
      await expect(store.read()).rejects.toMatchObject(missing)
      await expect(store.changes()).rejects.toMatchObject(missing)
      await expect(store.mutate(operator, retitle('a', 'x'))).rejects.toMatchObject(missing)
      const blank = await store.mutate(operator, {
        action: 'issue.add',
        issue: { title: ' ' },
      })
      expect(blank).toMatchObject({ failureClass: 'issue_title_missing' })
      expect(await open().exists()).toBe(false)
      await must(store.mutate(operator, add('a')))
      expect([await open().exists(), (await open().read()).size]).toEqual([true, 1])
    })

    test('the next reader sees an acknowledged change', async () => {
      const { open } = await started('a')
      const [writer, reader] = [open(), open()]
      for (let version = 0; version < 5; version++) {
        await reader.read()
        await must(writer.mutate(operator, retitle('a', `v${version}`)))
        expect((await reader.read()).get('a')?.title).toBe(`v${version}`)
        expect((await open().read()).get('a')?.title).toBe(`v${version}`)
      }
    })

    test('the rows of one change become visible together', async () => {
      const { open } = await started('a')
      let isDone = false
      const importing = must(open().mutate(operator, importOf('b', 'c', 'd'))).then(() => {
        isDone = true
      })
      const seen = new Set<number>()
      while (!isDone) seen.add((await open().read()).size)
      await importing
      seen.add((await open().read()).size)
      expect([...seen].filter(size => size !== 1)).toEqual([4])
    })

    test('a refused change changes nothing', async () => {
      const { open, store } = await started('a')
      const { revision } = await store.changes()
      const refused = await store.mutate(operator, importOf('b', 'a'))
      expect(refused).toMatchObject({ failureClass: expect.any(String) })
      expect(await store.mutate(operator, retitle('z', 'x'))).toMatchObject({
        failureClass: 'issue_not_found',
      })
      expect((await open().read()).size).toBe(1)
      expect((await open().changes(revision)).rows).toEqual([])
    })

    test('a caller without authority gets its refusal back', async () => {
      const { store } = await started('a')
      const change = retitle('a', 'x')
      const refused = { granted: false, message: 'no', remedy: 'Ask.' } as const
      expect(await store.mutate(refused, change)).toEqual({
        failureClass: 'mutation_not_granted',
        diagnostic: 'no',
        remedy: 'Ask.',
      })
      const forged = JSON.parse(JSON.stringify(operator)) as OperatorGrant
      expect(await store.mutate(forged, change)).toMatchObject({
        failureClass: 'mutation_not_granted',
      })
      expect((await store.read()).get('a')?.title).toBe('a')
    })

    test('a closed turn changes the issue that it was judged for, and no other', async () => {
      const { store } = await started('a', 'b')
      const turn = closedTurn('a')
      expect(await store.mutate(turn, retitle('b', 'x'))).toMatchObject({
        failureClass: 'mutation_not_granted',
      })
      expect(await store.mutate(turn, retitle('a', 'x'))).toMatchObject({ issue: { title: 'x' } })
    })

    test('an override is recorded in the row', async () => {
      const { store, open } = await started('a')
      const reason = 'the agent is stuck'
      const grant = OperatorGrant.grant({ ...person, mode: 'human-override', reason })
      await must(store.mutate(grant, retitle('a', 'x')))
      expect((await open().read()).get('a')).toMatchObject({
        metadata: { premathOverride: { operator: 'ada', reason } },
      })
    })

    test('one of several concurrent claims of an issue wins', async () => {
      const { open } = await started('a')
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, at) => open().mutate(operator, claim('a', `w${at}`))),
      )
      const won = claims.filter(claimed => !isRefusal(claimed))
      expect(won).toHaveLength(1)
      const [winner] = won as [IssueChanged]
      expect((await open().read()).leaseOf('a')).toEqual(winner.issue?.lease)
    })

    test('concurrent claims of the next issue get one each', async () => {
      const { open } = await started('a', 'b', 'c')
      const claims = await Promise.all(
        Array.from({ length: 5 }, (_, at) =>
          open().mutate(operator, {
            action: 'issue.claim_next',
            claim: { assignee: `w${at}` },
          }),
        ),
      )
      const ids = claims.flatMap(claimed => (isRefusal(claimed) ? [] : (claimed.issue?.id ?? [])))
      expect(ids.toSorted()).toEqual(['a', 'b', 'c'])
    })

    test('a write under a fence that somebody took over is refused', async () => {
      const { store, open } = await started('a')
      const first = await must(store.mutate(operator, claim('a', 'slow', 30)))
      ticks += 60
      const second = await must(open().mutate(operator, claim('a', 'quick')))
      expect(fenceIn(second)).toBe(fenceIn(first) + 1)
      expect(await store.mutate(operator, retitle('a', 'late', first.issue))).toMatchObject({
        failureClass: expect.stringMatching(/^lease_/),
      })
      await must(open().mutate(operator, retitle('a', 'in time', second.issue)))
      expect((await store.read()).get('a')?.title).toBe('in time')
    })

    test('an entry of an instruction is used once', async () => {
      const { open } = await started('a')
      const agent = instructed(clock.now(), [{ action: 'issue_add' }])
      const made = await Promise.all(['b', 'c', 'd'].map(id => open().mutate(agent, add(id))))
      expect(made.map(classOf).toSorted()).toEqual([
        'instruction_entry_used',
        'instruction_entry_used',
        'made',
      ])
      expect(classOf(await open().mutate(agent, add('e')))).toBe('instruction_entry_used')
      expect((await open().read()).size).toBe(2)
    })

    test('a turn authorizes one change of an agent', async () => {
      const { store } = await started('a')
      const entry = { action: 'issue_update', issueId: 'a' }
      const agent = instructed(clock.now(), [entry, entry])
      const vouched = agent.withTurn(closedTurn('a'), 'artifacts/ciwitness/join/x.json')
      expect(classOf(await store.mutate(vouched, retitle('a', 'x')))).toBe('made')
      expect(classOf(await store.mutate(vouched, retitle('a', 'y')))).toBe('instruction_entry_used')
    })

    test('a close keeps its proof, and the row names it', async () => {
      const { store, backend, open } = await started('a')
      await backend.addWitness(verification.path, verification.text)
      await must(store.mutate(operator, close('a')))
      const closed = (await open().read()).get('a')
      expect(closed?.status).toBe('closed')
      const named = closed && closeOf(closed)?.['chain']
      expect(await backend.chainsOf('a')).toEqual([chainFileOf(String(named))])
      await store.tidyProofs('a')
      expect(await backend.chainsOf('a')).toHaveLength(1)
    })

    test('a close whose witness is gone does not happen', async () => {
      const { store, backend, open } = await started('a')
      expect(await store.mutate(operator, close('a'))).toMatchObject({
        failureClass: 'close_proof_missing',
      })
      await backend.addWitness(verification.path, '{}')
      expect(await store.mutate(operator, close('a'))).toMatchObject({
        failureClass: 'close_proof_missing',
      })
      expect((await open().read()).get('a')?.status).toBe('open')
      expect(await backend.chainsOf('a')).toEqual([])
    })

    test('a landing keeps its proof before it begins, and closes with it', async () => {
      const { store, backend, open } = await started('a')
      await backend.addWitness(verification.path, verification.text)
      const held = (await must(store.mutate(operator, claim('a', 'w')))).issue as Issue
      const begun = (await must(store.mutate(operator, landBegin(held)))).issue as Issue
      const landing = landingOf(begun)
      expect(begun).toMatchObject({ status: 'in_progress', lease: held.lease })
      expect(landing).toMatchObject({ ...plan, close: { by: 'verification', commit: plan.commit } })
      const chain = chainFileOf(String(landing?.close['chain']))
      expect(await backend.chainsOf('a')).toEqual([chain])
      ticks += 7200
      expect(classOf(await open().mutate(operator, claim('a', 'x')))).toBe('issue_landing')
      const next = { action: 'issue.claim_next', claim: { assignee: 'x' } } as const
      expect((await must(open().mutate(operator, next))).rows).toEqual([])
      await must(open().mutate(operator, landFinish))
      const closed = (await open().read()).get('a') as Issue
      expect(closed).toMatchObject({ status: 'closed', closed_at: landing?.closedAt })
      expect(closed.lease).toBeUndefined()
      expect(closeOf(closed)).toEqual(landing?.close)
      expect(await backend.chainsOf('a')).toEqual([chain])
      expect((await must(store.mutate(operator, landFinish))).rows).toEqual([])
    })

    test('a landing whose witness is gone does not begin', async () => {
      const { store, backend } = await started('a')
      const held = (await must(store.mutate(operator, claim('a', 'w')))).issue as Issue
      expect(classOf(await store.mutate(operator, landBegin(held)))).toBe('close_proof_missing')
      expect(await backend.chainsOf('a')).toEqual([])
      expect((await store.read()).get('a')).toEqual(held)
    })

    test('an undone landing leaves no proof, and keeps the one of an earlier close', async () => {
      const { store, backend, open } = await started('a')
      await backend.addWitness(verification.path, verification.text)
      await must(store.mutate(operator, close('a')))
      const kept = await backend.chainsOf('a')
      const fields = { status: 'open' }
      await must(store.mutate(operator, { action: 'issue.update', id: 'a', proof: {}, fields }))
      const held = (await must(store.mutate(operator, claim('a', 'w')))).issue as Issue
      await must(store.mutate(operator, landBegin(held)))
      expect(await backend.chainsOf('a')).toHaveLength(2)
      await must(open().mutate(operator, landUndo))
      expect(await backend.chainsOf('a')).toEqual(kept)
      const { updated_at: _then, ...before } = held
      expect((await open().read()).get('a')).toMatchObject(before)
      expect((await must(store.mutate(operator, landUndo))).rows).toEqual([])
      expect(classOf(await store.mutate(operator, landFinish))).toBe('landing_not_found')
    })

    test('one of two ends of a landing wins', async () => {
      const { store, backend, open } = await started('a')
      await backend.addWitness(verification.path, verification.text)
      const held = (await must(store.mutate(operator, claim('a', 'w')))).issue as Issue
      await must(store.mutate(operator, landBegin(held)))
      const ends = await Promise.all([
        open().mutate(operator, landFinish),
        open().mutate(operator, landUndo),
      ])
      const { status } = (await open().read()).get('a') as Issue
      const made =
        status === 'closed' ? ['made', 'landing_not_found'] : ['landing_not_found', 'made']
      expect(ends.map(classOf)).toEqual(made)
      expect(await backend.chainsOf('a')).toHaveLength(status === 'closed' ? 1 : 0)
    })

    test('a landing begins by a turn on its issue, and ends by the right to update it', async () => {
      const { store, backend } = await started('a', 'b')
      await backend.addWitness(verification.path, verification.text)
      const held = (await must(store.mutate(operator, claim('a', 'w')))).issue as Issue
      const agent = instructed(clock.now(), [{ action: 'issue_update', issueId: 'a' }])
      const stranger = instructed(clock.now(), [{ action: 'issue_update', issueId: 'b' }])
      const refused = await store.mutate(closedTurn('b'), landBegin(held))
      expect(classOf(refused)).toBe('mutation_not_granted')
      await must(store.mutate(closedTurn('a'), landBegin(held)))
      expect(classOf(await store.mutate(closedTurn('b'), landUndo))).toBe('mutation_not_granted')
      expect(classOf(await store.mutate(stranger, landUndo))).toBe('instruction_scope_exceeded')
      // The instruction has expired by now, and no turn vouches for the change.
      ticks += 7200
      await must(store.mutate(agent, landFinish))
      expect((await store.read()).get('a')?.status).toBe('closed')
    })

    test('[linkage.1.snapshot] a log ref names memory until a row is added', async () => {
      const { store, open } = await started('a')
      const ref = await store.logRef(sha256)
      expect(await open().logState(ref, sha256)).toBe('same')
      await must(store.mutate(operator, retitle('a', 'x')))
      expect(await open().logState(ref, sha256)).toBe('moved')
      expect(await open().logRef(sha256)).not.toBe(ref)
      const other = ref.replace(/.{4}$/, end => (end === '0000' ? '1111' : '0000'))
      expect(await open().logState(other, sha256)).toBe('unknown')
    })

    test('the change feed starts with memory as it is', async () => {
      const { store, open } = await started('b', 'a')
      await must(store.mutate(operator, retitle('b', 'x')))
      const { rows, isReset } = await open().changes()
      expect([rows.map(({ title }) => title), isReset]).toEqual([['a', 'x'], true])
    })

    test('the change feed has each row once, in order and without a gap', async () => {
      const { open, store } = await started('a')
      let { revision } = await store.changes()
      let isDone = false
      const writing = Promise.all(
        ['one', 'two', 'three'].map(async who => {
          const writer = open()
          const made: string[] = []
          for (let turn = 0; turn < 10; turn++) {
            const changed = await must(writer.mutate(operator, retitle('a', `${who} ${turn}`)))
            made.push(changed.issue?.title ?? '')
          }
          return made
        }),
      ).finally(() => {
        isDone = true
      })
      const followed: string[] = []
      for (let wasDone = false; !wasDone; ) {
        wasDone = isDone
        const next = await open().changes(revision)
        expect(next.isReset).toBe(false)
        followed.push(...next.rows.map(({ title }) => title))
        revision = next.revision
      }
      for (const made of await writing) {
        expect(followed.filter(title => made.includes(title))).toEqual(made)
      }
      expect(followed).toHaveLength(30)
      expect(followed.at(-1)).toBe((await store.read()).get('a')?.title)
      expect(await store.changes(revision)).toEqual({ rows: [], revision, isReset: false })
    })
  })
}

const person = { operator: 'ada', surface: 'cli' } as const
const operator = OperatorGrant.grant({ ...person, mode: 'open' })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const add = (id: string): IssueChange => ({ action: 'issue.add', issue: { id, title: id } })

const importOf = (...ids: readonly string[]): IssueChange => ({
  action: 'issue.import',
  rows: ids.map(id => readIssueLine(JSON.stringify({ id, title: `${id} imported` })) as Issue),
  onConflict: 'fail',
})

const claim = (id: string, assignee: string, ttlSeconds = 3600): IssueChange => ({
  action: 'issue.claim',
  id,
  claim: { assignee, ttlSeconds },
})

/** Under the lease of the row, where one is given. */
function retitle(id: string, title: string, held?: Issue): IssueChange {
  return { action: 'issue.update', id, proof: proofOf(held), fields: { title } }
}

function proofOf(held: Issue | undefined) {
  const lease = held?.lease
  return held && lease
    ? { assignee: lease.owner, leaseId: lease.lease_id, fence: fenceOf(held) }
    : {}
}

async function must(made: Promise<IssueChanged | IssueRefusal>): Promise<IssueChanged> {
  const changed = await made
  if (isRefusal(changed)) throw new Error(`${changed.failureClass}: ${changed.diagnostic}`)
  return changed
}

const fenceIn = ({ issue }: IssueChanged) => (issue ? fenceOf(issue) : 0)

const classOf = (made: IssueChanged | IssueRefusal) =>
  isRefusal(made) ? made.failureClass : 'made'

/** A turn of a step that ended well, and may update the issue. */
function closedTurn(issueId: string): Authority & MutationReady {
  const digest = `sha256:${sha256('')}` as const
  const turn = stepTurn(
    {
      stepId: `w.${issueId}.1.1`,
      issueId,
      command: 'make',
      sandbox: 'off',
      workdir: '/p',
      exitCode: 0,
      signal: null,
      timedOut: false,
      stdoutDigest: digest,
      stderrDigest: digest,
      viewDigest: digest,
      queueDigest: digest,
      witnessRef: 'witness://step',
      sessionRef: 'session',
      mutationPolicyDigest: digest,
      isGoverned: false,
    },
    'issue_update',
    sha256,
  )
  const ready = MutationReady.gate(turn, { sha256 })
  if (!ready.ready) throw new Error('the turn is open')
  return ready
}

/** An accepted instruction that allows the mutations. */
function instructed(now: bigint, mutations: readonly Json[]): AgentGrant {
  const allowed = {
    policyId: 'policy.contract.v1',
    allowedChecks: ['hk-check'],
    allowedNormalizers: ['normalizer.contract.v1'],
  }
  const policyDigest = instructionPolicyDigest(allowed, sha256)
  const policy = readInstructionPolicy(
    { schema: 1, policyKind: instructionPolicyKind, ...allowed, policyDigest },
    'policy.json',
    sha256,
  )
  if (isRefused(policy)) throw new Error(policy.message)
  const registry = registerPolicies([policy])
  const base = 'capabilities.change_morphisms'
  const instruction = checkEnvelope(
    {
      schema: 1,
      intent: 'Show that entries are used once.',
      normalizerId: 'normalizer.contract.v1',
      policyDigest,
      capabilityClaims: [base, `${base}.all`],
      scope: { kind: 'repo', mutations },
      requestedChecks: ['hk-check'],
    },
    registry,
    sha256,
  )
  if (isRefused(instruction)) throw new Error(instruction.message)
  const at = timestampOf(now).replace(/\.\d+/, '')
  const runtime = readRuntime({
    instructionId: '20260221T000000Z-contract',
    instructionRef: 'instructions/20260221T000000Z-contract.json',
    instructionDigest: instruction.instructionDigest,
    squeakSiteProfile: 'local',
    runStartedAt: at,
    runFinishedAt: at,
    runDurationMs: 0,
    results: [{ checkId: 'hk-check', status: 'passed', exitCode: 0, durationMs: 0 }],
  })
  if (isRefused(runtime)) throw new Error(runtime.message)
  const witness: object = witnessInstruction(instruction, runtime, sha256)
  const ground = { now, ttlSeconds: 3600, registry, sha256 }
  const grant = AgentGrant.accept(witness as Json, 'artifacts/ciwitness/i.json', ground)
  if (isRefusal(grant)) throw new Error(grant.diagnostic)
  return grant
}

const tree = `tree1_${sha256('tree')}` as const

/** A command that passed for issue `a` on the tree. */
const verification = (() => {
  const value = {
    schema: 1,
    witnessKind: 'premath.verify.witness.v1',
    issueId: 'a',
    result: 'accepted',
    commandDigest: `sha256:${sha256('make')}`,
    exitCode: 0,
    outputDigest: `sha256:${sha256('done')}`,
    treeDigest: tree,
  }
  const path = witnessPath('verify', witnessDigest(value, sha256))
  return { path, value, text: `${JSON.stringify(value)}\n` }
})()

function close(id: string): IssueChange {
  return { action: 'issue.update', id, proof: {}, fields: { status: 'closed' }, done: done(id) }
}

function done(id: string): CloseProof {
  const proof = CloseProof.byVerification({ issueId: id, tree }, [verification])
  if (isRefusal(proof)) throw new Error(proof.diagnostic)
  return proof
}

const plan = {
  commit: 'c'.repeat(40),
  base: 'b'.repeat(40),
  tree: 'e'.repeat(40),
  target: 'main',
} as const

/** Issue `a` lands under the lease of the row. */
const landBegin = (held: Issue): IssueChange => ({
  action: 'issue.land_begin',
  id: 'a',
  proof: proofOf(held),
  done: done('a'),
  landing: plan,
})

const landFinish: IssueChange = {
  action: 'issue.land_finish',
  id: 'a',
  landed: Landed.of({ issueId: 'a', commit: plan.commit, target: 'main', isInTarget: true }),
}

const landUndo: IssueChange = { action: 'issue.land_undo', id: 'a', commit: plan.commit }

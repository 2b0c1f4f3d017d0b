/**
 * The whole chain with nothing faked: an instruction is accepted, work is done, the turn is judged,
 * specs run, the issue closes. Then the same with each link broken in turn, on every surface.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { proofPart } from './a-proof.ts'
import { id, instructionPath } from './an-instruction-project.ts'
import { allowing, brokenLinks, elsewhere } from './broken-links.ts'
import { askers, inProcesses, type Means, otherSurfaces, wordsIn } from './call-surfaces.ts'
import { aDoor, claims, instruction, under } from './mutation-surfaces.ts'
import { everyThird, fewOf, inTurn, isTorture } from './sim/seeded.ts'

const door = aDoor()
const { project, put, has, pathOf, json, worked, leaseOf, update, closing, close, joinRef } = door
const { asked, done, premath } = project

const memory = () => readFileSync(project.issues, 'utf8')

/** The chain of an issue's proof, once it has one. */
const chainOf = (issueId: string) =>
  has(`.premath/proofs/${issueId}`)
    ? JSON.parse(proofPart(pathOf(`.premath/proofs/${issueId}`), 'chain').text)
    : undefined

const links = brokenLinks(door)
const rows = Object.entries(links).map(([what, link], at) => ({ what, link, at }))

/** Commands run in this process, and each tool call is asked of a server in the folder of the test. */
const means: Means = {
  run: async (words, input = '') => premath(words, { input }),
  tool: (era, name, args) =>
    inProcesses({ cwd: project.folder, env: project.env }).tool(era, name, args),
}

const mustBeOpen = () => {
  expect(project.rowsById()['bd-1'].status).not.toBe('closed')
  expect(chainOf('bd-1')).toBeUndefined()
}

/** Each surface in turn, for every sixth row of `npm test`. */
const surfacesFor = (at: number) => (at % 6 === 0 || isTorture ? inTurn(otherSurfaces, at / 6) : [])

test.each(rows)(
  '[typestate.6.reject-missing-closure] [typestate.6.active-policy] [gate.1.refs-resolve] [surfaces.6.equal-refusals] $what is refused in the same words on every surface',
  async ({ link, at }) => {
    const { change, spoil, lease = given => given, names, says = '' } = link
    worked(change)
    const words = closing(lease(leaseOf()))
    await spoil?.()
    const before = memory()
    const direct = await askers['the command line'](words, means)
    expect([1, 4]).toContain(direct.status)
    expect(direct.json.failureClasses).toContain(names)
    expect(`${direct.json.diagnostic} ${direct.json.remedy}`).toContain(says)
    expect(direct.json.remedy).toMatch(/\.$/)
    for (const name of surfacesFor(at)) {
      const { json: answer } = await askers[name](words, means)
      expect([name, wordsIn(answer)]).toEqual([name, wordsIn(direct.json)])
    }
    expect(memory()).toBe(before)
    mustBeOpen()
  },
)

describe.each(door.surfaces)('$name', surface => {
  const { name } = surface

  test('[typestate.6.reject-missing-closure] [typestate.6.active-policy] closes the issue if every link holds', async () => {
    expect(await surface.close({})).toEqual({ status: 0, failureClasses: [] })
    expect(project.rowsById()['bd-1'].status).toBe('closed')
    expect(chainOf('bd-1')).toBeDefined()
  })

  const possible = rows.filter(({ link: { never } }) => never?.[name] === undefined)
  // Every link is broken above. Here the chain up to it is made on the surface, too.
  const broken = name === 'the command line' ? [] : everyThird(possible)
  test.each(fewOf(broken, 2))(
    '[typestate.6.reject-missing-closure] refuses $what',
    async ({ link: { names, namesOn, ...link } }) => {
      const { status, failureClasses } = await surface.close(link)
      expect([1, 4]).toContain(status)
      expect(failureClasses).toContain(namesOn?.[name] ?? names)
      mustBeOpen()
    },
  )
})

test('every link that can be broken is broken on every surface', () => {
  const never = rows.flatMap(({ what, link }) =>
    Object.keys(link.never ?? {}).map(surface => `${surface}: ${what}`),
  )
  // Their refs are those of a turn, which is the step's own there.
  expect(never.filter(one => !one.startsWith('a worker: a turn with the ref '))).toEqual([
    'a worker: a turn that divides its work without the policy for it',
    'a worker: a turn that hands work on without a contract',
    'a worker: a turn about another issue',
    'a worker: a fence that was never issued',
    'a worker: a turn that was used for a change before',
    'a worker: a turn that was used under another instruction',
  ])
})

test('the next start closes a step that was killed before its close, if every link holds', async () => {
  const [, worker] = door.surfaces
  expect(await worker.close({ isLate: true })).toEqual({ status: 0, failureClasses: [] })
  expect(asked(['witness', 'verify', 'bd-1', '--tree']).status).toBe(0)
})

test('a close by an agent can be verified afterwards, from the claim to the close', () => {
  worked()
  const { leaseId } = leaseOf()
  expect(close().status).toBe(0)
  expect(chainOf('bd-1')).toMatchObject({
    claim: { leaseId, fence: 1, worker: 'agent' },
    links: [{ kind: 'instruction' }, { kind: 'join' }, { kind: 'spec' }],
    closedBy: { by: 'specs' },
  })
  expect(asked(['witness', 'verify', 'bd-1', '--tree'])).toMatchObject({
    status: 0,
    json: { result: 'accepted' },
  })
  expect(asked(['witness', 'verify', '--all']).status).toBe(0)
})

test('[runtime.3.2.instruction-mediated] an agent closes an issue when every link holds, and once', () => {
  const { claim, joined } = worked()
  expect([claim.status, claim.stderr]).toEqual([0, ''])
  expect(joined.json).toMatchObject({ result: 'accepted', mutationReady: true })
  const closed = close()
  expect(closed.status).toBe(0)
  expect(closed.json).toMatchObject({
    issue: { status: 'closed' },
    writeWitness: {
      witnessKind: 'bd.issue.write.v1',
      action: 'issue.update',
      issueId: 'bd-1',
      instruction: {
        instructionId: id,
        joinClosed: true,
        joinWitnessRef: joined.json.joinWitnessRef,
      },
    },
  })
  const again = asked(['issue', 'update', 'bd-1', '--title', 'Once more', ...under])
  expect([again.status, again.json.failureClasses]).toEqual([4, ['instruction_entry_used']])
})

test('an agent comments under an instruction that allows an update, and once', () => {
  worked()
  const comment = (id: string) =>
    asked(['comment', id, 'It says yes', ...under, '--join-witness', joinRef()])
  expect(comment('bd-2').json.failureClasses).toEqual(['mutation.use_evidence_missing'])
  const { lease } = project.rowsById()['bd-1']
  const { status, json: answer } = comment('bd-1')
  expect([status, answer.writeWitness]).toMatchObject([0, { action: 'issue.comment' }])
  expect(project.rowsById()['bd-1']).toMatchObject({
    lease,
    comments: [{ text: 'It says yes' }],
  })
  const again = comment('bd-1')
  expect([again.status, again.json.failureClasses]).toEqual([4, ['instruction_entry_used']])
})

test('[authority.1.standing] a standing entry allows many claims and comments, and no update', () => {
  const standing = { standing: true, issueId: 'bd-1' }
  const mutations = [
    { action: 'issue_claim', ...standing },
    { action: 'issue_comment', ...standing },
  ]
  const capabilityClaims = claims('issue_claim', 'issue_comment')
  const run = (listed: readonly object[]) => {
    put(instructionPath, { ...instruction, capabilityClaims, scope: { mutations: listed } })
    return asked(['instruction-run', '--instruction', instructionPath])
  }
  expect(run(mutations).status).toBe(0)
  for (const words of ['one', 'two']) {
    expect(asked(['issue', 'claim', 'bd-1', '--assignee', 'a', ...under]).status).toBe(0)
    expect(asked(['comment', 'bd-1', words, ...under]).status).toBe(0)
  }
  expect(project.rowsById()['bd-1'].comments).toHaveLength(2)
  const refused = asked(['issue', 'update', 'bd-2', '--title', 'x', ...under])
  expect(refused.json.failureClasses).toEqual(['mutation.capability_claim_missing'])
  const update = run([{ action: 'issue_update', ...standing }])
  expect([update.status, update.json.failureClasses]).toEqual([2, ['instruction_scope_invalid']])
})

describe('a bad folder of policies', () => {
  test('is reported by its name if it is not a folder', () => {
    worked()
    rmSync(pathOf('policies'), { recursive: true })
    put('policies/instruction', 'text')
    expect(close().json).toMatchObject({
      failureClasses: ['instruction_policy_unknown'],
      remedy: expect.stringContaining(`Fix ${pathOf('policies/instruction')}`),
    })
  })
})

describe('the command line also refuses', () => {
  test('uses that are stored behind a link', () => {
    worked(allowing({ action: 'issue_update', issueId: 'bd-1' }))
    expect(update(leaseOf(), '--title', 'One').status).toBe(0)
    const before = memory()
    rmSync(pathOf('.premath/memory/uses'), { recursive: true })
    mkdirSync(pathOf('elsewhere'))
    symlinkSync('../../elsewhere', pathOf('.premath/memory/uses'))
    const { status, json: answer } = update(leaseOf(), '--title', 'Two')
    expect([status, answer.error.message]).toEqual([3, expect.stringContaining('symbolic link')])
    expect([memory(), readdirSync(pathOf('elsewhere'))]).toEqual([before, []])
  })

  test('an agent that chooses its own verification', () => {
    const bare = { action: 'issue_update', issueId: 'bd-2' }
    worked({ ...allowing(bare), turn: { mutation: elsewhere } })
    const closing = ['issue', 'update', 'bd-2', '--status', 'closed']
    for (const flags of [[...under], []]) {
      const verified = asked([...closing, '--verify-cmd', 'true', ...flags])
      expect([verified.status, verified.json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    }
    expect(asked([...closing, ...under]).json.failureClasses).toEqual(['close_proof_missing'])
  })

  test('a change that names no instruction', () => {
    const { status, json: answer } = asked(['issue', 'update', 'bd-2', '--title', 'x'])
    expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
  })

  test.each(['../../etc/passwd', 'a/b', '-', 'plain', '..'])('the id %s', name => {
    const before = memory()
    const { status } = premath(['issue', 'add', 'x', '--instruction', name])
    expect(status).toBe(2)
    expect(memory()).toBe(before)
  })
})

describe('a worker', () => {
  const issue = () => done('issue', 'show', 'bd-1').issue

  test('stores the turn of its step with the proof, and no command line', async () => {
    const [, worker] = door.surfaces
    await worker.close({})
    expect(issue().metadata.premathWriteWitness).toMatchObject({
      instruction: { instructionId: id, joinClosed: true },
    })
    const { joinWitnessRef } = issue().metadata.premathWriteWitness.instruction
    expect(json(joinWitnessRef)).toMatchObject({ instructionId: id, joinClosed: true })
    // A command line may hold a secret, and this is kept with the project.
    expect(JSON.stringify(json(joinWitnessRef))).not.toContain('at-work')
  })

  test('that may not add the escalation issue stops, reports it, and releases the issue', () => {
    premath(['instruction-run', '--instruction', instructionPath])
    const { status, json: answer } = asked([
      ...['harness-step', '--issue', 'bd-1', '--worker', 'agent', ...under],
      ...['--work-cmd', 'echo "pipeline_missing_witness: no" >&2; false', '--verify-cmd', 'true'],
    ])
    expect([status, answer.failureClasses]).toEqual([
      1,
      ['pipeline_missing_witness', 'escalation_not_allowed'],
    ])
    expect(answer.summary).toContain('issue_discover was refused, so the step only stops')
    expect(answer.attempts.at(-1)).toMatchObject({
      resultClass: 'pipeline_missing_witness',
      failureClasses: ['pipeline_missing_witness', 'escalation_not_allowed'],
      nextStep: expect.stringContaining('fix the failure'),
    })
    expect(issue()).toMatchObject({ status: 'open', assignee: '', lease: null })
    expect(Object.keys(project.rowsById())).toEqual(['bd-1', 'bd-2'])
    expect(asked(['harness-boot', '--worker', 'agent', ...under]).json.recovered).toBeNull()
  })

  test('does not close under an instruction that its own work wrote and ran', async () => {
    const [, worker] = door.surfaces
    const rewritten = () => {
      put(instructionPath, { ...instruction, intent: 'Another.' })
      expect(premath(['instruction-run', '--instruction', instructionPath]).status).toBe(0)
    }
    const { failureClasses } = await worker.close({ change: allowing(), spoil: rewritten })
    expect(failureClasses).toContain('protected_path_changed')
    expect(issue().status).not.toBe('closed')
  })
})

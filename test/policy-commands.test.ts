/** `premath policy show|check|set|restore` and the governed door, by the built command. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type GovernedDocument,
  governedDocument,
} from '../src/kernel/governance/governed-document.ts'
import { policyEntry, printPolicyEntry } from '../src/kernel/governance/policy-entry.ts'
import type { Json } from '../src/kernel/json.ts'
import { promotionOf } from './a-promotion.ts'
import { envelope, sha256 } from './an-instruction.ts'
import { anInstructionProject, id, instructionPath } from './an-instruction-project.ts'
import { letScriptsOverride } from './at-a-terminal.ts'

const { project, begin, put, has, json, text, pathOf } = anInstructionProject()
const { asked, done, premath, started } = project

const policyPath = '.premath/policy.json'
const checksPath = '.premath/checks.json'
const logPath = '.premath/policy-log.jsonl'

const policy = (mode: string, more: object = {}) => ({
  schema: 1,
  surfaces: { cli: { mode } },
  ...more,
})
const checks = (command: string) => ({
  schema: 1,
  checksKind: 'premath.checks.v1',
  checks: { 'hk-check': command },
})

const documentOf = (document: object): GovernedDocument => {
  const read = governedDocument(document as Json, sha256)
  if (typeof read === 'string') throw new Error(read)
  return read
}
const digestOf = (document: object): string => documentOf(document).digest

/** Evidence that is bound to what is to be put in force. */
const evidenceFor = (document: object, change: object = {}) => ({
  ...promotionOf(digestOf(document)),
  ...change,
})

const set = (document: object, evidence?: object, env: Readonly<Record<string, string>> = {}) => {
  put('new.json', document)
  if (evidence) put('evidence.json', evidence)
  const flags = evidence ? ['--promotion', 'evidence.json'] : []
  return asked(['policy', 'set', '--input', 'new.json', '--reason', 'because', ...flags], { env })
}

const promoted = (document: object) => {
  expect(set(document, evidenceFor(document))).toMatchObject({ status: 0, stderr: '' })
}

const claimGovernance = () =>
  put('.premath/capability-registry.json', {
    profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
  })

const standing = (what: 'policy' | 'checks' = 'policy') => done('policy', 'show')[what].standing

beforeEach(begin)

describe('without a governance claim', () => {
  test('a policy written by hand is reported as such, with digest and modes', () => {
    put(policyPath, policy('human-override'))
    expect(done('policy', 'show')).toMatchObject({
      action: 'policy.show',
      governanceClaimed: false,
      modes: { cli: 'human-override', mcp: 'instruction-linked' },
      policy: {
        digest: digestOf(policy('human-override')),
        inForce: null,
        path: policyPath,
        standing: 'by-hand',
      },
      checks: { digest: null, standing: null },
    })
    put('.premath/issues.jsonl', '')
    expect(done('prime').mutationPolicyDigest).toBe(digestOf(policy('human-override')))
  })

  test('setting a policy needs no evidence, is recorded, and writes the given bytes', () => {
    const given = JSON.stringify(policy('open', { ids: 'hash' }), null, 7)
    put('new.json', given)
    const env = { PREMATH_OPERATOR: 'ada' }
    const args = ['policy', 'set', '--input', 'new.json', '--reason', ' clones clash ']
    const { status, json: answer } = asked(args, { env })
    expect([status, answer]).toEqual([
      0,
      expect.objectContaining({ action: 'policy.set', what: 'policy', result: 'accepted' }),
    ])
    expect(text(policyPath)).toBe(given)
    expect(JSON.parse(text(logPath))).toMatchObject({
      entryKind: 'premath.policy_entry.v1',
      operator: 'terminal',
      uid: process.getuid?.(),
      reason: 'clones clash',
      what: 'policy',
      digest: digestOf(policy('open', { ids: 'hash' })),
      previous: null,
      entryDigest: answer.entry.entryDigest,
    })
    expect(answer.entry.promotionDigest).toBeNull()
    expect(standing()).toBe('in-force')
  })

  test('checks are recognized by their kind, from stdin too', () => {
    letScriptsOverride(project.folder)
    const args = ['policy', 'set', '--input', '-', '--reason', 'first']
    const { status, json: answer } = asked(args, { input: JSON.stringify(checks('true')) })
    expect([status, answer.what]).toEqual([0, 'checks'])
    expect(json(checksPath)).toEqual(checks('true'))
    expect(standing('checks')).toBe('in-force')
    expect(has(policyPath)).toBe(false)
  })

  test('editing the file changes the effective policy, and the doctor reports it', () => {
    set(policy('open'))
    done('issue', 'add', 'One')
    expect(done('doctor').findings).toEqual([])
    put(policyPath, policy('instruction-linked'))
    expect(standing()).toBe('edited')
    expect(asked(['issue', 'add', 'Two']).status).toBe(1)
    const { status, json: answer } = asked(['doctor'])
    expect([status, answer.findings]).toEqual([
      1,
      [expect.objectContaining({ check: 'policy', next: expect.stringContaining('policy set') })],
    ])
    // Putting the edited file in force is all it takes.
    const args = ['policy', 'set', '--input', policyPath, '--reason', 'meant so']
    expect(asked(args).status).toBe(0)
    expect(standing()).toBe('in-force')
  })
})

test.each(['policy.json', 'capability-registry.json', 'checks.json'])(
  'a pipe in place of %s is refused without waiting for it',
  name => {
    rmSync(pathOf(`.premath/${name}`), { force: true })
    execFileSync('mkfifo', [pathOf(`.premath/${name}`)])
    const { status, stderr } = premath(['policy', 'show'])
    expect([status, stderr]).toEqual([
      expect.toSatisfy(code => code === 2 || code === 3 || code === 5),
      expect.stringContaining(name),
    ])
  },
)

describe('policy set refuses', () => {
  test.each<[string, unknown, number]>([
    ['what is no JSON', '{', 2],
    ['what is no policy', { schema: 1 }, 2],
    ['checks without a command', checks(' '), 2],
    ['a list', [], 2],
    ['a rule in the wrong place', policy('open', { requireAgentEvidence: true }), 2],
    ['a rule that is misspelt', policy('open', { harness: { requireAgentEvidenc: true } }), 2],
    ['checks that say more', { ...checks('true'), timeout: 1 }, 2],
    ['what is both', { ...checks('true'), ...policy('open') }, 2],
  ])('%s', (_, content, code) => {
    put('new.json', content)
    for (const verb of [['check'], ['set', '--reason', 'x']]) {
      const { status, stderr } = premath(['policy', ...verb, '--input', 'new.json'])
      expect([status, stderr]).toEqual([code, expect.stringContaining('new.json')])
    }
    expect([has(policyPath), has(checksPath), has(logPath)]).toEqual([false, false, false])
  })

  test('a rule in the wrong place, and names the right one, in the file too', () => {
    const misplaced = policy('open', { requireAgentEvidence: true })
    put('new.json', misplaced)
    const hint = expect.stringContaining('did you mean harness.requireAgentEvidence?')
    const { stderr } = premath(['policy', 'check', '--input', 'new.json'])
    expect(stderr).toEqual(hint)
    put(policyPath, misplaced)
    for (const args of [['policy', 'show'], ['issue', 'add', 'x'], ['prime']]) {
      const { status, stderr: message } = premath(args)
      expect([args, status, message]).toEqual([args, 5, hint])
    }
    expect(asked(['doctor']).status).toBe(5)
  })

  test('anything without a reason', () => {
    put('new.json', policy('open'))
    expect(premath(['policy', 'set', '--input', 'new.json']).status).toBe(2)
    expect(premath(['policy', 'set', '--input', 'new.json', '--reason', ' ']).status).toBe(2)
  })

  test('anything by an agent, or by the work of a step', () => {
    for (const env of [{ PREMATH_INSTRUCTION_ID: id }, { PREMATH_STEP_ID: 'step-1' }]) {
      const { status, json: answer } = set(policy('open'), undefined, env as never)
      expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
    }
    expect(has(logPath)).toBe(false)
  })

  test('anything behind a link out of the project', () => {
    symlinkSync(join(project.folders, 'elsewhere.json'), pathOf(policyPath))
    expect(set(policy('open')).status).toBe(3)
    expect(has(logPath)).toBe(false)
  })

  test('a policy if the log cannot be read', () => {
    set(policy('open'))
    appendFileSync(pathOf(logPath), '{}\n')
    const { status, stderr } = set(policy('operator'))
    expect([status, stderr]).toEqual([5, expect.stringContaining(`${logPath}:2`)])
    expect(asked(['policy', 'show']).status).toBe(5)
    expect(asked(['doctor']).status).toBe(5)
  })
})

test('a last line counts without its line feed, and a torn one is reported and kept', () => {
  set(policy('open'))
  set(policy('operator'))
  done('init', '--reason', 'x')
  writeFileSync(pathOf(logPath), text(logPath).trimEnd())
  expect(standing()).toBe('in-force')
  expect(asked(['doctor']).json.findings).toEqual([])
  set(policy('human-override'))
  expect(text(logPath).split('\n')).toHaveLength(4)

  appendFileSync(pathOf(logPath), '{"at":"2026')
  const { status, json: answer } = asked(['doctor'])
  expect([status, answer.findings]).toEqual([
    1,
    [expect.objectContaining({ what: expect.stringContaining('broke off') })],
  ])
  set(policy('open'))
  expect(asked(['doctor']).json.findings).toEqual([])
  const aside = readdirSync(pathOf('.premath')).filter(name => name.includes('.torn-'))
  expect(aside.map(name => text(`.premath/${name}`))).toEqual(['{"at":"2026'])
})

describe('a policy in force that differs from the file', () => {
  const begun = () => {
    set(policy('operator'))
    const before = text(policyPath)
    set(policy('open'))
    done('issue', 'add', 'One')
    return before
  }

  test('is reported after a kill between log and file, and can be written back', () => {
    put(policyPath, begun())
    const { stdout } = premath(['policy', 'show'])
    expect(stdout).toContain('differs from the version in force')
    expect(stdout).not.toContain('edited by hand')
    const [found] = asked(['doctor']).json.findings
    expect(found.next).toContain('premath policy restore')
    expect(done('policy', 'restore').files).toEqual([
      expect.objectContaining({ what: 'policy', state: 'restored' }),
    ])
    expect(json(policyPath)).toEqual(policy('open'))
    expect(asked(['doctor']).json.findings).toEqual([])
    expect(text(logPath).trimEnd().split('\n')).toHaveLength(2)
  })

  test('is written back over an unreadable file, which is kept, and over a missing one', () => {
    begun()
    set(checks('true'))
    put(policyPath, '{')
    rmSync(pathOf(checksPath))
    const { files } = done('policy', 'restore')
    expect(files.map(({ state }: { state: string }) => state)).toEqual(['restored', 'restored'])
    expect([json(policyPath), json(checksPath)]).toEqual([policy('open'), checks('true')])
    expect(readFileSync(files[0].kept, 'utf8')).toBe('{')
    const again = done('policy', 'restore').files
    expect(again.map(({ state }: { state: string }) => state)).toEqual(['there', 'there'])
  })

  test('is reported by the doctor if the file is gone', () => {
    begun()
    set(checks('true'))
    rmSync(pathOf(checksPath))
    expect(asked(['doctor']).json.findings).toEqual([
      expect.objectContaining({ what: expect.stringContaining('there is no such file') }),
    ])
  })

  test('is not written back by an agent, nor if none is in force', () => {
    expect(asked(['policy', 'restore']).status).toBe(1)
    expect(has(logPath)).toBe(false)
    put(policyPath, begun())
    const env = { PREMATH_STEP_ID: 'step-1' }
    const { status, json: answer } = asked(['policy', 'restore'], { env })
    expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(json(policyPath)).toEqual(policy('operator'))
  })
})

test('after concurrent sets the file holds the policy that was recorded last', async () => {
  const modes = ['open', 'operator', 'human-override', 'instruction-linked']
  letScriptsOverride(project.folder)
  for (const mode of modes) put(`${mode}.json`, policy(mode, { override: 'script' }))
  const ends = await Promise.all(
    modes.map(mode => started('policy', 'set', '--input', `${mode}.json`, '--reason', mode)),
  )
  expect(ends.map(({ status }) => status)).toEqual([0, 0, 0, 0])
  const lines = text(logPath).trimEnd().split('\n')
  expect(lines).toHaveLength(5)
  expect(JSON.parse(lines.at(-1) ?? '').document).toEqual(json(policyPath))
  expect(standing()).toBe('in-force')
})

describe('with a governance claim', () => {
  beforeEach(claimGovernance)

  const strict = policy('instruction-linked')

  test('a policy without evidence is checked and refused, and nothing is written', () => {
    put('new.json', strict)
    const refused = {
      status: 1,
      json: { failureClasses: ['governance.eval_lineage_missing'], result: 'rejected' },
    }
    expect(asked(['policy', 'check', '--input', 'new.json'])).toMatchObject(refused)
    expect(set(strict)).toMatchObject(refused)
    expect([has(policyPath), has(logPath)]).toEqual([false, false])
  })

  test.each<[string, object, string]>([
    ['red-team tests', { adversarialGate: {} }, 'governance.redteam_gate_unmet'],
    ['an eval that passed', { workflowTrace: { score: 0 } }, 'governance.eval_gate_unmet'],
  ])('evidence without %s is refused by its class', (_, change, failureClass) => {
    const { status, json: answer } = set(strict, evidenceFor(strict, change))
    expect([status, answer.failureClasses]).toEqual([1, expect.arrayContaining([failureClass])])
    expect(has(policyPath)).toBe(false)
  })

  test('evidence for one policy promotes no other', () => {
    const { status, json: answer } = set(policy('open'), evidenceFor(strict))
    expect([status, answer.failureClasses]).toEqual([1, ['governance.policy_package_mismatch']])
    expect(answer.remedy).toContain(digestOf(policy('open')))
  })

  test('evidence is found at its default path, and must be readable', () => {
    put('artifacts/ciwitness/governance-promotion.json', evidenceFor(strict))
    expect(set(strict).status).toBe(0)
    put('artifacts/ciwitness/governance-promotion.json', '{')
    expect(set(strict).json.failureClasses).toEqual(['governance_promotion_invalid'])
  })

  test('a policy with its evidence is put in force, and the log keeps the evidence', () => {
    put('new.json', strict)
    put('evidence.json', evidenceFor(strict))
    const flags = ['--input', 'new.json', '--promotion', 'evidence.json']
    expect(done('policy', 'check', ...flags).result).toBe('accepted')
    promoted(strict)
    expect(JSON.parse(text(logPath)).promotion.evidence).toEqual(evidenceFor(strict))
    expect(done('policy', 'show')).toMatchObject({
      governanceClaimed: true,
      policy: { standing: 'in-force', inForce: { digest: digestOf(strict), reason: 'because' } },
    })
  })

  test('a policy put in force without evidence, before the claim, does not count', () => {
    put('.premath/capability-registry.json', { profileOverlayClaims: [] })
    set(strict)
    claimGovernance()
    expect(standing()).toBe('by-hand')
  })

  test('a line that somebody added by hand does not count without evidence', () => {
    promoted(strict)
    const open = policy('open')
    const { at, operator, reason, entryDigest } = JSON.parse(text(logPath))
    const stamp = { at, operator, reason, evidence: undefined }
    const forged = policyEntry(documentOf(open), stamp, entryDigest, sha256)
    appendFileSync(pathOf(logPath), `${printPolicyEntry(forged)}\n`)
    put(policyPath, open)
    expect(standing()).toBe('edited')
    expect(asked(['issue', 'add', 'x']).json.failureClasses).toEqual(['mutation_not_granted'])
  })

  test('the doctor reports a policy that was never put in force, and a claim that is gone', () => {
    put(policyPath, policy('open'))
    done('issue', 'add', 'One')
    const findings = () => asked(['doctor']).json.findings.map(({ what }: { what: string }) => what)
    expect(findings()).toEqual([expect.stringContaining('was never put in force')])
    promoted(policy('open'))
    expect(findings()).toEqual([])
    rmSync(pathOf('.premath/capability-registry.json'))
    expect(findings()).toEqual([expect.stringContaining('no longer claims governance')])
  })

  describe('the door', () => {
    const claims = ['capabilities.change_morphisms', 'capabilities.change_morphisms.issue_add']
    const adds = { action: 'issue_add' }
    const scope = { kind: 'repo', mutations: [adds, adds, adds] }
    const instruction = { ...envelope, capabilityClaims: claims, scope }
    const add = () => asked(['issue', 'add', 'x', '--instruction', id])
    const run = () => premath(['instruction-run', '--instruction', instructionPath])
    const rows = () => (has('.premath/issues.jsonl') ? text('.premath/issues.jsonl') : '')

    const refused = (failureClass: string) => {
      const before = rows()
      const { status, json: answer } = add()
      expect([status, answer.failureClasses]).toEqual([1, [failureClass]])
      expect(answer.remedy).toContain('premath policy set --input .premath/')
      expect(rows()).toBe(before)
    }

    beforeEach(() => {
      put(instructionPath, instruction)
      put(policyPath, strict)
      put(checksPath, checks('true'))
      run()
    })

    test('[typestate.6.active-policy] is shut to agents until policy and checks are in force', () => {
      refused('governance.policy_package_unpinned')
      promoted(strict)
      refused('governance.policy_package_unpinned')
      promoted(checks('true'))
      expect(add()).toMatchObject({ status: 0, stderr: '' })
    })

    test('is shut to an agent that edits policy or checks, until they are as before', () => {
      promoted(strict)
      promoted(checks('true'))
      put(policyPath, { ...strict, witnessTtlSeconds: 99_999 })
      refused('governance.policy_package_mismatch')
      put(policyPath, strict)
      put(checksPath, checks('true || false'))
      refused('governance.policy_package_mismatch')
      put(checksPath, checks('true'))
      expect(add().status).toBe(0)
    })

    test('is shut to a policy that was in force before', () => {
      for (const mode of ['operator', 'instruction-linked']) promoted(policy(mode))
      promoted(checks('true'))
      put(policyPath, policy('operator'))
      refused('governance.policy_package_mismatch')
    })

    test('is shut if lines of the log were removed, replayed, moved or edited', () => {
      for (const mode of ['operator', 'instruction-linked']) promoted(policy(mode))
      promoted(checks('true'))
      expect(add().status).toBe(0)
      const whole = text(logPath)
      const [first = '', second = '', third = ''] = whole.split('\n')
      const edited = first.replace('"reason":"because"', '"reason":"just so"')
      const logs = [
        [second, third],
        [first, third],
        [second, first, third],
        [first, second, third, first],
        [edited, second, third],
      ]
      for (const lines of logs) {
        put(logPath, `${lines.join('\n')}\n`)
        const before = rows()
        for (const args of [['policy', 'show'], ['doctor'], ['issue', 'add', 'x']]) {
          expect([args, asked(args).status]).toEqual([args, 5])
        }
        expect(add().status).toBe(5)
        expect(rows()).toBe(before)
      }
      put(logPath, whole)
      expect(add().status).toBe(0)
    })

    test('refuses a witness whose checks were other commands', () => {
      promoted(strict)
      promoted(checks('false'))
      put(checksPath, checks('true'))
      run()
      put(checksPath, checks('false'))
      refused('governance.policy_package_mismatch')
    })

    test('refuses an agent that edited the policy to allow people', () => {
      promoted(strict)
      promoted(checks('true'))
      for (const mode of ['open', 'operator', 'human-override']) {
        put(policyPath, policy(mode))
        const { status, json: answer } = asked(['issue', 'add', 'x', '--reason', 'let me'])
        expect([status, answer.failureClasses]).toEqual([1, ['mutation_not_granted']])
        expect(asked(['init', '--ids', 'hash', '--reason', 'let me']).status).toBe(1)
      }
    })

    test('lets people through as the policy in force says, whatever the file says', () => {
      promoted(policy('human-override'))
      put(policyPath, strict)
      expect(asked(['issue', 'add', 'x']).status).toBe(1)
      expect(asked(['issue', 'add', 'x', '--reason', 'it burns']).status).toBe(0)
      expect(readFileSync(project.issues, 'utf8')).toContain('it burns')
    })

    test('stops a worker too', () => {
      promoted(policy('open'))
      promoted(checks('true'))
      done('issue', 'add', 'One')
      put(policyPath, strict)
      const step = ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'true']
      const { status, json: answer } = asked([...step, '--instruction', id])
      expect(status).toBe(1)
      expect(JSON.stringify(answer)).toContain('governance.policy_package_mismatch')
      expect(project.rowsById()['bd-1'].status).toBe('open')
    })
  })
})

/**
 * Work that goes on at another location: two clones of one project, a transport that is a shell
 * script, and the built command at both ends. Whatever link breaks, the issue does not close.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import { Repository } from './a-git-project.ts'
import { promotion } from './a-promotion.ts'
import { evidence } from './a-turn.ts'
import { main } from './built-command.ts'
import { byAnother } from './by-another.ts'
import { everyThird } from './sim/seeded.ts'

const premath = `'${process.execPath}' '${main}'`

let home: Repository
let far: string

beforeEach(() => {
  home = new Repository('relocation', { 'app.txt': 'begun\n' })
  home.given([
    { id: 'bd-1', title: 'First', status: 'open' },
    { id: 'bd-2', title: 'Second', status: 'open' },
  ])
  far = join(home.folder, 'far')
  cpSync(home.root, far, { recursive: true })
})

afterEach(() => {
  expect(home.processes).toEqual([])
  home.remove()
})

const turnTo = (target: string) => ({
  evidence: evidence(['tc-1'], {
    handoff: { target, requiredArtifactRefs: [], returnPathRef: 'return://here' },
  }),
})

/** Does the work, and leaves turns that hand it over. */
function workTo(...targets: readonly string[]): string {
  const path = join(home.folder, 'turns.ndjson')
  writeFileSync(path, targets.map(target => `${JSON.stringify(turnTo(target))}\n`).join(''))
  return `echo done > app.txt; cat '${path}' >> "$PREMATH_TURN_EVIDENCE"`
}

/** Each part of what a transport does, so that a test can leave one out or do another thing. */
const sends = `
  git commit --quiet --all --allow-empty --message work
  git push --quiet ../far HEAD:refs/heads/incoming
  git -C ../far merge --quiet incoming
  mkdir -p ../far/artifacts/relocations
  cp "$PREMATH_RELOCATION" ../far/artifacts/relocations/`
const named = 'digest=$(basename "$PREMATH_RELOCATION" .json); name="$digest.json"'
const outcome = (result = 'delivered', digest = '$digest') =>
  `printf '{"schema":1,"outcomeKind":"premath.harness.transport_outcome.v1","relocationDigest":"sha256:%s","result":"${result}"}\\n' "${digest}" >> "$PREMATH_RELOCATION_EVIDENCE"`
const checked = (verify = 'grep -q done app.txt') =>
  `(cd ../far && ${premath} harness-relocation check --input "artifacts/relocations/$name" --verify-cmd '${verify}' --json) >> "$PREMATH_RELOCATION_EVIDENCE"`

const script = (...parts: readonly string[]) => ['set -e', named, ...parts].join('\n')
const whole = script(sends, outcome(), checked())

const step = (transport: string | undefined, ...more: readonly string[]) =>
  stepAt('location://far', transport, ...more)

function stepAt(target: string, transport: string | undefined, ...more: readonly string[]) {
  const carried = transport === undefined ? [] : ['--transport-cmd', transport]
  const commands = ['--work-cmd', workTo(target), '--verify-cmd', 'grep -q done app.txt']
  return home.asked('harness-step', '--issue', 'bd-1', ...commands, ...carried, ...more)
}

const issue = (id = 'bd-1') => home.asked('issue', 'show', id).json.issue
const lastRow = () => home.rows('harness_trajectory.jsonl').at(-1)
const session = () =>
  JSON.parse(readFileSync(join(home.root, '.premath/harness_session.json'), 'utf8'))
const inputs = (root = home.root) =>
  readdirSync(join(root, 'artifacts/relocations')).filter(name => name.endsWith('.json'))

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const complies = (kind: string, value: unknown) => {
  const validate = ajv.compile(jsonSchemas()[kind] as object)
  validate(value)
  return validate.errors ?? []
}

describe('work that moves to another location', () => {
  test('[runtime.1.2.relocation] [runtime.3.2.relocation] [runtime.8.transport-chain] counts if transport and location accept it, and is recorded with all three refs', () => {
    const memory = readFileSync(join(far, '.premath/issues.jsonl'), 'utf8')
    const { status, stderr, json } = step(whole)
    expect({ status, classes: json.failureClasses, summary: json.summary, stderr }).toMatchObject({
      status: 0,
      classes: [],
    })
    expect(issue()).toMatchObject({ status: 'closed' })

    const [file = ''] = inputs()
    const digest = file.replace('.json', '')
    const sent = JSON.parse(readFileSync(join(home.root, 'artifacts/relocations', file), 'utf8'))
    expect(complies('premath.harness.relocation.v1', sent)).toEqual([])
    expect(sent).toMatchObject({ destination: 'location://far', issueId: 'bd-1', fence: 1 })

    const [witness = ''] = readdirSync(join(far, 'artifacts/ciwitness/relocation'))
    const there = readFileSync(join(far, 'artifacts/ciwitness/relocation', witness), 'utf8')
    const here = readFileSync(join(home.root, 'artifacts/ciwitness/relocation', witness), 'utf8')
    expect(here).toBe(there)
    expect(complies('premath.relocation.witness.v1', JSON.parse(there))).toEqual([])
    expect(JSON.parse(there)).toMatchObject({
      result: 'accepted',
      relocationDigest: `sha256:${digest}`,
      treeDigest: sent.treeDigest,
      checked: ['inputs', 'issue', 'policy', 'tree', 'verification'],
    })

    const refs = [
      `witness://ciwitness/relocation/${witness.replace('.json', '')}`,
      `witness://relocations/${digest}`,
      expect.stringMatching(/^witness:\/\/steps\/worker\.bd-1\.1\.1\/transport\.json\//),
    ]
    expect(lastRow().witnessRefs).toEqual(expect.arrayContaining(refs))
    expect(session().witnessRefs).toEqual(expect.arrayContaining(refs))
    expect(lastRow()).toMatchObject({
      resultClass: 'completed',
      commands: [{ role: 'work' }, { role: 'verify' }, { role: 'transport', exitCode: 0 }],
    })
    // The check tells, and changes nothing where it was made.
    expect(readFileSync(join(far, '.premath/issues.jsonl'), 'utf8')).toBe(memory)

    const boot = home.asked('harness-boot')
    const opened = boot.json.refs.filter(({ state }: { state: string }) => state === 'verified')
    expect(opened).toHaveLength(8)
    expect(home.premath(['witness', 'verify', witness.slice(0, 12)]).status).toBe(0)
  })

  test('[runtime.3.2.relocation] is handed over in the same bytes for the same step', () => {
    const copy = join(home.folder, 'copy')
    cpSync(home.root, copy, { recursive: true })
    step(undefined)
    const again = ['--issue', 'bd-1', '--work-cmd', workTo('location://far')]
    home.premath(['harness-step', ...again, '--verify-cmd', 'true'], { cwd: copy })
    const [file = ''] = inputs()
    expect(inputs(copy)).toEqual([file])
    const bytes = [home.root, copy].map(root =>
      readFileSync(join(root, 'artifacts/relocations', file), 'utf8'),
    )
    expect(bytes[0]).toBe(bytes[1])
  })

  test('is not sent without a transport, and the error names the flag', () => {
    const { status, json } = step(undefined)
    expect(status).toBe(1)
    expect(json.failureClasses).toEqual(['handoff.destination_evidence_missing'])
    expect(json.summary).toContain('--transport-cmd')
    expect(lastRow().nextStep).toContain('--transport-cmd')
    expect(lastRow().witnessRefs).toContainEqual(
      expect.stringMatching(/^witness:\/\/relocations\//),
    )
    expect(issue()).toMatchObject({ status: 'in_progress' })
  })

  test('takes the transport from the environment, as it takes work and verification', () => {
    const { status } = home.premath(
      [
        'harness-step',
        '--work-cmd',
        workTo('location://far'),
        '--verify-cmd',
        'grep -q done app.txt',
      ],
      { env: { PREMATH_TRANSPORT_CMD: whole } },
    )
    expect(status).toBe(0)
  })

  test('is also sent by a loop', () => {
    const { status, stdout } = home.premath([
      'harness-loop',
      'worker',
      '--max-steps',
      '2',
      ...['--work-cmd', workTo('location://far'), '--verify-cmd', 'grep -q done app.txt'],
      ...['--transport-cmd', whole, '--json'],
    ])
    expect(status).toBe(0)
    expect(stdout).toContain('"phase":"transport"')
    expect(issue()).toMatchObject({ status: 'closed' })
    expect(issue('bd-2')).toMatchObject({ status: 'closed' })
  })

  test.each([
    ['whose turn is open', workOpen, 'true'],
    ['whose verification fails', () => workTo('location://far'), 'false'],
  ])('is not sent if it is work %s', (_, work, verify) => {
    const sent = 'touch ../sent'
    const commands = ['--work-cmd', work(), '--verify-cmd', verify, '--transport-cmd', sent]
    const { json } = home.asked('harness-step', ...commands)
    expect(json.failureClasses).toContain('handoff.destination_evidence_missing')
    expect(existsSync(join(home.folder, 'sent'))).toBe(false)
  })
})

function workOpen(): string {
  const path = join(home.folder, 'turns.ndjson')
  const { evidence: closed } = turnTo('location://far')
  writeFileSync(path, `${JSON.stringify({ evidence: { ...closed, toolUse: [] } })}\n`)
  return `cat '${path}' >> "$PREMATH_TURN_EVIDENCE"`
}

const answers = '"$PREMATH_RELOCATION_EVIDENCE"'
const replaced = (pattern: string) => `sed -i.bak '${pattern}' ${answers}`
/** Forges a witness: the file gets the name of the changed content. */
const rewritten = (edit: string) => `'${process.execPath}' -e '
  const { createHash } = require("node:crypto")
  const fs = require("node:fs")
  const file = process.env.PREMATH_RELOCATION_EVIDENCE
  const [outcome, line] = fs.readFileSync(file, "utf8").split("\\n")
  const check = JSON.parse(line)
  const { witness } = check
  ${edit}
  const sorted = (_, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  const { head, ...named } = witness
  const digest = createHash("sha256").update(JSON.stringify(named, sorted)).digest("hex")
  check.witnessRef = "artifacts/ciwitness/relocation/" + digest + ".json"
  fs.writeFileSync(file, outcome + "\\n" + JSON.stringify(check) + "\\n")'`
const overriding = '{"schema":1,"surfaces":{"cli":{"mode":"human-override"}}}'
const zeros = '0'.repeat(64)
const rejected = 'handoff.destination_rejected'

/** Evidence that is bound to what is to be put in force. */
function promotionOf(digest: string) {
  const { governanceProfile } = promotion
  const { policyProvenance } = governanceProfile
  const bound = { ...policyProvenance, expectedDigest: digest, boundDigest: digest }
  return { ...promotion, governanceProfile: { ...governanceProfile, policyProvenance: bound } }
}

describe('a chain in which', () => {
  const broken: readonly (readonly [string, string, readonly string[]])[] = [
    ['nothing comes back', script(sends), ['handoff.transport_evidence_missing']],
    ['the transport fails', 'exit 3', ['handoff.transport_failed']],
    [
      'the transport fails after a yes',
      script(sends, outcome(), checked(), 'exit 3'),
      ['handoff.transport_failed'],
    ],
    ['the inputs did not arrive', script(outcome('failed')), ['handoff.transport_failed']],
    [
      'the transport does not say how it went',
      script(sends, checked()),
      ['handoff.transport_evidence_missing'],
    ],
    [
      'the transport tells of other inputs',
      script(sends, outcome('delivered', zeros), checked()),
      ['handoff.evidence_mismatch'],
    ],
    [
      'the transport says neither yes nor no',
      script(sends, outcome('perhaps'), checked()),
      ['handoff.evidence_invalid'],
    ],
    [
      'the location says nothing',
      script(sends, outcome()),
      ['handoff.destination_evidence_missing'],
    ],
    [
      'the location speaks first',
      script(sends, checked(), outcome()),
      ['handoff.evidence_out_of_order'],
    ],
    [
      'an answer comes twice',
      script(sends, outcome(), checked(), checked()),
      ['handoff.evidence_out_of_order'],
    ],
    [
      'an answer is no answer',
      script(sends, outcome(), `echo nonsense >> ${answers}`),
      ['handoff.evidence_invalid'],
    ],
    [
      'the answers are a link',
      script(sends, outcome(), checked(), `mv ${answers} ../a`, `ln -s "$PWD/../a" ${answers}`),
      ['handoff.evidence_invalid'],
    ],
    [
      'the verification fails there',
      script(sends, outcome(), `${checked('exit 7')} || true`),
      [rejected, 'handoff.verification_failed'],
    ],
    [
      'the location says no, and the transport gives up',
      script(sends, outcome(), checked('exit 7')),
      [rejected, 'handoff.transport_failed', 'handoff.verification_failed'],
    ],
    [
      'the witness is edited by a byte',
      script(
        sends,
        outcome(),
        `${checked('exit 7')} || true`,
        replaced('s/"exitCode":7/"exitCode":0/'),
      ),
      ['handoff.evidence_invalid'],
    ],
    [
      'the witness says less than its schema asks for',
      script(sends, outcome(), checked(), rewritten('delete witness.checked')),
      ['handoff.evidence_invalid'],
    ],
    [
      'the witness looked at less than there is',
      script(sends, outcome(), checked(), rewritten('witness.checked.splice(3, 1)')),
      ['handoff.evidence_invalid'],
    ],
    [
      'the check says no, and its witness yes',
      script(sends, outcome(), checked(), rewritten('check.result = "rejected"')),
      ['handoff.evidence_invalid'],
    ],
    [
      'the files there are others',
      script(sends, 'echo more > ../far/more.txt', outcome(), `${checked()} || true`),
      [rejected, 'handoff.tree_mismatch'],
    ],
    [
      'the verification there changes files',
      script(sends, outcome(), `${checked('echo more > more.txt')} || true`),
      [rejected, 'handoff.tree_mismatch'],
    ],
    [
      'the verification there changes the issue',
      script(
        sends,
        outcome(),
        `${checked(`env -u PREMATH_STEP_ID "${process.execPath}" "${main}" issue update bd-1 --title Other`)} || true`,
      ),
      [rejected, 'handoff.issue_mismatch'],
    ],
    [
      'the verification there changes the policy',
      script(
        sends,
        `printf '%s' '${overriding}' > ../policy.json`,
        outcome(),
        `${checked('cp ../policy.json .premath/policy.json')} || true`,
      ),
      [rejected, 'handoff.policy_mismatch'],
    ],
    [
      'another policy is in force there',
      script(
        sends,
        `echo '${overriding}' > ../far/.premath/policy.json`,
        outcome(),
        `${checked()} || true`,
      ),
      [rejected, 'handoff.policy_mismatch'],
    ],
    [
      'the issue is closed there',
      script(
        sends,
        // Acts as a person at that location, since the work of a step may not use --verify-cmd.
        `(unset PREMATH_STEP_ID; cd ../far && ${premath} issue update bd-1 --status closed --verify-cmd true >/dev/null)`,
        outcome(),
        `${checked()} || true`,
      ),
      [rejected, 'handoff.issue_closed'],
    ],
    [
      'the issue asks for something else there',
      script(
        sends,
        `(unset PREMATH_STEP_ID; cd ../far && ${premath} issue update bd-1 --title Other >/dev/null)`,
        outcome(),
        `${checked()} || true`,
      ),
      [rejected, 'handoff.issue_mismatch'],
    ],
    [
      'the issue is not known there',
      script(sends, ': > ../far/.premath/issues.jsonl', outcome(), `${checked()} || true`),
      [rejected, 'handoff.issue_unknown'],
    ],
    [
      'the inputs were changed on the way',
      script(
        sends,
        'sed -i.bak "s/\\"fence\\": 1/\\"fence\\": 2/" "../far/artifacts/relocations/$name"',
        outcome(),
        `${checked()} || test $? -eq 5`,
      ),
      ['handoff.evidence_mismatch'],
    ],
  ]

  // How answers are judged has a suite of its own.
  test.each(everyThird(broken))(
    '[runtime.8.transport-chain] [runtime.1.2.relocation] %s does not close the issue',
    (_, transport, classes) => {
      const { status, json } = step(transport)
      expect({ status, classes: json.failureClasses }).toEqual({ status: 1, classes })
      expect(issue()).toMatchObject({ status: 'in_progress', assignee: 'worker' })
      const row = lastRow()
      expect(row).toMatchObject({ failureClasses: classes, turn: { mutationReady: false } })
      expect(row.resultClass).toBe(classes[0])
      expect(existsSync(join(home.root, '.premath/proofs'))).toBe(false)
    },
  )

  test('the answers are rewritten with the same content closes the issue', () => {
    const { json } = step(script(sends, outcome(), checked(), rewritten('')))
    expect(json.failureClasses).toEqual([])
    expect(issue()).toMatchObject({ status: 'closed' })
  })

  test('the witness is of other inputs does not close the issue', () => {
    const kept = `cp ${answers} ../kept`
    expect(step(`${whole}\n${kept}`).status).toBe(0)
    const replayed = script(sends, outcome(), `tail -n 1 ../kept >> ${answers}`)
    const commands = ['--work-cmd', workTo('location://far'), '--verify-cmd', 'true']
    const asked = ['harness-step', '--issue', 'bd-2', ...commands, '--transport-cmd', replayed]
    const { json } = home.asked(...asked)
    expect(json.failureClasses).toEqual(['handoff.evidence_mismatch'])
    expect(issue('bd-2')).toMatchObject({ status: 'in_progress' })
  })

  test('turns name two locations does not close the issue', () => {
    const work = workTo('location://far', 'location://near')
    const commands = ['--work-cmd', work, '--verify-cmd', 'true', '--transport-cmd', whole]
    const { json } = home.asked('harness-step', ...commands)
    expect(json.failureClasses).toEqual(['handoff.destination_ambiguous'])
    expect(issue()).toMatchObject({ status: 'in_progress' })
  })

  test('the transport changes files here is refused by the rules of proof', () => {
    const { json } = step(`${whole}\necho more > more.txt`)
    expect(json.failureClasses).toEqual(['close_proof_stale'])
    expect(issue().status).not.toBe('closed')
    expect(existsSync(join(home.root, '.premath/proofs'))).toBe(false)
  })

  test.each([
    [
      'issue',
      `${byAnother} ${premath} issue update bd-1 --title Other > /dev/null`,
      'the content of bd-1 has',
    ],
    ['policy', `echo '${overriding}' > .premath/policy.json`, 'the policy has'],
  ])(
    'the %s changes here after the location accepted does not close the issue',
    (_, act, subject) => {
      const { status, json } = step(`${whole}\n${act}`)
      expect({ status, classes: json.failureClasses }).toEqual({
        status: 1,
        classes: ['close_proof_stale'],
      })
      expect(json.summary).toContain(`${subject} changed since it was sent`)
      expect(issue().status).not.toBe('closed')
      expect(existsSync(join(home.root, '.premath/proofs'))).toBe(false)
    },
  )

  test('the policy in force differs from its file does not close the issue', () => {
    const claims = { profileOverlayClaims: ['profile.doctrine_inf_governance.v0'] }
    writeFileSync(join(far, '.premath/capability-registry.json'), JSON.stringify(claims))
    const file = join(home.folder, 'policy.json')
    writeFileSync(file, overriding)
    const { digest } = home.asked('policy', 'check', '--input', file).json
    const evidenceFile = join(home.folder, 'promotion.json')
    writeFileSync(evidenceFile, JSON.stringify(promotionOf(digest)))
    const given = ['--input', file, '--promotion', evidenceFile, '--reason', 'a test']
    expect(home.premath(['policy', 'set', ...given], { cwd: far }).status).toBe(0)
    rmSync(join(far, '.premath/policy.json'))
    const { json } = step(script(sends, outcome(), `${checked()} || true`))
    expect(json.failureClasses).toEqual([rejected, 'handoff.policy_mismatch'])
  })

  test('the transport takes too long is ended with all that it started', () => {
    const { json } = step('sleep 63.5 & sleep 63.5', '--transport-timeout-seconds', '1')
    expect(json.failureClasses).toEqual(['handoff.transport_failed'])
    expect(json.summary).toContain('timed out')
  })
})

test('[tusk.4.restart] a step that is killed during a relocation is undone, and can be repeated', async () => {
  const began = join(home.folder, 'began')
  const commands = ['--work-cmd', workTo('location://far'), '--verify-cmd', 'true']
  const { child, ended } = home.start([
    'harness-step',
    '--issue',
    'bd-1',
    ...commands,
    '--transport-cmd',
    `touch '${began}'; sleep 64.5`,
  ])
  while (!existsSync(began)) await new Promise(go => setTimeout(go, 20))
  child.kill('SIGKILL')
  await ended
  const boot = home.asked('harness-boot')
  expect(boot.json.recovered).toMatchObject({ how: 'undone', issueId: 'bd-1' })
  expect(home.processes).toEqual([])
  expect(issue()).toMatchObject({ status: 'open' })
  expect(step(whole).json).toMatchObject({ result: 'completed' })
})

test('a step that is stopped during a relocation releases the issue', async () => {
  const began = join(home.folder, 'began')
  const commands = ['--work-cmd', workTo('location://far'), '--verify-cmd', 'true']
  const slow = `touch '${began}'; sleep 65.5`
  const { child, ended } = home.start(['harness-step', ...commands, '--transport-cmd', slow])
  while (!existsSync(began)) await new Promise(go => setTimeout(go, 20))
  child.kill('SIGTERM')
  await ended
  expect(lastRow()).toMatchObject({ failureClasses: ['interrupted_by_signal'] })
  expect(issue().status).not.toBe('closed')
})

describe('premath harness-relocation check', () => {
  const check = (...args: readonly string[]) => {
    const asked = ['harness-relocation', 'check', ...args, '--json']
    const { status, stdout, stderr } = home.premath(asked, { cwd: far })
    return { status, stderr, lines: stdout.split('\n').slice(0, -1) }
  }
  const arrived = () => {
    step(script(sends))
    return `artifacts/relocations/${inputs(far)[0]}`
  }

  test('answers in one line that complies with its schema', () => {
    const path = arrived()
    for (const [verify, result] of [
      ['true', 'accepted'],
      ['false', 'rejected'],
    ] as const) {
      const { lines } = check('--input', path, '--verify-cmd', verify)
      expect(lines).toHaveLength(1)
      const answer = JSON.parse(lines[0] ?? '')
      expect(complies('premath.harness.relocation_check.v1', answer)).toEqual([])
      expect(answer.result).toBe(result)
    }
  })

  test('prints the problem and the remedy in text', () => {
    const path = arrived()
    writeFileSync(join(far, 'more.txt'), '')
    const asked = ['harness-relocation', 'check', '--input', path, '--verify-cmd', 'true']
    const { status, stdout } = home.premath(asked, { cwd: far })
    expect(status).toBe(1)
    expect(stdout).toContain('rejected bd-1 at location://far')
    expect(stdout).toContain('handoff.tree_mismatch: the tree here is')
  })

  test('runs nothing if the received inputs differ from the sent ones', () => {
    const path = arrived()
    writeFileSync(join(far, 'more.txt'), '')
    check('--input', path, '--verify-cmd', 'touch ../ran')
    expect(existsSync(join(home.folder, 'ran'))).toBe(false)
  })

  test('exits 5 for inputs that do not match their digest', () => {
    const path = arrived()
    cpSync(join(far, path), join(far, 'artifacts/other.json'))
    const { status, lines } = check('--input', 'artifacts/other.json', '--verify-cmd', 'true')
    expect(status).toBe(5)
    expect(JSON.parse(lines[0] ?? '').failureClasses).toEqual(['handoff.inputs_changed'])
  })

  test.each([
    ['are no JSON', 'nonsense'],
    ['lack something', '{"schema":1}'],
  ])('refuses inputs that %s', (_, text) => {
    arrived()
    writeFileSync(join(far, 'artifacts/bad.json'), text)
    const { status, stderr } = check('--input', 'artifacts/bad.json', '--verify-cmd', 'true')
    expect(status).toBe(2)
    expect(stderr).toContain('is not valid as the inputs of a relocation')
  })

  test.each([
    ['a pipe', 'artifacts/pipe.json'],
    ['standard input', '-'],
  ])('refuses inputs that come from %s, and does not wait for them', (_, path) => {
    mkdirSync(join(far, 'artifacts'))
    execFileSync('mkfifo', [join(far, 'artifacts/pipe.json')])
    const { status, stderr } = check('--input', path, '--verify-cmd', 'true')
    expect(status).toBe(2)
    expect(stderr).toContain('it is not a plain file')
  })

  test('reads inputs through a link to a plain file', () => {
    const path = arrived()
    mkdirSync(join(home.folder, 'sent'))
    const link = join(home.folder, 'sent', path.slice(path.lastIndexOf('/') + 1))
    symlinkSync(join(far, path), link)
    expect(check('--input', link, '--verify-cmd', 'true').status).toBe(0)
  })

  test('needs a verification command or specs', () => {
    const { status, stderr } = check('--input', arrived())
    expect(status).toBe(2)
    expect(stderr).toContain('--verify-cmd is missing')
  })

  test('runs the specs that the issue names', () => {
    home.git('-C', home.root, 'reset', '--quiet', '--hard')
    const spec =
      '# App\n\n```yaml spec-test\nid: APP\ntype: text.file\npath: app.txt\nassert:\n- target: text\n  must:\n  - contain: [done]\n```\n'
    writeFileSync(join(home.root, 'app.spec.md'), spec)
    home.git('-C', home.root, 'add', 'app.spec.md')
    home.git('-C', home.root, 'commit', '--quiet', '--message', 'A spec.')
    for (const root of [home.root, far]) {
      const asked = ['issue', 'update', 'bd-1', '--spec', 'app.spec.md']
      expect(home.premath(asked, { cwd: root }).status).toBe(0)
    }
    const bySpec = `(cd ../far && ${premath} harness-relocation check --input "artifacts/relocations/$name" --json) >> ${answers}`
    const { json } = step(script(sends, outcome(), bySpec))
    expect({ classes: json.failureClasses, summary: json.summary }).toMatchObject({ classes: [] })
    expect(issue()).toMatchObject({ status: 'closed' })
  })
})

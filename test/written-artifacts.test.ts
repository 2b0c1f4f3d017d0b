/**
 * Each artifact that commands write has a shape that names all its members. A tour of the commands
 * runs in a real project; the test checks each file that is written, also one that is replaced or
 * removed later, and each report that is printed.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { flawIn } from '../src/kernel/artifact/flaw.ts'
import { JsoncFlaw, parseJsonc } from '../src/kernel/config/jsonc.ts'
import { Config } from '../src/wire/config/config.ts'
import { FeatureLedger } from '../src/wire/harness/feature-ledger.ts'
import { StepFailure } from '../src/wire/harness/feedback.ts'
import { HandoffPacket } from '../src/wire/harness/handoff-packet.ts'
import { ReminderQueue } from '../src/wire/harness/reminder-queue.ts'
import { RereadClose } from '../src/wire/harness/reread-close.ts'
import { ScopeWitness } from '../src/wire/harness/scope-witness.ts'
import { Session } from '../src/wire/harness/session.ts'
import { StateView } from '../src/wire/harness/state-view.ts'
import { StepJournalLine } from '../src/wire/harness/step-journal.ts'
import { StepRecord } from '../src/wire/harness/step-record.ts'
import { TakenRequest } from '../src/wire/harness/step-request.ts'
import { StepRow } from '../src/wire/harness/step-row.ts'
import { WholeHandoff } from '../src/wire/harness/whole-handoff.ts'
import { wireKinds } from '../src/wire/index.ts'
import { Checks } from '../src/wire/instruction/checks.ts'
import { Instruction } from '../src/wire/instruction/instruction.ts'
import { InstructionPolicy } from '../src/wire/instruction/instruction-policy.ts'
import { InstructionUse } from '../src/wire/instruction/instruction-use.ts'
import {
  InstructionRuntime,
  InstructionWitness,
} from '../src/wire/instruction/instruction-witness.ts'
import { Proposal } from '../src/wire/instruction/proposal.ts'
import { RunInstruction } from '../src/wire/instruction/run-instruction.ts'
import { IssueRow } from '../src/wire/issue/issue.ts'
import { IssueEvent } from '../src/wire/issue/issue-event.ts'
import { CloseRequest } from '../src/wire/landing/close-request.ts'
import { GroupNote, LandingNote } from '../src/wire/landing/landing-note.ts'
import { LeftWork } from '../src/wire/landing/left-work.ts'
import { VerifiedRun } from '../src/wire/landing/verified-run.ts'
import { ObservationEvent, ObservationSurface } from '../src/wire/observation/surface.ts'
import { DecompositionPolicy } from '../src/wire/policy/decomposition-policy.ts'
import { GovernancePromotion } from '../src/wire/policy/governance-promotion.ts'
import { MutationPolicy } from '../src/wire/policy/mutation-policy.ts'
import { OperatorGrantRecord } from '../src/wire/policy/operator-grant.ts'
import { PolicyEntry } from '../src/wire/policy/policy-entry.ts'
import { RetryPolicy } from '../src/wire/policy/retry-policy.ts'
import { Envelope, Statement } from '../src/wire/proof/attestation.ts'
import { TurnWitness } from '../src/wire/proof/join-witness.ts'
import { ProofBundle, ProofChain } from '../src/wire/proof/proof-chain.ts'
import { SpecWitness } from '../src/wire/proof/spec-witness.ts'
import { Trust } from '../src/wire/proof/trust.ts'
import { VerifyWitness } from '../src/wire/proof/verify-witness.ts'
import { Relocation, TransportOutcome } from '../src/wire/relocation/relocation.ts'
import { RelocationWitness } from '../src/wire/relocation/relocation-witness.ts'
import { RequiredDecision } from '../src/wire/required/decision.ts'
import { DeltaSnapshot } from '../src/wire/required/delta.ts'
import { GateWitness } from '../src/wire/required/gate-witness.ts'
import { RequiredChecks } from '../src/wire/required/required-checks.ts'
import { RequiredRuntime, RequiredWitness } from '../src/wire/required/required-witness.ts'
import { Attention } from '../src/wire/run/attention.ts'
import { SchemeRequest } from '../src/wire/scheme/scheme-request.ts'
import { list, type Shape } from '../src/wire/shape.ts'
import { VectorFile } from '../src/wire/turn/vector.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import type { Disk, DiskFile, Output } from '../src/world/world.ts'
import { premathInShell } from './a-loop.ts'
import { promotionOf } from './a-promotion.ts'
import { describeWithGit, gitEnv, gitIn } from './a-repository.ts'
import { bound, evidence, judged } from './a-turn.ts'
import { writeScriptPolicy } from './at-a-terminal.ts'
import { main } from './built-command.ts'
import { checkedOperations } from './checked-answers.ts'
import { fewest, freePlaces, unknownMembers } from './unknown-members.ts'
import { withoutSandbox } from './without-sandbox.ts'

type Told = ReturnType<typeof JSON.parse>

/** The shape of each artifact, by the path of its file. */
const shapeOfFile: readonly (readonly [RegExp, Shape])[] = [
  [/\/\.premath\/issues\.jsonl$/, IssueRow],
  [/\/\.git\/premath\/memory\/issues\/rows\.jsonl$/, IssueRow],
  [/\/\.premath\/memory\/events\.jsonl$/, IssueEvent],
  [/\/\.premath\/memory\/grants\.jsonl$/, OperatorGrantRecord],
  [/\/\.premath\/memory\/uses\/[^/]+\.jsonl$/, InstructionUse],
  [/\/(\.premath|documents)\/policy\.json$/, MutationPolicy],
  [/\/(\.premath|documents)\/checks\.json$/, Checks],
  [/\/\.premath\/config\.json$/, Config],
  [/\/\.premath\/trust\.json$/, Trust],
  [/\/\.premath\/policy-log\.jsonl$/, PolicyEntry],
  [/\/harness_session\.json$/, Session],
  [/\/harness_feature_ledger\.json$/, FeatureLedger],
  [/\/harness_trajectory\.jsonl$/, StepRow],
  [/\/harness_attention\.jsonl$/, Attention],
  [/\/\.premath\/steps\/[^/]+\.jsonl$/, StepJournalLine],
  [/\/\.git\/premath\/verified\.jsonl$/, VerifiedRun],
  [/\/steps\/left-[^/]+\.json$/, LeftWork],
  [/\/steps\/[^/]+\.group\.json$/, GroupNote],
  [/\/\.premath\/closes\/[^/]+\.json$/, CloseRequest],
  [/\/\.git\/premath\/landing\.json$/, LandingNote],
  [/\/proofs\/[^/]+\/chain-[^/]+\.json$/, ProofChain],
  [/\/proofs\/[^/]+\/instruction-[^/]+\.json$/, InstructionWitness],
  [/\/(proofs\/[^/]+\/join-|ciwitness\/join\/)[^/]+\.json$/, TurnWitness],
  [/\/(proofs\/[^/]+\/spec-|ciwitness\/spec\/)[^/]+\.json$/, SpecWitness],
  [/\/(proofs\/[^/]+\/verify-|ciwitness\/verify\/)[^/]+\.json$/, VerifyWitness],
  [/\/ciwitness\/relocation\/[^/]+\.json$/, RelocationWitness],
  [/\/ciwitness\/run-[^/]+\.json$/, RunInstruction],
  [/\/\.premath\/required-checks\.json$/, RequiredChecks],
  [/\/ciwitness\/latest-delta\.json$/, DeltaSnapshot],
  [/\/ciwitness\/latest-decision\.json$/, RequiredDecision],
  [/\/ciwitness\/(latest-required|proj1_[0-9a-f]+)\.json$/, RequiredWitness],
  [/\/artifacts\/steps\/[^/]+\/required\.json$/, RequiredWitness],
  [/\/(ciwitness|steps\/[^/]+)\/gates\/[^/]+\/[^/]+\.json$/, GateWitness],
  [/\/ciwitness\/[^/]+\.json$/, InstructionWitness],
  [/\/observation\/latest\.json$/, ObservationSurface],
  [/\/observation\/events\.jsonl$/, ObservationEvent],
  [/\/artifacts\/relocations\/[^/]+\.json$/, Relocation],
  [/\/artifacts\/steps\/[^/]+\/failure\.json$/, StepFailure],
  [/\/artifacts\/steps\/[^/]+\/handoff\.json$/, HandoffPacket],
  [/\/artifacts\/steps\/[^/]+\/issue\.json$/, IssueRow],
  [/\/artifacts\/steps\/[^/]+\/record\.json$/, StepRecord],
  [/\/artifacts\/steps\/[^/]+\/requests\.json$/, list(TakenRequest)],
  [/\/artifacts\/steps\/[^/]+\/reread\.json$/, RereadClose],
  [/\/artifacts\/steps\/[^/]+\/scope\.json$/, ScopeWitness],
  [/\/artifacts\/steps\/[^/]+\/view\.json$/, StateView],
  [/\/artifacts\/steps\/[^/]+\/reminders\.json$/, ReminderQueue],
  [/\/artifacts\/steps\/[^/]+\/[0-9a-f]{64}\.json$/, WholeHandoff],
  [/\/artifacts\/steps\/[^/]+\/transport\.json$/, TransportOutcome],
  [/\/proofs\/[^/]+\/proof-[^/]+\.json$|\.proof\.json$/, ProofBundle],
  [/\.intoto\.jsonl$/, Envelope],
  [/\/instructions\/[^/]+\.json$/, Instruction],
  [/\/policies\/control\/harness-retry-policy-v1\.json$/, RetryPolicy],
  [/\/policies\/control\/harness-decomposition-policy-v1\.json$/, DecompositionPolicy],
  [/\/policies\/instruction\/[^/]+\.json$/, InstructionPolicy],
  [/\/vectors\/turn\/[^/]+\.vectors\.json$/, VectorFile],
  [/\/documents\/proposal\.json$/, Proposal],
  [/\/documents\/runtime\.json$/, InstructionRuntime],
  [/\/documents\/required-run\.json$/, RequiredRuntime],
  [/\/documents\/program\.json$/, SchemeRequest],
  [/\/documents\/[^/]+-promotion\.json$/, GovernancePromotion],
]

/** Files without a shape: the gate, git, a cache or a person reads them. */
const otherFiles = [
  /\/artifacts\/steps\/[^/]+\/(turn\.json|evidence\.ndjson|relocation\.ndjson|\w+\.std(out|err))$/,
  /\/documents\/(turn\.json|turn\.ndjson|bad\.ndjson)$/,
  /\/\.git(ignore|attributes)$/,
  /\/\.premath\/cache\//,
  /\/\.git\/(worktrees\/[^/]+\/)?premath\/digests\//,
  /\/\.git\/premath\/attempts\//,
  /\/\.premath\/capability-registry\.json$/,
  /\/\.premath\/worktrees\/\.(making|removing)-[^/]+\.json$/,
  /\.(pem|sh|md|txt|sha256|source)$/,
]

interface Written {
  readonly path: string
  readonly text: string
}

/** A disk that keeps everything that is written to it. */
function recordingDisk(disk: Disk, written: Written[]): Disk {
  const keep = (path: string, content: Uint8Array) => {
    written.push({ path, text: new TextDecoder().decode(content) })
  }
  const kept = (path: string, file: DiskFile): DiskFile => ({
    ...file,
    append: async bytes => {
      keep(path, bytes)
      await file.append(bytes)
    },
  })
  return {
    ...disk,
    openToAppend: async path => kept(path, await disk.openToAppend(path)),
    replace: async (path, content, lastLook) => {
      keep(path, content)
      await disk.replace(path, content, lastLook)
    },
    replaceAll: async (folder, contents) => {
      for (const [name, content] of contents) keep(`${folder}/${name}`, content)
      await disk.replaceAll(folder, contents)
    },
    replaceLoosely: async (path, content) => {
      keep(path, content)
      await disk.replaceLoosely(path, content)
    },
    appendLoosely: async (path, content) => {
      keep(path, content)
      await disk.appendLoosely(path, content)
    },
  }
}

function printedTo(texts: string[]): Output {
  const write = (text: string) => texts.push(text) > 0
  return { write, isTerminal: () => false, columns: () => undefined, rows: () => undefined }
}

const linesOf = (text: string): readonly Told[] =>
  text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => JSON.parse(line))

/** One document, or one on each line. */
const documentsIn = (text: string): readonly Told[] =>
  text.startsWith('{\n') ? [JSON.parse(text)] : linesOf(text)

/** The configuration has comments. */
function commentedIn(text: string): Told {
  const read = parseJsonc(text)
  if (read instanceof JsoncFlaw) throw new Error(read.why)
  return read.value
}

interface Printed {
  readonly words: string
  readonly value: Told
}

/** Runs commands in a project, and keeps what they write and print. */
class Tour {
  readonly written: Written[] = []
  readonly printed: Printed[] = []
  readonly folder: string
  readonly root: string
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(folder: string) {
    this.folder = folder
    this.root = join(folder, 'project')
    this.#env = { ...gitEnv, XDG_CACHE_HOME: join(folder, 'cache') }
  }

  /** Runs a command that must end with this exit code. */
  async run(exitCode: number, words: string, ...more: readonly string[]): Promise<Told> {
    const [out, err]: [string[], string[]] = [[], []]
    const world = {
      ...nodeWorld(),
      cwd: () => this.root,
      env: this.#env,
      isAtTerminal: () => false,
      out: printedTo(out),
      err: printedTo(err),
      disk: async () => recordingDisk(nodeDisk, this.written),
    }
    const args = [...words.split(' '), ...more, '--json']
    const ended = await runCommand(withoutSandbox(args), checkedOperations, world)
    const transcript = `${args.join(' ')}: ${out.join('')}${err.join('')}`
    expect(ended, transcript).toBe(exitCode)
    const documents = documentsIn(out.join(''))
    for (const value of documents) this.printed.push({ words, value })
    return documents.at(-1)
  }

  done(words: string, ...more: readonly string[]): Promise<Told> {
    return this.run(0, words, ...more)
  }

  /** Writes a document of the user, and returns its path. */
  put(path: string, content: unknown): string {
    const text = typeof content === 'string' ? content : `${JSON.stringify(content)}\n`
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    this.written.push({ path: file, text })
    return path
  }
}

const claims = ['', '.issue_claim', '.issue_update'].map(
  action => `capabilities.change_morphisms${action}`,
)
const operator = ['--reason', 'Ana is asked by phone']

const policyOf = (mode: string) => ({
  override: 'script',
  schema: 1,
  policyKind: 'premath.mutation_policy.v1',
  ids: 'counted',
  surfaces: { cli: { mode }, mcp: { mode: 'instruction-linked' }, work: { mode } },
})

const checksDocument = {
  schema: 1,
  checksKind: 'premath.checks.v1',
  checks: { lint: 'test -s greet.sh', test: 'sh greet.sh' },
}

const instructionId = '20260221T000000Z-greet'
const policyDigest = 'pol1_6da691fb6dfc92b7e6b014882f337a806ab2fa6be564833e8f91ab43452c0a2f'
const binding = { normalizerId: 'normalizer.agent.v1', policyDigest }

const proposal = {
  proposalKind: 'derivation',
  targetCtxRef: 'ctx:main',
  targetJudgment: { kind: 'obj', shape: 'wiring' },
  candidateRefs: ['obj:one'],
  steps: [{ ruleId: 'rule.one', claim: 'holds', inputs: ['obj:one'], outputs: ['obj:two'] }],
  binding,
}

const instruction = {
  schema: 1,
  intent: 'Greet in a friendly way, and close bd-1.',
  instructionType: 'ci.gate.check',
  typingPolicy: { allowUnknown: false },
  ...binding,
  capabilityClaims: claims,
  scope: {
    kind: 'repo',
    mutations: [
      { action: 'issue_claim', issueId: 'bd-1' },
      { action: 'issue_update', issueId: 'bd-1' },
    ],
  },
  requestedChecks: ['lint'],
  proposal,
}

/** How the model saw the result of its call. */
const shown = {
  toolRender: [
    {
      toolCallId: 'tc-1',
      operatorPayloadDigest: 'sha256:operator',
      reminderRenderDigest: 'sha256:reminder',
      injectionPoint: 'tool_response',
      policyDigest: 'pol-render',
    },
  ],
  reminderQueue: [{ queueId: 'main', reducedDigest: 'sha256:q', policyDigest: 'pol-queue' }],
  stateViews: [{ viewId: 'latest', viewDigest: 'sha256:v', policyDigest: 'pol-view' }],
}

const spec = `# Greeting

\`\`\`yaml spec-test
id: GREETS
type: cli.run
harness: {entrypoint: sh greet.sh}
expect: {portable: {status: pass, category: null, message_tokens: []}}
assert:
- target: stdout
  must:
  - contain: [good morning]
\`\`\`
`

async function begin(tour: Tour) {
  mkdirSync(tour.root)
  gitIn(tour.root, 'init', '--quiet', '--initial-branch=main')
  tour.put('.gitignore', '.premath/\nartifacts/\n')
  tour.put('greet.sh', 'echo hello\n')
  tour.put('specs/greet.spec.md', spec)
  tour.put(`instructions/${instructionId}.json`, instruction)
  cpSync('policies', join(tour.root, 'policies'), { recursive: true })
  writeScriptPolicy(tour.root)
  gitIn(tour.root, 'add', '--all')
  gitIn(tour.root, 'add', '--force', '.premath/policy.json')
  gitIn(tour.root, 'commit', '--quiet', '--message', 'Begin')
  await tour.done('init')
  await tour.done('config set timeouts.workSeconds 600')
}

const titles = ['Greet', 'Write the manual', 'Drop the logo', 'Move the mirror', 'Translate']

async function changeIssues(tour: Tour) {
  const all = [
    ...[
      '--spec',
      'specs',
      '--priority',
      '1',
      '--label',
      'docs',
      '--type',
      'task',
      '--owner',
      'ben',
    ],
    ...['--notes', 'n', '--description', 'd', '--design', 'e', '--acceptance', 'a'],
  ]
  for (const [place, title] of titles.entries()) {
    await tour.done('issue add', title, ...(place === 0 ? all : []))
  }
  await tour.done('dep add bd-5 bd-3 --type waits-for --created-by ana')
  await tour.done('dep replace bd-5 bd-3 --from-type waits-for --to-type related')
  await tour.done('dep remove bd-5 bd-3 --type related')
  await tour.done('issue discover bd-2', 'Spell-check the manual')
  const { issue } = await tour.done('issue claim bd-3 --assignee ben')
  const lease = `--lease-id ${issue.lease.leaseId} --fence ${issue.lease.fence}`
  await tour.done(`issue lease-renew bd-3 --assignee ben ${lease}`)
  await tour.done(`issue lease-release bd-3 --assignee ben ${lease}`)
  await tour.done('issue update bd-3 --status closed --force', ...operator)
  await tour.done('issue update bd-2 --status closed --verify-cmd', 'test -s greet.sh')
}

async function govern(tour: Tour) {
  tour.put('.premath/capability-registry.json', {
    profileOverlayClaims: ['profile.doctrine_inf_governance.v0'],
  })
  for (const [name, document] of Object.entries({
    policy: policyOf('operator'),
    checks: checksDocument,
  })) {
    const input = tour.put(`../documents/${name}.json`, document)
    const promotion = tour.put(`../documents/${name}-promotion.json`, { promotionIntent: false })
    const given = `--input ${input} --promotion ${promotion}`
    const { digest } = await tour.run(1, `policy check ${given}`)
    tour.put(promotion, promotionOf(digest))
    await tour.done(`policy set ${given}`, ...operator)
  }
  await tour.done('issue compact', ...operator)
  await tour.done('governance-promotion-check --input ../documents/policy-promotion.json')
}

async function closeUnderInstruction(tour: Tour) {
  // What judges an agent is read from the commit of the target. A sandbox has files of its own.
  await tour.done('config set sandbox off')
  gitIn(tour.root, 'add', '--all', '--force', '.premath/config.json', 'specs', 'instructions')
  gitIn(tour.root, 'commit', '--quiet', '--message', 'Settings')
  const named = `--instruction instructions/${instructionId}.json`
  const { instructionDigest } = await tour.done(`instruction-check ${named}`)
  const runtime = tour.put('../documents/runtime.json', {
    instructionId,
    instructionRef: `instructions/${instructionId}.json`,
    instructionDigest,
    squeakSiteProfile: 'local',
    runStartedAt: '2026-02-21T00:00:00Z',
    runFinishedAt: '2026-02-21T00:00:02Z',
    runDurationMs: 2000,
    results: [{ checkId: 'lint', status: 'passed', exitCode: 0, durationMs: 2000 }],
  })
  await tour.done(`instruction-witness ${named} --runtime ${runtime}`)
  await tour.done(`proposal-check --proposal ${tour.put('../documents/proposal.json', proposal)}`)
  await tour.done(`instruction-run ${named}`)
  await tour.done(`issue claim bd-1 --assignee agent --instruction ${instructionId}`)
  const { leaseId, fence } = (await tour.done('issue show bd-1')).issue.lease
  const { mutationPolicyDigest } = await tour.done('prime')
  await tour.done('harness-session write --state active --path artifacts/harness_session.json')
  await tour.done(
    // Long ago, so that the throughput of now does not count it.
    'harness-trajectory append --step-id step-1 --action agent.turn --result-class completed --finished-at 2026-02-21T00:00:00Z',
  )
  const turn = tour.put('../documents/turn.json', {
    evidence: evidence(['tc-1'], {
      ...bound({ mutationPolicyDigest }),
      ...shown,
      toolUse: [{ toolCallId: 'tc-1', disposition: 'consumed', mutationInputRef: 'issue/bd-1' }],
      sessionRefs: ['artifacts/harness_session.json'],
      trajectoryRefs: ['step-1'],
    }),
    mutation: { kind: 'issue', action: 'issue_update', issueId: 'bd-1' },
    capabilityClaims: claims,
    activeMutationPolicyDigest: mutationPolicyDigest,
    governanceProfile: promotionOf(mutationPolicyDigest).governanceProfile,
  })
  await tour.done(
    `harness-join-check --input ${turn} --write-witness --instruction ${instructionId}`,
  )
  const close = `issue update bd-1 --status closed --instruction ${instructionId}`
  const lease = `--lease-id ${leaseId} --fence ${fence}`
  await tour.run(1, 'spec run specs')
  await tour.run(1, `${close} ${lease}`)
  tour.put('greet.sh', 'echo good morning\n')
  await tour.done('spec run specs --profile')
  await tour.done('spec conform specs')
  await tour.done(`issue close bd-1 --queue --instruction ${instructionId} ${lease}`)
  const { closes } = await tour.done('land')
  expect(closes).toMatchObject([{ issueId: 'bd-1', state: 'closed' }])
}

/** Work at another location: a transport brings it to a clone, which checks it. */
async function closeElsewhere(tour: Tour) {
  gitIn(tour.root, 'add', '--all')
  gitIn(tour.root, 'commit', '--quiet', '--message', 'Work')
  const far = join(tour.folder, 'far')
  gitIn(tour.root, 'clone', '--quiet', tour.root, far)
  cpSync(join(tour.root, '.premath'), join(far, '.premath'), { recursive: true })
  const { mutationPolicyDigest } = await tour.done('prime')
  const handoff = { target: 'location://far', requiredArtifactRefs: [], returnPathRef: 'return://' }
  tour.put('../documents/turn.ndjson', {
    governanceProfile: promotionOf(mutationPolicyDigest).governanceProfile,
    evidence: evidence(['tc-1'], { ...shown, handoff }),
  })
  const work = `[ -e ../tried ] || { touch ../tried; echo 'flaky_io: no route' >&2; exit 143; }
    echo moved > mirror.txt; cat ../documents/turn.ndjson >> "$PREMATH_TURN_EVIDENCE"`
  const check = `'${process.execPath}' '${main}' harness-relocation check`
  const carry = `set -e
    digest=$(basename "$PREMATH_RELOCATION" .json)
    git add --all
    git commit --quiet --allow-empty --message Moved
    git push --quiet ../far HEAD:refs/heads/incoming
    git -C ../far merge --quiet incoming
    mkdir -p ../far/artifacts/relocations
    cp "$PREMATH_RELOCATION" ../far/artifacts/relocations/
    printf '{"schema":1,"outcomeKind":"premath.harness.transport_outcome.v1","relocationDigest":"sha256:%s","result":"delivered"}\\n' "$digest" >> "$PREMATH_RELOCATION_EVIDENCE"
    cd ../far
    ${check} --input "artifacts/relocations/$digest.json" --verify-cmd 'grep -q moved mirror.txt' --json >> "$PREMATH_RELOCATION_EVIDENCE"`
  await tour.done(
    'harness-step --issue bd-4 --worker cy',
    ...['--startup-cmd', 'true', '--work-cmd', work, '--verify-cmd', 'grep -q moved mirror.txt'],
    ...['--transport-cmd', carry, ...operator],
  )
  const answers = join(tour.root, 'artifacts/steps/cy.bd-4.1.2/relocation.ndjson')
  for (const value of linesOf(readFileSync(answers, 'utf8'))) {
    tour.printed.push({ words: 'harness-relocation check', value })
  }
}

async function runLoops(tour: Tour) {
  const failing = ['--work-cmd', 'exit 1', '--verify-cmd', 'true', ...operator]
  const ask = `${premathInShell} issue comment $PREMATH_ISSUE_ID Looked > /dev/null`
  const work = `${ask}; echo x > $PREMATH_ISSUE_ID.txt; [ $PREMATH_ISSUE_ID != bd-8 ]`
  const working = ['--work-cmd', work, '--verify-cmd', 'true']
  await tour.run(1, 'harness-step --issue bd-5 --worker eve', ...failing)
  const limits = '--max-steps 9 --max-minutes 9 --max-failures 9'
  await tour.done(`harness-loop worker --worker eve ${limits}`, ...working, ...operator)
  for (const title of ['Fly', 'Swim', 'Dive']) await tour.done('issue add', title, ...operator)
  await tour.run(1, 'harness-loop coordinator --create-worktrees 2', ...working, ...operator)
}

async function recordAndReport(tour: Tour) {
  await tour.done('harness-stop --worker w1 --summary', 'Half done. '.repeat(1000), ...operator)
  await tour.done('harness-stop --worker w1 --next-step Rest --summary', 'Half done', ...operator)
  await tour.done('harness-session write --state active --issue-id bd-6 --summary Begun')
  await tour.done('harness-session read')
  await tour.done('harness-session bootstrap')
  await tour.done('harness-boot')
  await tour.run(1, 'harness-boot --startup-cmd false')
  const feature = 'harness-feature write --feature-id greeting --status completed --issue-id bd-1'
  await tour.done(`${feature} --verification-ref w:1 --instruction-ref i:1 --summary Greets`)
  await tour.done('harness-feature check')
  await tour.done('observe-build')
  await tour.run(1, 'harness-feature check --require-closure')
  const step = 'harness-trajectory append --action a --step-id s1 --result-class completed'
  await tour.done(`${step} --issue-id bd-1 --witness-ref a --lineage-ref b --instruction-ref c`)
  await tour.done('harness-kpi')
  await tour.done('harness-kpi remediate', ...operator)
  await tour.done('harness-trajectory query --mode failed --cluster --since 1h')
  await tour.done('harness-retry --failure-class flaky_io')
  const failed = 'harness-escalate --scope loop --attempt 3 --failure-class'
  await tour.done(`${failed} flaky_io`, ...operator)
}

/** A run by a script, under a policy on the target that asks for an instruction. */
async function runAsInstruction(tour: Tour) {
  await tour.done('issue add Sing', ...operator)
  await tour.done('issue add Dance', ...operator)
  tour.put('.premath/capability-registry.json', { profileOverlayClaims: [] })
  tour.put('.premath/policy.json', policyOf('instruction-linked'))
  gitIn(tour.root, 'add', '--force', '.premath/policy.json')
  gitIn(tour.root, 'commit', '--quiet', '--message', 'Policy')
  await tour.done('harness-step --worker gil --work-cmd true --verify-cmd true')
}

async function prove(tour: Tour) {
  await tour.done('witness keygen --key ../key.pem')
  await tour.done('witness export bd-1 --attest --key ../key.pem --output artifacts/1.intoto.jsonl')
  await tour.done('trust add ../key.pub.pem --role harness')
  await tour.done('witness export bd-2 --output artifacts/bd-2.proof.json')
  await tour.done('witness verify --all --allow-forced')
  const name = 'turn/context_scope_violation.vectors.json'
  cpSync(`vectors/${name}`, join(tour.folder, 'vectors', name), { recursive: true })
  await tour.done('conformance run ../vectors')
  await tour.run(
    2,
    `harness-join-check --ndjson --input ${tour.put('../documents/bad.ndjson', 'no turn\n')}`,
  )
  await tour.done('harness-join-check --input ../documents/turn.ndjson')
}

/** Checks that a change requires, and a program. */
async function useSurfaces(tour: Tour) {
  tour.put('.premath/required-checks.json', {
    schema: 1,
    requiredChecksKind: 'premath.required_checks.v1',
    projectionPolicy: 'greeting-v1',
    baseline: ['lint'],
    order: ['lint'],
    rules: [],
  })
  await tour.done('required-delta --input', tour.put('../documents/turn.json', {}))
  const { witness } = await tour.done('ci-required --attested')
  const { ciSchema: _, witnessKind: __, ...ran } = witness
  const runtime = Object.fromEntries(
    Object.entries(ran).filter(([name]) => name in RequiredRuntime.members),
  )
  tour.put('../documents/required-run.json', runtime)
  await tour.done('required-witness --runtime ../documents/required-run.json')
  // The rules of the target count, and it has files of premath.
  gitIn(tour.root, 'add', '--force', '.premath/required-checks.json', '.premath/checks.json')
  gitIn(tour.root, 'commit', '--quiet', '--message', 'Rules')
  await tour.done('harness-step --worker ivy --work-cmd true --verify-required')
  tour.put('../documents/program.json', {
    schema: 1,
    programKind: 'premath.scheme_eval.request.v0',
    calls: [{ action: 'issue.ready', args: { limit: 1 } }],
  })
  await tour.done('scheme-eval --program ../documents/program.json')
  await tour.run(1, 'coherence-check')
}

interface Found {
  readonly where: string
  readonly value: unknown
  /** Several where the value does not tell which one it is. */
  readonly shapes: readonly Shape[]
}

/** Every artifact in a file, with those that it holds. */
const documentIn = (path: string, text: string): Told =>
  path.endsWith('/config.json') ? commentedIn(text) : JSON.parse(text)

function foundIn({ path, text }: Written): readonly Found[] {
  const [, shape] = shapeOfFile.find(([pattern]) => pattern.test(path)) ?? []
  if (!shape) return []
  const values = path.endsWith('l') ? linesOf(text) : [documentIn(path, text)]
  return values.flatMap(value => [
    { where: path, value, shapes: [shape] },
    ...statementsIn(value, path),
    ...Object.values(value).flatMap(one => foundWithin(one, path)),
  ])
}

/** An attestation holds its statement as encoded text. */
const statementsIn = ({ payload }: Told, where: string): readonly Found[] =>
  typeof payload !== 'string'
    ? []
    : [{ where, value: JSON.parse(atob(payload)), shapes: [Statement] }]

/** The value and each value in it that has the literal members of a published shape. */
function foundWithin(value: Told, where: string): readonly Found[] {
  if (typeof value !== 'object' || value === null) return []
  // A ref to a gate witness repeats its kind.
  const isRef = 'artifactRelPath' in value
  const shapes = isRef ? [] : wireKinds.filter(shape => isNamedIn(shape, value))
  const within = Object.values(value).flatMap(one => foundWithin(one, where))
  return shapes.length > 0 ? [{ where, value, shapes }, ...within] : within
}

function isNamedIn(shape: Shape, value: Told): boolean {
  if (shape.is === 'union' || shape.is === 'variant') {
    return shape.of.some(one => isNamedIn(one, value))
  }
  if (shape.is !== 'record') return false
  const names = Object.entries(shape.members).flatMap(([name, member]) =>
    member.is === 'literal' && typeof member.value === 'string' ? [[name, member.value]] : [],
  )
  return names.length > 0 && names.every(([name = '', text]) => value[name] === text)
}

/** The flaws of a value by the best matching shape. */
function problemsOf({ where, value, shapes }: Found): readonly string[] {
  const problems = shapes.map(shape => {
    const flaw = flawIn(shape, value)
    const unknown = unknownMembers(shape, value).map(name => `unknown member ${name}`)
    const all = [...(flaw ? [String(flaw)] : []), ...unknown]
    return all.map(problem => `${where}: ${shape.title}: ${problem}`)
  })
  return fewest(problems)
}

/** The scope of an instruction says what its author likes. */
const isAuthors = (problem: string) =>
  problem.includes('premath.instruction.v1: unknown member scope.')

const allProblems = (found: readonly Found[]) => [
  ...new Set(found.flatMap(problemsOf).filter(problem => !isAuthors(problem))),
]

/** Files of a folder of this repository, as they lie in a user's project. */
const filesOf = (folder: string): readonly Written[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => ({
      path: `/${path.replaceAll('/dot-', '/.')}`,
      text: readFileSync(path, 'utf8'),
    }))

/** The files in the bundle of a proof, as they would lie beside it. */
const bundledIn = ({ path, text }: Written): readonly Written[] => {
  if (!/\/proofs\/[^/]+\/proof-[^/]+\.json$/.test(path)) return []
  const files: Record<string, string> = JSON.parse(text).files
  return Object.entries(files).map(([name, copy]) => ({
    path: join(path, '..', name),
    text: copy,
  }))
}

const unnamedFiles = (files: readonly Written[]) =>
  files
    .map(({ path }) => path)
    .filter(
      path =>
        ![...shapeOfFile.map(([pattern]) => pattern), ...otherFiles].some(one => one.test(path)),
    )

const golden = readdirSync('test/golden')
  .filter(name => name.startsWith('v'))
  .flatMap(version => filesOf(`test/golden/${version}/project`))
const shipped = ['policies', 'vectors/turn'].flatMap(filesOf)

describe.each([
  ['an artifact of an earlier version', golden],
  ['a document that the package ships', shipped],
])('%s', (_, files) => {
  test('has a shape, and no member that its shape does not name', () => {
    expect(unnamedFiles(files)).toEqual([])
    expect(allProblems(files.flatMap(foundIn))).toEqual([])
  })
})

test('only foreign documents have unnamed members', () => {
  expect(wireKinds.flatMap(kind => freePlaces(kind, kind.title))).toEqual([
    'premath.conformance.vector_case.v1.input',
    'premath.conformance.vector_file.v1.base',
    'premath.conformance.vector_file.v1.vectors.changes[].value',
    'premath.gate_witness.v1.failures[].context',
    'premath.gate_witness.v1.failures[].tokenPath',
    'premath.gate_witness.v1.failures[].details',
    'premath.instruction.v1.scope[]',
    'ci.instruction.v1.scope',
    'issue.event.v1.issue.metadata',
    'premath.issue.v1.metadata',
    'premath.harness.join_report.v1.normalized.callSpec',
    'premath.harness.join_report.v1.normalized.extension',
    'premath.harness.typestate_normalized.v1.callSpec',
    'premath.harness.typestate_normalized.v1.extension',
    'ci.observation.event.v0.payload',
    'ci.observation.surface.v0.instructions[].instructionClassification',
    'ci.observation.surface.v0.instructions[].scope',
    'ci.observation.surface.v0.instructions[].proposalIngest',
    'premath.policy_entry.v1.document',
    'premath.host_effect.v0.payload',
    'premath.scheme_eval.request.v0.calls[].args',
    'premath.scheme_eval.result.v0.effects[].payload',
    'premath.scheme_eval.result.v0.value',
    'premath.harness.join_witness.v1.evidence',
    'premath.harness.unreadable_line.v1.error.detail',
  ])
})

describeWithGit('an artifact that a command writes', () => {
  const folders = realpathSync(mkdtempSync(join(tmpdir(), 'premath artifacts ')))
  const tour = new Tour(folders)
  const files: Written[] = []
  const found: Found[] = []
  const reports: Found[] = []
  beforeAll(async () => {
    await begin(tour)
    await changeIssues(tour)
    await govern(tour)
    await closeUnderInstruction(tour)
    await closeElsewhere(tour)
    await runLoops(tour)
    await recordAndReport(tour)
    await prove(tour)
    // Without the claim of governance, which earlier turns were judged under.
    await runAsInstruction(tour)
    await useSurfaces(tour)
    files.push(
      ...tour.written
        .map(({ path, text }) => ({ path: path.slice(folders.length), text }))
        .flatMap(one => [one, ...bundledIn(one)]),
    )
    found.push(...files.flatMap(foundIn))
    reports.push(...tour.printed.flatMap(({ words, value }) => foundWithin(value, words)))
  })
  afterAll(() => rmSync(folders, { recursive: true }))

  test('has a shape', () => {
    expect([...new Set(unnamedFiles(files))]).toEqual([])
  })

  test('has no member that its shape does not name', () => {
    expect(allProblems(found)).toEqual([])
  })

  test('as a report has no member that its shape does not name', () => {
    expect(allProblems(reports)).toEqual([])
  })

  test('is a turn that the gate reads whole', () => {
    const turns = files.filter(
      ({ path }) => path.endsWith('/turn.json') && path.includes('/steps/'),
    )
    expect(turns.length).toBeGreaterThan(2)
    expect(turns.flatMap(({ text }) => judged(JSON.parse(text)).ignoredKeys)).toEqual([])
  })

  test('covers each kind that has a schema', () => {
    const all = [...found, ...reports, ...shipped.flatMap(foundIn)]
    const seen = new Set(all.flatMap(({ shapes }) => shapes.map(({ title }) => title)))
    const never = wireKinds.map(({ title }) => title).filter(title => !seen.has(title))
    expect(never).toEqual([
      'premath.conformance.vector_case.v1',
      'premath.conformance.vector_expect.v1',
    ])
    const paths = [...files, ...shipped].map(({ path }) => path)
    const unseen = shapeOfFile.filter(([pattern]) => !paths.some(path => pattern.test(path)))
    expect(unseen).toEqual([])
  })

  test('covers each action of an issue event', () => {
    const events = files.filter(({ path }) => path.endsWith('/memory/events.jsonl'))
    const actions = events.flatMap(({ text }) => linesOf(text).map(({ action }) => action))
    expect([...new Set(actions)].toSorted()).toEqual([
      'add_dependency',
      'claim_issue',
      'release_lease',
      'remove_dependency',
      'renew_lease',
      'set_status',
      'upsert_issue',
    ])
  })
})

/**
 * Work that goes on at another location (HARNESS-RUNTIME §1.2): the inputs are written down, a
 * command that is not ours takes them there, and what it brings back is judged here. It changes no
 * issue: the step closes through the same door as ever.
 */
import {
  changedTerm,
  issueDigestOf,
  relocationFile,
  relocationFolder,
  relocationOf,
  type SentRelocation,
  type SentTerms,
} from '../../kernel/harness/relocation/relocation.ts'
import type { AnswersVerdict } from '../../kernel/harness/relocation/relocation-answers.ts'
import {
  type RelocationFinding,
  relocationFinding,
} from '../../kernel/harness/relocation/relocation-classes.ts'
import type { StepJournal } from '../../kernel/harness/step/step-journal.ts'
import {
  checkedRef,
  isRelocationRef,
  relocationRef,
} from '../../kernel/harness/step/witness-ref.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { witnessDigest } from '../../kernel/proof/witness.ts'
import { readPlain } from '../../store/plain-file.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { Relocation } from '../../wire/relocation/relocation.ts'
import { makeOwnFolder } from '../gitignored-folder.ts'
import type { EvidenceVerdict, Harness } from '../harness.ts'
import { type CommandRun, endInWords, type RanCommand, runCommand } from './command.ts'
import { lineageOf } from './commit-step.ts'
import { openRef, type StepFolder } from './step-folder.ts'
import { transportEnvironment } from './work-environment.ts'

/** Takes inputs to another location and brings back what was said of them there. */
export interface Transport {
  readonly command: string
  readonly timeoutMs: number
}

export interface RelocatedWork {
  readonly journal: StepJournal
  readonly issue: Issue
  readonly evidence: EvidenceVerdict
}

export interface Relocated {
  /** None: it arrived, and the location said yes. */
  readonly findings: readonly RelocationFinding[]
  readonly witnessRefs: readonly string[]
  /** What was sent: its tree is the one that was verified. */
  readonly sent?: Relocation
  /** How the transport ended, where there was one. */
  readonly transport?: RanCommand
}

export async function relocate(
  harness: Harness,
  work: RelocatedWork,
  transport: Transport | undefined,
  run: Omit<CommandRun, 'timeoutMs'>,
): Promise<Relocated> {
  const [destination = '', another] = work.evidence.destinations
  if (another !== undefined) {
    const message = `turns name ${destination} and ${another}`
    return refused('handoff.destination_ambiguous', message)
  }
  const sent = await writeInputs(harness, work, destination)
  const { relocation } = sent
  const inputsRef = relocationRef(sent.digest)
  if (transport === undefined) {
    const message = `the work goes on at ${destination}, and nothing takes it there: give --transport-cmd`
    const none = refused('handoff.destination_evidence_missing', message)
    return { ...none, sent: relocation, witnessRefs: [inputsRef] }
  }
  const { command, timeoutMs } = transport
  const ran = await runTransport(harness, command, sent, { ...run, timeoutMs })
  const verdict = withFailure(await judgeFile(harness, run.folder, sent), ran)
  const refs = await keepAnswers(harness, run.folder, verdict)
  return {
    findings: verdict.findings,
    witnessRefs: [inputsRef, ...refs],
    sent: relocation,
    transport: ran,
  }
}

/** Where a check came back all the same, that it said no may be why the transport failed. */
function withFailure(verdict: AnswersVerdict, { failure, end }: RanCommand): AnswersVerdict {
  if (!failure) return verdict
  const said = verdict.witness ? verdict.findings : []
  const failed = relocationFinding('handoff.transport_failed', `the transport ${endInWords(end)}`)
  return { ...verdict, findings: [...said, failed] }
}

const refused = (...said: Parameters<typeof relocationFinding>) => ({
  findings: [relocationFinding(...said)],
  witnessRefs: [],
})

/**
 * What was judged is opened again before the issue closes, since a crash may lie between. The first
 * ref that cannot be; `undefined` also where the work stayed here.
 */
export async function lostEvidence(
  harness: Harness,
  refs: readonly string[],
): Promise<string | undefined> {
  if (!refs.some(isRelocationRef)) return undefined
  for (const ref of refs) if ((await openRef(ref, harness)) !== 'verified') return ref
  return undefined
}

/**
 * Why a yes from elsewhere does not count any more: the issue or the policy is not what was sent.
 * `undefined` also where the work stayed here.
 */
export async function changedSince(
  { store, policyDigestNow, sha256 }: Harness,
  issueId: string,
  sent: SentTerms | undefined,
): Promise<IssueRefusal | undefined> {
  const issue = sent && (await store.read()).get(issueId)
  if (!issue) return undefined
  const mutationPolicyDigest = await policyDigestNow()
  const changed = changedTerm(sent, { issue, mutationPolicyDigest }, sha256)
  if (changed === undefined) return undefined
  return refuse(
    'close_proof_stale',
    `${changed} has changed since it was sent to be checked elsewhere`,
    `Have it checked there again: premath harness-step --issue ${issueId}.`,
  )
}

async function writeInputs(
  harness: Harness,
  { journal, issue, evidence }: RelocatedWork,
  destination: string,
): Promise<SentRelocation> {
  const { root, disk, sha256, policy, proofs } = harness
  const sent = relocationOf(
    {
      destination,
      issueId: issue.id,
      issueDigest: issueDigestOf(issue, sha256),
      stepId: journal.stepId,
      fence: journal.fence,
      lineageRefs: [...lineageOf(harness, issue.id)],
      treeDigest: await proofs.tree(),
      mutationPolicyDigest: policy.mutationPolicyDigest as Relocation['mutationPolicyDigest'],
      turnDigests: [...evidence.turnDigests] as Relocation['turnDigests'],
    },
    sha256,
  )
  await makeOwnFolder(`${root}/${relocationFolder}`, disk)
  await disk.replaceLoosely(inputsPath(harness, sent), new TextEncoder().encode(sent.text))
  return sent
}

const inputsPath = ({ root }: Harness, { digest }: SentRelocation) =>
  `${root}/${relocationFile(digest)}`

const answersName = 'relocation.ndjson'

async function runTransport(
  harness: Harness,
  command: string,
  sent: SentRelocation,
  run: CommandRun,
): Promise<RanCommand> {
  const answers = run.folder.file(answersName)
  // What lies there from another time says nothing of this one.
  await harness.disk.remove(answers)
  const env = transportEnvironment(run.env, { inputs: inputsPath(harness, sent), answers })
  return await runCommand(harness, 'transport', command, { ...run, env })
}

/** Two documents of a few hundred bytes each, with room for what others add. */
const answersBytesMax = 1024 * 1024

async function judgeFile(
  { root, disk, sha256 }: Harness,
  folder: StepFolder,
  sent: SentRelocation,
): Promise<AnswersVerdict> {
  // It reads by a schema, which a step whose work stays here does without.
  const { judgeAnswers } = await import('../../kernel/harness/relocation/relocation-answers.ts')
  const path = folder.file(answersName)
  if (!(await disk.entry(path))) return judgeAnswers('', sent, sha256)
  const read = await readPlain(path, { root, disk }, answersBytesMax)
  if ('text' in read) return judgeAnswers(read.text, sent, sha256)
  return refused('handoff.evidence_invalid', `the answers cannot be read: ${read.why}`)
}

/** A no is kept like a yes: somebody will ask why. */
async function keepAnswers(
  { root, disk, sha256 }: Harness,
  folder: StepFolder,
  { outcome, witness }: AnswersVerdict,
): Promise<readonly string[]> {
  const refs: string[] = []
  if (outcome) refs.push(await folder.write('transport.json', outcome))
  if (witness) {
    await writeWitness('relocation', witness, { root, disk, sha256 })
    refs.push(checkedRef(witnessDigest(witness, sha256)))
  }
  return refs
}

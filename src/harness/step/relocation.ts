/**
 * Relocation of work (HARNESS-RUNTIME §1.2): premath writes the inputs, the transport command
 * carries them to another location, and premath checks the answers here. It changes no issue; the
 * step closes its issue as usual.
 */
import { continueCommand } from '../../kernel/harness/lease-handoff.ts'
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
import {
  checkedRef,
  isRelocationRef,
  relocationRef,
} from '../../kernel/harness/step/witness-ref.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { witnessDigest } from '../../kernel/proof/witness.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { readPlain } from '../../store/plain-file.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import type { Relocation } from '../../wire/relocation/relocation.ts'
import type { ChangeAuthority, EvidenceVerdict, Harness } from '../harness.ts'
import { type CommandRun, describeEnd, type RanCommand, runCommand } from './command.ts'
import { lineageOf } from './commit-step.ts'
import { openRef, type StepFolder } from './step-folder.ts'
import { transportEnvironment } from './work-environment.ts'

/** Carries inputs to another location and returns the verdict from there. */
export interface Transport {
  readonly command: string
  readonly timeoutMs: number
}

interface RelocatedWork {
  readonly journal: StepJournal
  readonly issue: Issue
  readonly evidence: EvidenceVerdict
}

export interface Relocated {
  /** Empty if the location accepted the work. */
  readonly findings: readonly RelocationFinding[]
  readonly witnessRefs: readonly string[]
  /** The relocation that was sent. Its tree is the verified one. */
  readonly sent?: Relocation
  /** The transport command, if one ran. */
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
    const message = `the turns name two locations: ${destination} and ${another}`
    return refused('handoff.destination_ambiguous', message)
  }
  const sent = await writeInputs(harness, work, destination)
  const { relocation } = sent
  const inputsRef = relocationRef(sent.digest)
  if (transport === undefined) {
    const message = `a turn names the location ${destination}, but there is no transport: pass --transport-cmd`
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

/** If a check came back, its findings may explain why the transport failed, so they are kept. */
function withFailure(verdict: AnswersVerdict, { failure, end }: RanCommand): AnswersVerdict {
  if (!failure) return verdict
  const findings = verdict.witness ? verdict.findings : []
  const failed = relocationFinding(
    'handoff.transport_failed',
    `the transport command ${describeEnd(end)}`,
  )
  return { ...verdict, findings: [...findings, failed] }
}

const refused = (...finding: Parameters<typeof relocationFinding>) => ({
  findings: [relocationFinding(...finding)],
  witnessRefs: [],
})

/**
 * Verifies the refs again before the issue closes, because a crash may have happened since. Returns
 * the first ref that fails. Returns `undefined` also for work without a relocation.
 */
export async function missingEvidence(
  harness: Harness,
  refs: readonly string[],
): Promise<string | undefined> {
  if (!refs.some(isRelocationRef)) return undefined
  for (const ref of refs) if ((await openRef(ref, harness)) !== 'verified') return ref
  return undefined
}

/**
 * Returns a refusal if the issue or the policy changed after it was sent, which makes the remote
 * verdict stale.
 * Returns `undefined` also for work without a relocation.
 */
export async function changedSince(
  { store, sha256, workerId }: Harness,
  passage: ChangeAuthority,
  issueId: string,
  sent: SentTerms | undefined,
): Promise<IssueRefusal | undefined> {
  const issue = sent && (await store.read()).get(issueId)
  if (!issue) return undefined
  const { mutationPolicyDigest } = await passage.policy()
  const changed = changedTerm(sent, { issue, mutationPolicyDigest }, sha256)
  if (changed === undefined) return undefined
  return refuse(
    'close_proof_stale',
    `${changed} has changed since it was sent to be checked elsewhere`,
    checkAgain(issueId, workerId),
  )
}

export const checkAgain = (issueId: string, workerId: string): string =>
  `Check it there again: ${continueCommand(issueId, workerId)} --transport-cmd '<command>'.`

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
  await makeGitignoredFolder(`${root}/${relocationFolder}`, disk)
  await disk.replaceLoosely(inputsPath(harness, sent), new TextEncoder().encode(sent.text))
  return sent
}

const inputsPath = ({ root }: Harness, { digest }: SentRelocation) =>
  `${root}/${relocationFile(digest)}`

export const answersName = 'relocation.ndjson'

async function runTransport(
  harness: Harness,
  command: string,
  sent: SentRelocation,
  run: CommandRun,
): Promise<RanCommand> {
  const answers = run.folder.file(answersName)
  // Answers of an earlier attempt must not count for this one.
  await harness.disk.remove(answers)
  const env = transportEnvironment(run.env, { inputs: inputsPath(harness, sent), answers })
  return await runCommand(harness, 'transport', command, { ...run, env })
}

/** Enough for two documents of a few hundred bytes and unknown members. */
const answersBytesMax = 1024 * 1024

async function judgeFile(
  { root, disk, sha256 }: Harness,
  folder: StepFolder,
  sent: SentRelocation,
): Promise<AnswersVerdict> {
  // Imported late, because it loads a schema that most steps do not need.
  const { judgeAnswers } = await import('../../kernel/harness/relocation/relocation-answers.ts')
  const path = folder.file(answersName)
  if (!(await disk.entry(path))) return judgeAnswers('', sent, sha256)
  const read = await readPlain(path, { root, disk }, answersBytesMax)
  if ('text' in read) return judgeAnswers(read.text, sent, sha256)
  return refused('handoff.evidence_invalid', `the answers cannot be read: ${read.why}`)
}

/** Rejections are kept as well as acceptances. */
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

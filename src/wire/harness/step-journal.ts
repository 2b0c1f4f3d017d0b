import { Digest, GitId, NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { Relocation } from '../relocation/relocation.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  openRecord,
  optional,
  positive,
  record,
  text,
  union,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { RetryDecision } from './retry-decision.ts'
import { FoundRequest } from './step-request.ts'
import { StepCommand, StepEvidence, StepTurn } from './step-row.ts'

const kind = 'premath.harness.step_journal.v1'

const group = optional(
  openRecord({ id: whole, startedAt: text, mark: text }),
  'The process group of the running command, so that a recovery can end it.',
)

const head = {
  schema: literal(1),
  journalKind: literal(kind),
  workerId: NonEmpty,
  startedAt: Timestamp,
  sessionPath: about(NonEmpty, 'The session of the step, for a recovery.'),
  ledgerPath: NonEmpty,
  group,
}

/** The proof that the issue is done, and where it is stored. */
const FoundProof = openRecord({
  folder: about(NonEmpty, 'The project folder in the worktree whose tree is proven.'),
  treeDigest: about(text, 'Blank where the files could not be read.'),
  specs: about(list(NonEmpty), 'The specs that the issue named then.'),
  documents: list(record({ path: NonEmpty, sha256: Digest })),
  witnesses: list(NonEmpty),
  sent: optional(
    record({
      issueDigest: Relocation.members.issueDigest,
      mutationPolicyDigest: Relocation.members.mutationPolicyDigest,
    }),
    'Set after a relocation: the issue and policy that the location checked.',
  ),
})
export type FoundProof = ValueOf<typeof FoundProof>

/** The verified commit of a step, which is to land before its issue closes. */
const StepLanding = record({
  target: about(NonEmpty, 'The branch on which it lands.'),
  base: about(GitId, 'The commit that the target must be at.'),
  commit: GitId,
  tree: GitId,
  hooks: optional(flag, 'The repository’s hooks may refuse the change of the target.'),
})
export type StepLanding = ValueOf<typeof StepLanding>

/** The changes of an issue that a step can end with. */
const stepChanges = ['close', 'review', 'release', 'block', 'discover', 'keep'] as const
export type StepChange = (typeof stepChanges)[number]

const StepOutcome = openRecord({
  change: word(stepChanges),
  resultClass: NonEmpty,
  failureClasses: list(NonEmpty),
  summary: about(NonEmpty, 'The reason, for people.'),
  finishedAt: Timestamp,
  durationMs: count,
  commands: list(StepCommand),
  turn: optional(StepTurn),
  evidence: optional(StepEvidence),
  witnessRefs: Refs,
  joinWitness: optional(NonEmpty, 'The path of the verdict on the step’s own turn.'),
  proof: optional(FoundProof, 'Set if the issue is to be closed.'),
  landing: optional(StepLanding, 'Set if a commit lands before the issue is closed.'),
  decision: optional(RetryDecision, 'Set if the attempt failed.'),
  verifyCommand: optional(NonEmpty),
  sandbox: optional(SandboxMode),
})
export type StepOutcome = ValueOf<typeof StepOutcome>

/** A step that is under way. */
export const StepUnderWay = openRecord({
  ...head,
  stepId: NonEmpty,
  issueId: NonEmpty,
  leaseId: NonEmpty,
  fence: count,
  attempt: positive,
  instructionId: optional(NonEmpty, 'The instruction under which the step began.'),
  requests: optional(list(FoundRequest), 'What the work asked for, once it has ended.'),
  outcome: optional(StepOutcome, 'Set once the result is decided and is being applied.'),
})

const HeldIssue = record({ issueId: NonEmpty, fence: count })
export type HeldIssue = ValueOf<typeof HeldIssue>

/** The entry before a claim. */
export const ClaimUnderWay = record({
  ...head,
  held: about(
    list(HeldIssue),
    'What the worker holds already; whatever else it holds later is the claim’s.',
  ),
})

/** `.premath/steps/<worker>.jsonl`, there only while a step is under way, or the claim before it. */
export const StepJournalLine = artifact(
  kind,
  'What a step was doing, for whoever finds it.',
  union([StepUnderWay, ClaimUnderWay]),
)

type Head = 'schema' | 'journalKind'
export type StepJournal = Omit<ValueOf<typeof StepUnderWay>, Head>
export type ClaimJournal = Omit<ValueOf<typeof ClaimUnderWay>, Head>

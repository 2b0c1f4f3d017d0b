import { NonEmpty, Timestamp } from '../primitives.ts'
import { LandedCommit } from '../proof/proof-chain.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  type Members,
  nullable,
  optional,
  positive,
  record,
  text,
  type ValueOf,
  variant,
  word,
} from '../shape.ts'
import { attentionFacts } from './attention.ts'
import { Budget } from './budget.ts'

const kind = 'premath.harness.run_event.v1'

/** What a command is run for. */
export const phases = ['startup', 'work', 'verify', 'verify-again', 'transport', 'land'] as const
export type Phase = (typeof phases)[number]

/** Why an attempt does not begin. */
export const stopClasses = [
  'interrupted_by_signal',
  'issue_blocked',
  'issue_closed',
  'issue_missing',
  'lease_lost',
  'policy_changed',
  'run_draining',
  'run_paused',
] as const
export type StopClass = (typeof stopClasses)[number]

/** What becomes of a step that was cut off. */
const recoveries = ['finished', 'undone', 'lost', 'waiting'] as const
export type Recovery = (typeof recoveries)[number]

const runEndWhys = [
  'done',
  'idle',
  'budget',
  'stopped',
  'drained',
  'cycle',
  'environment',
  'failed',
] as const
export type RunEndWhy = (typeof runEndWhys)[number]

/** What a person may ask of a run. */
const requests = ['pause', 'drain'] as const
export type RunRequest = (typeof requests)[number]

const head = { schema: literal(1), runEventKind: literal(kind), at: Timestamp }
export type RunEventHead = keyof typeof head

/** An event that is about one worker. */
const ofWorker = <const Name extends string, const M extends Members>(event: Name, members: M) =>
  record({ ...head, event: literal(event), workerId: NonEmpty, ...members })

/** One that is about the whole run. */
const ofRun = <const Name extends string, const M extends Members>(event: Name, members: M) =>
  record({ ...head, event: literal(event), ...members })

const lease = { issueId: NonEmpty, leaseExpiresAt: Timestamp }

const phase = word(phases)

/** Not at the start of a worker, which has none yet. */
const ofIssue = { issueId: optional(NonEmpty) }

export const FailedIssue = record({
  issueId: NonEmpty,
  stepId: NonEmpty,
  resultClass: NonEmpty,
  failureClasses: list(NonEmpty),
  summary: NonEmpty,
})
export type FailedIssue = ValueOf<typeof FailedIssue>

/** One line of `premath harness-loop worker|coordinator --json`. */
export const RunEvent = artifact(
  kind,
  'What goes on in a run of the loop, as it happens.',
  variant('event', [
    ofRun('run.started', {
      runId: NonEmpty,
      workers: list(record({ workerId: NonEmpty, worktree: NonEmpty })),
      parallel: about(positive, 'How many work at the same time.'),
      open: about(count, 'Issues that are not closed.'),
      budget: Budget,
    }),
    ofRun('pass', {
      pass: positive,
      sent: about(list(NonEmpty), 'Workers that there was something for.'),
    }),
    ofRun('attention', attentionFacts),
    ofRun('request', {
      request: about(
        word([...requests, 'resume']),
        '`pause`: no step starts until `resume`; `drain`: none starts any more.',
      ),
    }),
    ofRun('run.ended', {
      runId: NonEmpty,
      why: about(
        word(runEndWhys),
        '`done`: nothing is left; `idle`: nothing that is left can be taken; `drained`: a person asked for the end; `environment`: a command could not run.',
      ),
      closed: list(NonEmpty),
      inReview: optional(list(NonEmpty), 'Those whose verified work waits on its branch.'),
      failed: list(FailedIssue),
      parked: optional(
        list(FailedIssue),
        'Those whose verified work waits for a person to land it.',
      ),
      refused: about(list(FailedIssue), 'Those that a gate rejected.'),
      lost: about(
        list(FailedIssue),
        'Those whose lease was lost before they were done: somebody else may have them.',
      ),
      steps: count,
      budget: Budget,
      attention: about(count, 'Matters for a person to look at.'),
      left: nullable(count, 'Issues that are not closed; null where nobody can tell.'),
      milliseconds: count,
      lacking: optional(
        record({ target: NonEmpty, issues: list(NonEmpty) }),
        'Closed issues whose work the target lacks, and no other branch has.',
      ),
      nextStep: NonEmpty,
      request: optional(word(requests), 'What a person had asked of the run when it ended.'),
    }),
    ofWorker('worker.ended', { why: word(['sent_home', 'quit']), message: optional(NonEmpty) }),
    ofWorker('note', { message: NonEmpty }),
    ofWorker('recovered', {
      stepId: NonEmpty,
      issueId: NonEmpty,
      how: word(recoveries),
      resultClass: NonEmpty,
    }),
    ofWorker('claimed', {
      ...lease,
      title: text,
      leaseId: NonEmpty,
      fence: count,
      takenOverFrom: optional(NonEmpty, 'Whose lease ran out on it.'),
    }),
    ofWorker('phase', { phase, command: NonEmpty, ...ofIssue }),
    ofWorker('quiet', { phase, seconds: count, ...ofIssue }),
    ofWorker('lease.renewed', lease),
    ofWorker('lease.ending', lease),
    ofWorker('attempt.ended', {
      stepId: NonEmpty,
      issueId: NonEmpty,
      attempt: positive,
      resultClass: NonEmpty,
      failureClasses: list(NonEmpty),
      summary: NonEmpty,
      durationMs: count,
      nextStep: NonEmpty,
      landed: optional(LandedCommit, 'The commit that landed before the issue closed.'),
      exitCode: optional(nullable(count), 'Of the failed command; null if a signal ended it.'),
      lastLines: optional(
        list(text, { most: 20 }),
        'The end of the output of the failed command, or the findings of the gate.',
      ),
      outputRef: optional(NonEmpty, 'The file or the folder with the whole output.'),
    }),
    ofWorker('restacked', {
      issueId: about(NonEmpty, 'Its commit is made and verified again, on another base.'),
    }),
    ofWorker('waiting', { issueId: NonEmpty, milliseconds: count }),
    ofWorker('attempt.dropped', {
      issueId: NonEmpty,
      why: word([...stopClasses, 'memory_busy', 'worktree_gone']),
    }),
  ]),
)
export type RunEventDocument = ValueOf<typeof RunEvent>

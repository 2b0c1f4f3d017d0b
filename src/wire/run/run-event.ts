import { z } from 'zod'
import { NonEmpty, Timestamp } from '../primitives.ts'
import { attentionFacts } from './attention.ts'
import { Budget } from './budget.ts'
import { phases, recoveries, runEndWhys } from './run-words.ts'

const kind = 'premath.harness.run_event.v1'

const head = { schema: z.literal(1), runEventKind: z.literal(kind), at: Timestamp }

const Count = z.int().nonnegative()

/** An event that is about one worker. */
const ofWorker = <Name extends string, Shape extends z.ZodRawShape>(event: Name, shape: Shape) =>
  z.strictObject({ ...head, event: z.literal(event), workerId: NonEmpty, ...shape })

/** One that is about the whole run. */
const ofRun = <Name extends string, Shape extends z.ZodRawShape>(event: Name, shape: Shape) =>
  z.strictObject({ ...head, event: z.literal(event), ...shape })

const lease = { issueId: NonEmpty, leaseExpiresAt: Timestamp }

const phase = z.enum(phases)

/** Not at the start of a worker, which has none yet. */
const ofIssue = { issueId: NonEmpty.optional() }

const FailedIssue = z.strictObject({
  issueId: NonEmpty,
  stepId: NonEmpty,
  resultClass: NonEmpty,
  failureClasses: z.array(NonEmpty),
  summary: NonEmpty,
})

/** One line of `premath harness-loop worker|coordinator --json`. */
export const RunEvent = z
  .discriminatedUnion('event', [
    ofRun('run.started', {
      runId: NonEmpty,
      workers: z.array(z.strictObject({ workerId: NonEmpty, worktree: NonEmpty })),
      parallel: z.int().positive().describe('How many work at the same time.'),
      open: Count.describe('Issues that are not closed.'),
      budget: Budget,
    }),
    ofRun('worktree', {
      path: NonEmpty,
      state: NonEmpty.describe('Made, there, removed or kept.'),
    }),
    ofRun('pass', {
      pass: z.int().positive(),
      sent: z.array(NonEmpty).describe('Workers that there was something for.'),
    }),
    ofRun('attention', attentionFacts),
    ofRun('run.ended', {
      runId: NonEmpty,
      why: z
        .enum(runEndWhys)
        .describe('`done`: nothing is left; `idle`: nothing that is left can be taken.'),
      closed: z.array(NonEmpty),
      failed: z.array(FailedIssue),
      refused: z.array(FailedIssue).describe('Those that a gate said no to.'),
      lost: z
        .array(FailedIssue)
        .describe('Those whose lease was lost before they were done: somebody else may have them.'),
      steps: Count,
      budget: Budget,
      attention: Count.describe('Matters for a person to look at.'),
      left: Count.nullable().describe('Issues that are not closed; null where nobody can tell.'),
      milliseconds: Count,
      nextStep: NonEmpty,
    }),
    ofWorker('worker.ended', { why: z.enum(['sent_home', 'quit']), message: NonEmpty.optional() }),
    ofWorker('note', { message: NonEmpty }),
    ofWorker('recovered', {
      stepId: NonEmpty,
      issueId: NonEmpty,
      how: z.enum(recoveries),
      resultClass: NonEmpty,
    }),
    ofWorker('claimed', {
      ...lease,
      title: z.string(),
      leaseId: NonEmpty,
      fence: Count,
      takenOverFrom: NonEmpty.optional().describe('Whose lease ran out on it.'),
    }),
    ofWorker('phase', { phase, command: NonEmpty, ...ofIssue }),
    ofWorker('quiet', { phase, seconds: Count, ...ofIssue }),
    ofWorker('lease.renewed', lease),
    ofWorker('lease.ending', lease),
    ofWorker('attempt.ended', {
      stepId: NonEmpty,
      issueId: NonEmpty,
      attempt: z.int().positive(),
      resultClass: NonEmpty,
      failureClasses: z.array(NonEmpty),
      summary: NonEmpty,
      durationMs: Count,
      nextStep: NonEmpty,
    }),
    ofWorker('waiting', { issueId: NonEmpty, milliseconds: Count }),
    ofWorker('attempt.dropped', {
      issueId: NonEmpty,
      why: z.enum(['interrupted_by_signal', 'lease_lost', 'memory_busy', 'worktree_gone']),
    }),
  ])
  .meta({ title: kind, description: 'What goes on in a run of the loop, as it happens.' })

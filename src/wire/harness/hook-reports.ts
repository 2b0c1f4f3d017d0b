import { z } from 'zod'
import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { Bootstrap } from './bootstrap.ts'
import { Command, StepRow, Turn } from './step-row.ts'

const bootKind = 'premath.harness.boot.v1'

const Target = z.strictObject({
  issueId: NonEmpty,
  priority: z.int(),
  title: z.string(),
  why: z.enum(['held', 'ready', 'reclaim']),
})

const Reason = z.strictObject({ why: NonEmpty, next: NonEmpty })

const Recovered = z.strictObject({
  how: z.enum(['finished', 'undone', 'lost', 'waiting']),
  issueId: NonEmpty,
  resultClass: NonEmpty,
  stepId: NonEmpty,
})

/** What `premath harness-boot` prints, and a step says of its start. */
export const BootReport = z
  .looseObject({
    bootKind: z.literal(bootKind),
    bootstrap: Bootstrap.omit({ action: true }),
    diagnostics: z.strictObject({
      graphScope: z.literal('active'),
      hasCycle: z.boolean(),
      cyclePath: z.array(NonEmpty).nullable(),
    }),
    failureClasses: z.array(NonEmpty),
    memoryRoots: z.array(z.strictObject({ path: NonEmpty, present: z.boolean() })),
    reasons: z.array(Reason),
    recovered: Recovered.nullable(),
    alsoRecovered: z.array(Recovered),
    refs: z.array(
      z.strictObject({
        ref: NonEmpty,
        state: z.enum(['verified', 'missing', 'changed', 'elsewhere']),
      }),
    ),
    result: z.enum(['accepted', 'rejected']),
    snapshot: z.enum(['same', 'moved', 'unknown']),
    startup: Command.nullable(),
    target: Target.nullable(),
    warnings: z.array(Reason),
  })
  .meta({ title: bootKind, description: 'Where things stand, and what comes next.' })

const stepReportKind = 'premath.harness.step_report.v1'

/** What `premath harness-step` prints. */
export const StepReport = z
  .strictObject({
    action: z.literal('harness-step'),
    attempts: z.array(StepRow),
    boot: BootReport,
    claimed: z.boolean(),
    createdIssueId: NonEmpty.nullable(),
    failureClasses: z.array(NonEmpty),
    issueId: NonEmpty.nullable(),
    result: z.enum(['completed', 'failed', 'rejected', 'idle']),
    stepReportKind: z.literal(stepReportKind),
    summary: NonEmpty.nullable(),
  })
  .meta({ title: stepReportKind, description: 'What one step came to.' })

const journalKind = 'premath.harness.step_journal.v1'

const journalHead = {
  schema: z.literal(1),
  journalKind: z.literal(journalKind),
  workerId: NonEmpty,
  startedAt: Timestamp,
  sessionPath: NonEmpty,
  ledgerPath: NonEmpty,
}

const Fence = z.int().nonnegative()

const StepUnderWay = z.looseObject({
  ...journalHead,
  stepId: NonEmpty,
  issueId: NonEmpty,
  leaseId: NonEmpty,
  fence: Fence,
  attempt: z.int().positive(),
  group: z.looseObject({ id: z.int(), startedAt: z.string(), mark: z.string() }).optional(),
  outcome: z
    .looseObject({
      change: z.enum(['close', 'release', 'block', 'discover', 'keep']),
      resultClass: NonEmpty,
      failureClasses: z.array(NonEmpty),
      summary: NonEmpty,
      finishedAt: Timestamp,
      durationMs: z.int().nonnegative(),
      commands: z.array(Command),
      turn: Turn.optional(),
      witnessRefs: Refs,
    })
    .optional(),
})

const ClaimUnderWay = z.strictObject({
  ...journalHead,
  held: z
    .array(z.strictObject({ issueId: NonEmpty, fence: Fence }))
    .describe('What the worker holds already; whatever else it holds later is the claim’s.'),
})

/** `.premath/steps/<worker>.jsonl`, there only while a step is under way, or the claim before it. */
export const StepJournal = z
  .union([StepUnderWay, ClaimUnderWay])
  .meta({ title: journalKind, description: 'What a step was doing, for whoever finds it.' })

import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  positive,
  record,
  text,
  union,
  whole,
  word,
} from '../shape.ts'
import { Bootstrap } from './bootstrap.ts'
import { Command, StepRow, Turn } from './step-row.ts'

const bootKind = 'premath.harness.boot.v1'

const Target = record({
  issueId: NonEmpty,
  priority: whole,
  title: text,
  why: word(['held', 'ready', 'reclaim']),
})

const Reason = record({ why: NonEmpty, next: NonEmpty })

const Recovered = record({
  how: word(['finished', 'undone', 'lost', 'waiting']),
  issueId: NonEmpty,
  resultClass: NonEmpty,
  stepId: NonEmpty,
})

const { action: _printedAlone, ...bootstrapOfBoot } = Bootstrap.members

/** What `premath harness-boot` prints, and a step says of its start. */
export const BootReport = artifact(
  bootKind,
  'Where things stand, and what comes next.',
  openRecord({
    bootKind: literal(bootKind),
    bootstrap: record(bootstrapOfBoot),
    diagnostics: record({
      graphScope: literal('active'),
      hasCycle: flag,
      cyclePath: nullable(list(NonEmpty)),
    }),
    failureClasses: list(NonEmpty),
    memoryRoots: list(record({ path: NonEmpty, present: flag })),
    reasons: list(Reason),
    recovered: nullable(Recovered),
    alsoRecovered: list(Recovered),
    refs: list(
      record({
        ref: NonEmpty,
        state: word(['verified', 'missing', 'changed', 'elsewhere']),
      }),
    ),
    result: word(['accepted', 'rejected']),
    snapshot: word(['same', 'moved', 'unknown']),
    startup: nullable(Command),
    target: nullable(Target),
    warnings: list(Reason),
  }),
)

const stepReportKind = 'premath.harness.step_report.v1'

/** What `premath harness-step` prints. */
export const StepReport = artifact(
  stepReportKind,
  'What one step came to.',
  record({
    action: literal('harness-step'),
    attempts: list(StepRow),
    boot: BootReport,
    claimed: flag,
    createdIssueId: nullable(NonEmpty),
    failureClasses: list(NonEmpty),
    issueId: nullable(NonEmpty),
    result: word(['completed', 'failed', 'rejected', 'idle']),
    stepReportKind: literal(stepReportKind),
    summary: nullable(NonEmpty),
  }),
)

const journalKind = 'premath.harness.step_journal.v1'

const journalHead = {
  schema: literal(1),
  journalKind: literal(journalKind),
  workerId: NonEmpty,
  startedAt: Timestamp,
  sessionPath: NonEmpty,
  ledgerPath: NonEmpty,
}

const Fence = count

const StepUnderWay = openRecord({
  ...journalHead,
  stepId: NonEmpty,
  issueId: NonEmpty,
  leaseId: NonEmpty,
  fence: Fence,
  attempt: positive,
  group: optional(openRecord({ id: whole, startedAt: text, mark: text })),
  outcome: optional(
    openRecord({
      change: word(['close', 'release', 'block', 'discover', 'keep']),
      resultClass: NonEmpty,
      failureClasses: list(NonEmpty),
      summary: NonEmpty,
      finishedAt: Timestamp,
      durationMs: count,
      commands: list(Command),
      turn: optional(Turn),
      witnessRefs: Refs,
    }),
  ),
})

const ClaimUnderWay = record({
  ...journalHead,
  held: about(
    list(record({ issueId: NonEmpty, fence: Fence })),
    'What the worker holds already; whatever else it holds later is the claim’s.',
  ),
})

/** `.premath/steps/<worker>.jsonl`, there only while a step is under way, or the claim before it. */
export const StepJournal = artifact(
  journalKind,
  'What a step was doing, for whoever finds it.',
  union([StepUnderWay, ClaimUnderWay]),
)

import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  positive,
  record,
  text,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { Bootstrap } from './bootstrap.ts'
import { TakenRequest } from './step-request.ts'
import { StepCommand, StepRow } from './step-row.ts'

const bootKind = 'premath.harness.boot.v1'

const Target = record({
  issueId: NonEmpty,
  priority: whole,
  title: text,
  why: word(['held', 'ready', 'reclaim']),
})

const Reason = record({ why: NonEmpty, next: NonEmpty })

export const Recovered = record({
  how: word(['finished', 'undone', 'lost', 'waiting']),
  issueId: NonEmpty,
  resultClass: NonEmpty,
  stepId: NonEmpty,
})

const { action: _printedAlone, ...bootstrapOfBoot } = Bootstrap.members

/** What `premath harness-boot` prints, and a step says of its start. */
export const BootReport = artifact(
  bootKind,
  'The state of the project and the next issue.',
  openRecord({
    action: optional(literal('harness-boot'), 'Absent in the report of a step.'),
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
    startup: nullable(StepCommand),
    scope: nullable(
      record({
        how: word(['startup', 'verify', 'specs', 'none']),
        passed: flag,
        specs: list(NonEmpty),
        errors: list(NonEmpty),
        witnessRef: NonEmpty,
      }),
      'What was verified before work starts; null in a step without a start-up command.',
    ),
    observation: optional(
      record({
        evaluatedAt: nullable(text),
        state: nullable(text),
        needsAttention: flag,
        attentionReasons: list(NonEmpty),
        unreadable: nullable(text, 'Why the file is no surface.'),
      }),
      'What the last observation says. Evidence only; absent without one, and in a step.',
    ),
    target: nullable(Target),
    passedOver: about(
      list(record({ issueId: NonEmpty, failureClass: NonEmpty })),
      'Better issues that this worker may not claim, at most 20, each with its class.',
    ),
    passedOverCount: whole,
    warnings: list(Reason),
  }),
)

const stepReportKind = 'premath.harness.step_report.v1'

/** What `premath harness-step` prints. */
export const StepReport = artifact(
  stepReportKind,
  'The result of one step.',
  record({
    action: literal('harness-step'),
    attempts: list(StepRow),
    boot: BootReport,
    claimed: flag,
    createdIssueId: nullable(NonEmpty),
    error: optional(record({ code: NonEmpty, message: NonEmpty, hint: optional(NonEmpty) })),
    exitCode: optional(positive),
    failureClasses: list(NonEmpty),
    issueId: nullable(NonEmpty),
    notes: about(
      list(NonEmpty),
      'What the work did that was left out, and requests that were dropped.',
    ),
    requests: about(list(TakenRequest), 'What the work asked for, in all attempts.'),
    lastLines: about(
      list(text, { most: 20 }),
      'The end of the output of the failed command, or the findings of the gate.',
    ),
    outputRef: nullable(NonEmpty, 'The file or the folder with the whole output.'),
    result: word(['completed', 'failed', 'rejected', 'idle']),
    stepReportKind: literal(stepReportKind),
    summary: nullable(NonEmpty),
  }),
)
export type BootReportDocument = ValueOf<typeof BootReport>

import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'

const Count = z.int().nonnegative()
const Line = z.int().positive().describe('From 1.')

const Category = z
  .enum(['schema', 'assertion', 'runtime'])
  .nullable()
  .describe('Whose fault a failure is: the author’s, what was tested, or the run’s.')

/** What is wrong with a document or a case, at its place. */
const SpecProblem = z.strictObject({
  code: NonEmpty,
  severity: z.enum(['error', 'warning']),
  message: NonEmpty,
  hint: NonEmpty.optional(),
  file: z.string(),
  line: Line,
  column: Line,
})

const Milliseconds = z.number().nonnegative()
const Status = z.enum(['pass', 'fail', 'skip'])

const SpecAttempt = z.strictObject({
  status: Status,
  durationMs: Milliseconds,
  message: z.string().nullable(),
})

/** What was done for a case. No value of the environment is in it. */
const SpecCaseTrace = z.strictObject({
  chain: z.array(
    z.strictObject({
      stepId: NonEmpty,
      caseId: NonEmpty,
      document: NonEmpty,
      status: Status,
      waitedMs: Milliseconds.describe('0 where it had run for another case already.'),
    }),
  ),
  commands: z.array(
    z.strictObject({
      name: NonEmpty.describe('What it was to the case: cli.run, hook_before or hook_after.'),
      words: z.array(z.string()),
      exitCode: z.int().nullable().describe('Null where there is none to judge.'),
      why: NonEmpty.optional().describe('Why there is none.'),
      durationMs: Milliseconds,
      stdoutBytes: Count,
      stderrBytes: Count,
    }),
  ),
  predicates: z.array(
    z.strictObject({
      assertPath: NonEmpty,
      target: NonEmpty,
      op: NonEmpty,
      verdict: z.enum(['holds', 'fails', 'error']),
      subject: z.string().describe('What it looked at, shortened.'),
    }),
  ),
})

const SpecCaseTimes = z.strictObject({
  compilingMs: Milliseconds,
  chainMs: Milliseconds.describe('Waiting for its chain, and for its turn.'),
  effectsMs: Milliseconds.describe('Commands and files.'),
  assertionsMs: Milliseconds,
})

/** Where the time went. Cases run at the same time, so it adds up to more than the run took. */
const SpecProfile = SpecCaseTimes.extend({
  readingMs: Milliseconds,
  slowest: z.array(
    SpecCaseTimes.extend({
      id: NonEmpty,
      file: NonEmpty,
      line: Line,
      ownMs: Milliseconds.describe('Without the waiting.'),
    }),
  ),
})

const SpecCaseResult = z.strictObject({
  id: NonEmpty,
  type: z.string(),
  title: z.string(),
  file: NonEmpty,
  line: Line,
  column: Line,
  status: Status,
  category: Category,
  message: z.string().nullable(),
  hint: NonEmpty.optional().describe('What to do about it.'),
  at: z
    .strictObject({ line: Line, column: Line })
    .optional()
    .describe('Where in the document the failure is.'),
  assertPath: NonEmpty.optional().describe('The assertion that does not hold.'),
  target: NonEmpty.optional(),
  op: NonEmpty.optional(),
  assertions: Count.describe('How many predicates were decided.'),
  warnings: z.array(NonEmpty),
  chain: z
    .array(
      z.strictObject({
        step_id: NonEmpty,
        ref_case_id: NonEmpty,
        ref_doc_path: NonEmpty,
        status: Status,
      }),
    )
    .describe('What its chain ran.'),
  durationMs: Milliseconds,
  attempts: z.array(SpecAttempt).optional().describe('Where it was run more than once.'),
  flaky: z.literal(true).optional().describe('It passed and it failed.'),
  trace: SpecCaseTrace.optional(),
})

/** What `spec run` answers. */
export const SpecReport = z
  .strictObject({
    action: z.literal('spec.run'),
    result: z.enum(['accepted', 'rejected']),
    total: Count,
    passed: Count,
    failed: Count,
    skipped: Count,
    notRun: Count.describe(
      'Cases that were not decided, because another failed or the run was stopped.',
    ),
    flaky: Count.optional().describe('Of those that passed or failed, where there are any.'),
    durationMs: Milliseconds,
    shard: z
      .strictObject({ index: z.int().positive(), count: z.int().positive() })
      .optional()
      .describe('Which part of the cases this is.'),
    changed: z.array(z.string()).optional().describe('Why they were run again.'),
    results: z.array(SpecCaseResult).describe('In the order of the documents.'),
    problems: z.array(SpecProblem).describe('Why documents, or parts of them, were not read.'),
    witness: NonEmpty.nullable()
      .optional()
      .describe('Where the witness lies, from the project’s folder; null where none was left.'),
    profile: SpecProfile.optional(),
  })
  .meta({
    title: 'premath.spec.report.v1',
    description: 'What came of a run of specs, case by case.',
  })

const SpecOutcome = z.strictObject({
  status: Status,
  category: Category,
})

/** What `spec conform` answers. */
export const SpecConformance = z
  .strictObject({
    action: z.literal('spec.conform'),
    result: z.enum(['accepted', 'rejected']),
    implementation: NonEmpty.describe('Whose expectations the cases were judged by.'),
    agreed: Count,
    total: Count,
    results: z.array(
      z.strictObject({
        id: NonEmpty,
        file: NonEmpty,
        line: Line,
        agreed: z.boolean(),
        expected: SpecOutcome.extend({ messageTokens: z.array(z.string()) }).nullable(),
        actual: SpecOutcome.extend({ message: z.string().nullable() }),
        disagreements: z.array(NonEmpty),
      }),
    ),
    problems: z.array(SpecProblem),
  })
  .meta({
    title: 'premath.spec.conformance.v1',
    description: 'Whether cases ended as they themselves expect, for one implementation.',
  })

export type SpecCaseTrace = z.infer<typeof SpecCaseTrace>
export type SpecCaseTimes = z.infer<typeof SpecCaseTimes>
export type SpecProfile = z.infer<typeof SpecProfile>
export type SpecCaseResult = z.infer<typeof SpecCaseResult>
export type SpecReport = z.infer<typeof SpecReport>
export type SpecConformance = z.infer<typeof SpecConformance>

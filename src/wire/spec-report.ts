import { z } from 'zod'
import { NonEmpty } from './primitives.ts'

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

const SpecCaseResult = z.strictObject({
  id: NonEmpty,
  type: z.string(),
  title: z.string(),
  file: NonEmpty,
  line: Line,
  column: Line,
  status: z.enum(['pass', 'fail', 'skip']),
  category: Category,
  message: z.string().nullable(),
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
        status: z.enum(['pass', 'fail', 'skip']),
      }),
    )
    .describe('What its chain ran.'),
  durationMs: z.number().nonnegative(),
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
    notRun: Count.describe('Cases that were not begun, because another failed.'),
    durationMs: z.number().nonnegative(),
    results: z.array(SpecCaseResult).describe('In the order of the documents.'),
    problems: z.array(SpecProblem).describe('Why documents, or parts of them, were not read.'),
    witness: NonEmpty.nullable()
      .optional()
      .describe('Where the witness lies, from the project’s folder; null where none was left.'),
  })
  .meta({
    title: 'premath.spec.report.v1',
    description: 'What came of a run of specs, case by case.',
  })

const SpecOutcome = z.strictObject({
  status: z.enum(['pass', 'fail', 'skip']),
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

export type SpecCaseResult = z.infer<typeof SpecCaseResult>
export type SpecReport = z.infer<typeof SpecReport>
export type SpecConformance = z.infer<typeof SpecConformance>

import { NonEmpty } from '../primitives.ts'
import {
  about,
  amount,
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  optional,
  positive,
  record,
  text,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

const Line = about(positive, 'From 1.')

export const Category = nullable(
  word(['schema', 'assertion', 'runtime']),
  'Whose fault a failure is: the author’s, what was tested, or the run’s.',
)

/** What is wrong with a document or a case, at its place. */
export const SpecProblem = record({
  code: NonEmpty,
  severity: word(['error', 'warning']),
  message: NonEmpty,
  hint: optional(NonEmpty),
  file: text,
  line: Line,
  column: Line,
})

export const CaseStatus = word(['pass', 'fail', 'skip'])

const SpecAttempt = record({
  status: CaseStatus,
  durationMs: amount,
  message: nullable(text),
})

/** What was done for a case. No value of the environment is in it. */
const SpecCaseTrace = record({
  chain: list(
    record({
      stepId: NonEmpty,
      caseId: NonEmpty,
      document: NonEmpty,
      status: CaseStatus,
      waitedMs: about(amount, '0 where it had run for another case already.'),
    }),
  ),
  commands: list(
    record({
      name: about(NonEmpty, 'What it was to the case, such as cli.run or hook_before.'),
      words: list(text),
      exitCode: nullable(whole, 'Null where there is none to judge.'),
      why: optional(NonEmpty, 'Why there is none.'),
      durationMs: amount,
      stdoutBytes: count,
      stderrBytes: count,
    }),
  ),
  requests: list(
    record({
      name: about(NonEmpty, 'Its place in the case, such as requests[0]. A redirect has the same.'),
      method: NonEmpty,
      url: about(text, 'The address, or the file that was read instead.'),
      status: nullable(whole, 'Null where nothing answered.'),
      why: optional(NonEmpty, 'Why nothing answered.'),
      durationMs: amount,
      bodyBytes: about(count, 'The size of the response.'),
    }),
  ),
  predicates: list(
    record({
      assertPath: NonEmpty,
      target: NonEmpty,
      op: NonEmpty,
      verdict: word(['holds', 'fails', 'error']),
      subject: about(text, 'What it looked at, shortened.'),
    }),
  ),
})

const SpecCaseTimes = record({
  compilingMs: amount,
  chainMs: about(amount, 'Waiting for its chain, and for its turn.'),
  effectsMs: about(amount, 'Commands and files.'),
  assertionsMs: amount,
})

/** Where the time went. Cases run at the same time, so it adds up to more than the run took. */
const SpecProfile = record({
  ...SpecCaseTimes.members,
  readingMs: amount,
  slowest: list(
    record({
      ...SpecCaseTimes.members,
      id: NonEmpty,
      file: NonEmpty,
      line: Line,
      ownMs: about(amount, 'Without the waiting.'),
    }),
  ),
})

const SpecCaseResult = record({
  id: NonEmpty,
  type: text,
  title: text,
  file: NonEmpty,
  line: Line,
  column: Line,
  status: CaseStatus,
  category: Category,
  message: nullable(text),
  hint: optional(NonEmpty, 'What to do about it.'),
  at: optional(record({ line: Line, column: Line }), 'Where in the document the failure is.'),
  assertPath: optional(NonEmpty, 'The assertion that does not hold.'),
  target: optional(NonEmpty),
  op: optional(NonEmpty),
  diff: optional(text, 'The lines that differ, as diff -u prints them: - expected, + actual.'),
  operands: optional(
    list(record({ expression: NonEmpty, value: text })),
    'The operands of the failed expression with their values, shortened.',
  ),
  output: optional(
    record({ stdout: optional(text), stderr: optional(text), output: optional(text) }),
    'The end of what the command printed, where it failed or was ended; output: both streams together.',
  ),
  expectedFailure: optional(
    record({ category: Category, message: text }),
    'Why it failed, where it passes because its expect says that it fails.',
  ),
  disagreements: optional(list(NonEmpty), 'How the outcome differs from its expect.'),
  assertions: about(count, 'How many predicates were decided.'),
  warnings: list(NonEmpty),
  chain: about(
    list(
      record({
        step_id: NonEmpty,
        ref_case_id: NonEmpty,
        ref_doc_path: NonEmpty,
        status: CaseStatus,
      }),
    ),
    'What its chain ran.',
  ),
  durationMs: amount,
  attempts: optional(list(SpecAttempt), 'Where it was run more than once.'),
  flaky: optional(literal(true), 'It passed and it failed.'),
  trace: optional(SpecCaseTrace),
})

/** What `spec run` answers. */
export const SpecReport = artifact(
  'premath.spec.report.v1',
  'What came of a run of specs, case by case.',
  record({
    action: literal('spec.run'),
    result: word(['accepted', 'rejected']),
    total: count,
    passed: count,
    expectedFailures: optional(count, 'Of those that passed: failed as their expect says.'),
    failed: count,
    skipped: count,
    notRun: about(
      count,
      'Cases that were not decided, because another failed or the run was stopped.',
    ),
    flaky: optional(count, 'Of those that passed or failed, where there are any.'),
    durationMs: amount,
    shard: optional(
      record({ index: positive, count: positive }),
      'Which part of the cases this is.',
    ),
    changed: optional(list(text), 'Why they were run again.'),
    written: optional(list(NonEmpty), 'With --write: the paths of the files that cases wrote.'),
    results: about(list(SpecCaseResult), 'In the order of the documents.'),
    problems: about(list(SpecProblem), 'Why documents, or parts of them, were not read.'),
    witness: optional(
      nullable(NonEmpty),
      'Where the witness lies, from the project’s folder; null where none was left.',
    ),
    profile: optional(SpecProfile),
  }),
)

const SpecOutcome = record({
  status: CaseStatus,
  category: Category,
})

/** What `spec conform` answers. */
export const SpecConformance = artifact(
  'premath.spec.conformance.v1',
  'Whether cases ended as they themselves expect, for one implementation.',
  record({
    action: literal('spec.conform'),
    result: word(['accepted', 'rejected']),
    implementation: about(NonEmpty, 'Whose expectations the cases were judged by.'),
    agreed: count,
    total: count,
    results: list(
      record({
        id: NonEmpty,
        file: NonEmpty,
        line: Line,
        agreed: flag,
        expected: nullable(record({ ...SpecOutcome.members, messageTokens: list(text) })),
        actual: record({ ...SpecOutcome.members, message: nullable(text) }),
        disagreements: list(NonEmpty),
      }),
    ),
    problems: list(SpecProblem),
  }),
)

export type SpecAttempt = ValueOf<typeof SpecAttempt>
export type SpecProblem = ValueOf<typeof SpecProblem>
export type SpecCaseTrace = ValueOf<typeof SpecCaseTrace>
export type SpecCaseTimes = ValueOf<typeof SpecCaseTimes>
export type SpecProfile = ValueOf<typeof SpecProfile>
export type SpecCaseResult = ValueOf<typeof SpecCaseResult>
export type SpecReport = ValueOf<typeof SpecReport>
export type SpecConformance = ValueOf<typeof SpecConformance>

/** The answers of the spec commands that are no artifacts of their own. */
import {
  about,
  count,
  flag,
  list,
  literal,
  map,
  nullable,
  optional,
  positive,
  record,
  text,
  union,
  whole,
  word,
} from '../shape.ts'
import { CaseStatus, Category, SpecProblem } from '../spec/spec-report.ts'

const result = word(['accepted', 'rejected'])

const caseName = { id: text, file: text, line: positive } as const

export const SpecListAnswer = record({
  action: literal('spec.list'),
  count,
  cases: list(record({ ...caseName, type: text, title: text, tags: list(text) })),
  problems: list(SpecProblem),
})

export const SpecLintAnswer = record({
  action: literal('spec.lint'),
  documents: count,
  cases: count,
  errors: count,
  warnings: count,
  problems: list(SpecProblem),
})

export const SpecFormatAnswer = record({
  action: literal('spec.format'),
  result,
  documents: count,
  changed: list(text),
  left: about(list(record({ file: text, why: text })), 'Files that were not written.'),
  written: flag,
  text: optional(text, 'The formatted document of stdin.'),
  problems: list(SpecProblem),
})

export const SpecUpdateAnswer = record({
  action: literal('spec.update'),
  result,
  cases: count,
  failed: count,
  updated: list(record(caseName)),
  documents: list(
    record({
      file: text,
      diff: text,
      state: word(['shown', 'written', 'put_back', 'left']),
    }),
  ),
  refused: about(list(record({ ...caseName, why: list(text) })), 'Cases that stay as they are.'),
})

const created = {
  action: literal('spec.create'),
  id: text,
  file: nullable(text, 'null if the case was only printed.'),
  line: nullable(positive),
  block: about(text, 'The case as it stands in the document.'),
} as const

const recorded = {
  ...created,
  result,
  exitCode: whole,
  masks: list(text),
  message: nullable(text, 'Why the recorded case fails when it runs again.'),
} as const

/** Of a recorded command, of a console block, or of a request of curl. */
export const SpecCreateAnswer = union([
  record({
    ...recorded,
    loose: about(
      list(record({ from: text, text, why: word(['changed', 'too_long']) })),
      'Lines that the case does not compare.',
    ),
  }),
  record(recorded),
  record({
    ...created,
    result: literal('accepted'),
    status: nullable(whole, 'Of the response; null if the request was not sent.'),
    notSent: nullable(text, 'Why the request was not sent.'),
    variables: list(record({ name: text, isSecret: flag })),
  }),
])

export const SpecExplainAnswer = record({
  action: literal('spec.explain'),
  ...caseName,
  column: positive,
  title: text,
  type: text,
  problems: list(SpecProblem),
  chain: list(
    record({
      id: text,
      runs: list(text),
      exports: list(record({ name: text, from: text })),
      allowContinue: flag,
    }),
  ),
  before: about(list(text), 'Cases that run before it.'),
  requests: about(list(text), 'Its requests as commands of curl.'),
  targets: list(text),
  budget: nullable(
    record({
      maxDepth: count,
      maxLiteralBytes: count,
      maxNodes: count,
      maxSize: count,
      maxSteps: count,
      timeoutMs: count,
    }),
  ),
  capabilities: record({
    required: list(text),
    missing: list(text),
    whenMissing: word(['fail', 'skip']),
  }),
  predicates: list(
    record({
      assertPath: text,
      target: text,
      op: text,
      expression: text,
      joined: about(count, 'How many values fail only together.'),
      doubts: list(text),
    }),
  ),
  run: optional(
    record({
      status: CaseStatus,
      failedAsExpected: optional(literal(true)),
      category: Category,
      message: nullable(text),
      subjects: optional(map(text)),
      demands: optional(list(record({ name: text, expected: text, actual: text }))),
      failures: optional(list(nullable(text)), 'Of each predicate: why it fails, or null.'),
    }),
    'With --run.',
  ),
})

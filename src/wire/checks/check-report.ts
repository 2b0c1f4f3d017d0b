import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const Result = word(['accepted', 'rejected'])

const Finding = record({
  failureClass: NonEmpty,
  at: about(text, 'The file, with a line where there is one, or the name of the thing.'),
  message: NonEmpty,
  next: about(NonEmpty, 'How to fix it.'),
})
export type CheckFinding = ValueOf<typeof Finding>

/** One rule of a check, and how it came out. */
export const Obligation = record({
  obligationId: NonEmpty,
  result: Result,
  failureClasses: list(NonEmpty),
  details: record({
    means: about(NonEmpty, 'The rule in words.'),
    checkedCount: about(count, 'How many things the rule looked at.'),
    findingCount: count,
    findings: about(list(Finding), 'The first of them.'),
    note: optional(NonEmpty, 'Why the rule looked at less than everything.'),
  }),
})
export type Obligation = ValueOf<typeof Obligation>

const reportOf = <const Kind extends string, const Action extends string>(
  kind: Kind,
  action: Action,
) => {
  const members = {
    schema: literal(1),
    checkKind: literal(kind),
    action: literal(action),
    result: Result,
    failureClasses: about(list(NonEmpty), 'Of all obligations, each once.'),
    obligations: list(Obligation),
  }
  return record(members)
}

/** `premath ci-hygiene-check` answers it. */
export const HygieneReport = artifact(
  'premath.hygiene.v1',
  'Whether git tracks what it should, and no more.',
  reportOf('premath.hygiene.v1', 'ci-hygiene-check'),
)

/** `premath docs-coherence-check` answers it. */
export const DocsReport = artifact(
  'premath.docs_coherence.v1',
  'Whether the pages name what exists.',
  reportOf('premath.docs_coherence.v1', 'docs-coherence-check'),
)

/** `premath doctrine-check` answers it. */
export const DoctrineReport = artifact(
  'premath.doctrine.v1',
  'Whether operations, tools, host functions, pages and claims agree.',
  reportOf('premath.doctrine.v1', 'doctrine-check'),
)

/** `premath coherence-check` answers it. */
export const CoherenceReport = artifact(
  'premath.coherence.v1',
  'Whether every ref of the project resolves and recomputes.',
  reportOf('premath.coherence.v1', 'coherence-check'),
)

/** `premath ci-pipeline-test` answers it. */
export const PipelineReport = artifact(
  'premath.pipeline.v1',
  'The checks of a project, one after the other.',
  record({
    schema: literal(1),
    checkKind: literal('premath.pipeline.v1'),
    action: literal('ci-pipeline-test'),
    result: Result,
    failureClasses: list(NonEmpty),
    checks: list(
      record({
        check: NonEmpty,
        result: word(['accepted', 'rejected', 'skipped']),
        exitCode: count,
        durationMs: count,
        summary: text,
        failureClasses: list(NonEmpty),
      }),
    ),
  }),
)
export type PipelineReport = ValueOf<typeof PipelineReport>

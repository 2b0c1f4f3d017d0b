import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  map,
  matching,
  optional,
  positive,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.required_checks.v1'

/** Part of file names. */
export const CheckId = matching('^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$')

const Patterns = list(NonEmpty, { least: 1 })

const PathRule = record({
  reason: about(matching('^[a-z0-9_]+$'), 'The name of the rule in the projection.'),
  paths: about(Patterns, 'Patterns of paths from the project folder, such as src/**.'),
  checks: list(CheckId, { least: 1 }),
  mode: optional(
    word(['add', 'replace', 'add_if_docs_only']),
    'add (the default) adds the checks. replace requires no others. add_if_docs_only adds them if only documents changed.',
  ),
})

const CheckSettings = record({
  command: optional(
    NonEmpty,
    'A shell command. Defaults to the command of .premath/checks.json. A governed project has its commands there only.',
  ),
  timeoutSeconds: optional(
    positive,
    'Defaults to the timeout of the command that runs the checks.',
  ),
  after: optional(
    list(CheckId),
    'Checks that must pass before this one starts, if they are required too.',
  ),
})

/** `.premath/required-checks.json`: which checks a change requires. */
export const RequiredChecks = artifact(
  kind,
  'Which checks a change of each path requires.',
  record({
    schema: literal(1),
    requiredChecksKind: literal(kind),
    projectionPolicy: about(NonEmpty, 'The name of these rules in projections and witnesses.'),
    order: about(list(CheckId, { least: 1 }), 'Every check, in the order of reports.'),
    baseline: about(
      list(CheckId, { least: 1 }),
      'The checks for a path that no rule names, and for a change without paths.',
    ),
    docs: optional(
      record({
        paths: about(Patterns, 'Patterns of documents.'),
        checks: optional(list(CheckId), 'The checks if only documents changed.'),
      }),
    ),
    rules: list(PathRule),
    checks: optional(map(CheckSettings), 'Settings by check.'),
  }),
)
export type RequiredChecks = ValueOf<typeof RequiredChecks>
export type PathRule = ValueOf<typeof PathRule>

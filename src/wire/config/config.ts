import { NonEmpty } from '../primitives.ts'
import {
  artifact,
  flag,
  list,
  optional,
  orElse,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

export const configKind = 'premath.config.v1'

export const configPath = '.premath/config.json'

const timeouts = { workSeconds: 2700, verifySeconds: 600, startupSeconds: 600 } as const

/** Files whose change calls for the start-up command again. */
const lockFiles = [
  'package-lock.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'Cargo.lock',
  'go.sum',
  'poetry.lock',
  'uv.lock',
  'Gemfile.lock',
  'composer.lock',
] as const

/** `.premath/config.json`: defaults for flags. Comments and trailing commas are allowed. */
export const Config = artifact(
  configKind,
  'Defaults for the flags of the commands that run an agent.',
  record({
    $schema: optional(text, 'The JSON Schema of this file, for editors.'),
    work: optional(NonEmpty, 'The command that does the work of one issue.'),
    verify: optional(NonEmpty, 'The command that verifies the work with exit code 0.'),
    verifySpecs: orElse(
      list(NonEmpty),
      [],
      'The specs that verify the work instead: documents, folders or patterns.',
    ),
    startup: optional(NonEmpty, 'The command that must pass before an issue is claimed.'),
    land: orElse(
      word(['squash', 'branch', 'none']),
      'squash',
      'How verified work lands: as one commit, as a branch, or not at all.',
    ),
    landCommand: optional(NonEmpty, 'The command that lands verified work instead.'),
    onto: optional(NonEmpty, 'The branch that work lands on.'),
    workers: optional(positive, 'The number of workers.'),
    verifiers: orElse(positive, 1, 'The number of verifications that run in parallel.'),
    baseline: orElse(
      word(['on', 'off']),
      'on',
      'Whether the target branch is verified before the first claim.',
    ),
    commitMemory: optional(flag, 'Whether the end of a run commits issue memory.'),
    copyFiles: orElse(
      list(NonEmpty),
      [],
      'Files that git ignores and worktrees need: paths or patterns.',
    ),
    verifyInputs: orElse(
      list(NonEmpty),
      lockFiles,
      'Files whose change runs the start-up command again: paths or patterns.',
    ),
    specs: optional(NonEmpty, 'The folder of the specs.'),
    timeouts: orElse(
      record({
        workSeconds: orElse(positive, timeouts.workSeconds, 'The timeout of the work command.'),
        verifySeconds: orElse(positive, timeouts.verifySeconds, 'The timeout of the verification.'),
        startupSeconds: orElse(
          positive,
          timeouts.startupSeconds,
          'The timeout of the start-up command.',
        ),
      }),
      timeouts,
    ),
    budget: orElse(
      record({
        maxSteps: optional(positive, 'The number of steps after which none is started.'),
        maxMinutes: optional(positive, 'The number of minutes after which no step is started.'),
        maxFailures: optional(positive, 'The number of failures after which no step is started.'),
      }),
      {},
    ),
    retention: orElse(
      record({ days: optional(positive, 'The number of days that records of runs are kept.') }),
      {},
    ),
    sign: orElse(flag, false, 'Whether witnesses are signed when they are made.'),
    landHooks: orElse(flag, false, 'Whether the git hooks of the project run on landed commits.'),
  }),
)
/** The settings with their defaults. */
export type Config = ValueOf<typeof Config>

/** Environment variables that override a setting. */
export const configVariables: Readonly<Record<string, string>> = {
  work: 'PREMATH_WORK_CMD',
  verify: 'PREMATH_VERIFY_CMD',
  // A variable with a verify command also replaces specs in the file.
  verifySpecs: 'PREMATH_VERIFY_CMD',
}

export const timeoutDefaults = timeouts

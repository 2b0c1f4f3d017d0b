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

const retention = { days: 30 } as const

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

/** Files that judge work in most projects. */
const protect = {
  frozen: [
    '**/*.spec.md',
    '**/specs/**',
    '**/package.json#scripts',
    '**/package.json#jest',
    '**/package.json#mocha',
    '**/package.json#ava',
    '**/{vitest,jest,playwright,karma,cypress}.{config,conf}.*',
    '**/.mocharc*',
    '**/{pytest,.pytest,tox}.ini',
    '**/setup.cfg',
    '**/pyproject.toml#tool.pytest',
    '**/{conftest,sitecustomize,usercustomize}.py',
    // A package manager runs these in place of the tests.
    '**/node_modules/**',
    '**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.cjs,bunfig.toml}',
    '.worktreeinclude',
    '**/phpunit.xml*',
    '**/.rspec',
    '.github/workflows/**',
    '.circleci/**',
    '.gitlab-ci.yml',
    'azure-pipelines.yml',
    'Jenkinsfile',
  ],
  append: [
    '**/{test,tests,__tests__,spec}/**',
    '**/*.{test,spec}.*',
    '**/*_test.*',
    '**/test_*.py',
  ],
} as const

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
    verifyRequired: orElse(
      flag,
      false,
      'Whether the checks that .premath/required-checks.json requires of the change verify the work too.',
    ),
    specs: orElse(
      list(NonEmpty),
      [],
      'Where spec commands look in the root of the project if they are given no path: documents, folders or patterns.',
    ),
    statuses: orElse(
      list(NonEmpty),
      [],
      'Statuses of your own, beside open, in_progress, blocked, in_review and closed.',
    ),
    startup: optional(NonEmpty, 'The command that must pass before an issue is claimed.'),
    sandbox: orElse(
      word(['auto', 'require', 'off']),
      'auto',
      'Whether commands run in a sandbox: where it works, always, or never.',
    ),
    sandboxWritable: orElse(
      list(NonEmpty),
      [],
      'Folders that commands in the sandbox may write to, beside their worktree: absolute paths, or paths that start with ~/.',
    ),
    network: orElse(
      word(['on', 'off']),
      'on',
      'Whether commands in the sandbox reach the network.',
    ),
    land: orElse(
      word(['squash', 'branch', 'none']),
      'squash',
      'How verified work lands: as one commit, as a branch for review, or not at all.',
    ),
    landCommand: optional(
      NonEmpty,
      'The command that runs for each branch for review, such as one that opens a pull request.',
    ),
    notifyCommand: optional(
      NonEmpty,
      'The command that runs when something needs attention, such as one that sends a message.',
    ),
    processorCommand: optional(
      NonEmpty,
      'The command that reads the payloads of steps as JSON on stdin, if the policy has the observability mode internal_processor.',
    ),
    onto: optional(NonEmpty, 'The branch that work lands on.'),
    workers: orElse(positive, 2, 'The number of workers of premath run.'),
    verifiers: orElse(positive, 1, 'The number of verifications that run in parallel.'),
    baseline: orElse(
      word(['on', 'off']),
      'on',
      'Whether the target branch is verified before the first claim.',
    ),
    commitMemory: orElse(
      flag,
      true,
      'Whether the end of a run commits issue memory, if the target tracks it.',
    ),
    copyFiles: orElse(
      list(NonEmpty),
      [],
      'Untracked files that worktrees need, such as .env, in the syntax of .gitignore.',
    ),
    verifyInputs: orElse(
      list(NonEmpty),
      lockFiles,
      'Files whose change runs the start-up command again: names or patterns, in any folder.',
    ),
    protect: orElse(
      record({
        frozen: orElse(
          list(NonEmpty),
          protect.frozen,
          'Files that work must not change: patterns, or pattern#member for one member of a JSON or TOML file, as tool.pytest.',
        ),
        append: orElse(
          list(NonEmpty),
          protect.append,
          'Folders and files of tests: work may add new ones, and not change those that exist.',
        ),
      }),
      protect,
    ),
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
      record({
        days: orElse(
          positive,
          retention.days,
          'The age in days at which premath clean removes outputs of steps and attempts that were set aside.',
        ),
      }),
      retention,
    ),
    lockWaitSeconds: orElse(
      positive,
      15,
      'The number of seconds that a change waits for the lock of issue memory.',
    ),
    residentMemory: orElse(
      word(['on', 'off']),
      'on',
      'Whether a resident process may keep issue memory for programs that ask often.',
    ),
    sign: orElse(flag, false, 'Whether git signs the commits that land.'),
    landHooks: orElse(
      flag,
      false,
      'Whether the reference-transaction hook of the repository may refuse a landing.',
    ),
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

/** The landing of a run, read from flags and configuration. */
import { choiceField, countField, type Fields, type InputOf, textField } from '../field.ts'
import type { RunPlan } from '../project/loop/run-landing.ts'
import type { Config } from '../wire/config/config.ts'
import { type startupFields, startupOptions } from './harness-fields.ts'

export const landingFields = {
  onto: textField(
    'branch',
    'The target: the branch on which work lands. Defaults to the branch that the main worktree has checked out.',
    { setting: 'onto' },
  ),
  verifiers: countField('n', 'Verify this many commits at the same time.', {
    default: 1,
    setting: 'verifiers',
  }),
  copyFiles: textField(
    'pattern',
    'Untracked files that the commands need, such as .env, in the syntax of .gitignore. They are copied into each worktree, with those that .worktreeinclude names.',
    { many: true, setting: 'copyFiles' },
  ),
} as const satisfies Fields

export const strategyFields = {
  land: choiceField(
    ['squash', 'branch', 'none'],
    'How verified work lands: as one commit on the target, as a branch for review, or not at all. An issue in review closes when the target has its work.',
    { default: 'squash', setting: 'land' },
  ),
  landCmd: textField(
    'command',
    'The command that runs for each branch for review, such as one that opens a pull request. It gets PREMATH_BRANCH, PREMATH_COMMIT and PREMATH_TARGET.',
    { setting: 'landCommand' },
  ),
} as const satisfies Fields

type LandingInput = InputOf<typeof landingFields> &
  InputOf<typeof startupFields> &
  Partial<InputOf<typeof strategyFields>>

export function landingPlan(
  input: LandingInput,
  config: Config,
  workers: RunPlan['workers'],
): Omit<RunPlan, 'commitMemory'> {
  const { startupCommand: command, startupTimeoutMs: timeoutMs } = startupOptions(input, config)
  return {
    onto: input.onto ?? config.onto,
    workers,
    verifiers: input.verifiers ?? config.verifiers,
    copyFiles: input.copyFiles.length > 0 ? input.copyFiles : config.copyFiles,
    startUp: { command, timeoutMs, inputs: config.verifyInputs },
    hooks: config.landHooks,
    sign: config.sign,
    protect: config.protect,
    strategy: input.land ?? config.land,
    landCommand: input.landCmd ?? config.landCommand,
  }
}

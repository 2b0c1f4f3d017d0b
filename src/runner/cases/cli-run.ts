import type { Demand } from '../../kernel/spec/assert/demand.ts'
import { envelope, type Subject } from '../../kernel/spec/assert/subject.ts'
import {
  type CliCommand,
  type CommandLine,
  cliCommand,
} from '../../kernel/spec/case/cli-command.ts'
import { safeModeVariable } from '../../kernel/spec/case/environment.ts'
import { unlimitedMeter } from '../../kernel/spec/lang/meter.ts'
import { printText } from '../../kernel/spec/lang/print-value.ts'
import { readJson } from '../../kernel/spec/lang/read-json.ts'
import { Failure, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type CaseHarness, isSpecErrorOf, type SubjectSource } from './case-harness.ts'
import { type CommandResult, type CommandRun, runCommand } from './command-run.ts'
import { PrintedPath } from './printed-path.ts'

/** Subjects of assertions, and sources of chain exports. */
const targets = [
  'stdout',
  'stdout_json',
  'stderr',
  'stdout_path',
  'stdout_path_text',
  'stdout_path.exists',
  'context_json',
] as const

type CliTarget = (typeof targets)[number]

/** Runs a program without a shell and offers its output. */
export const cliRun: CaseHarness = {
  type: 'cli.run',
  describe: 'Runs a command and looks at what it printed and how it ended.',
  keys: {
    argv: { is: { either: ['text', { list: 'scalar' }] }, describe: 'The arguments.' },
    exit_code: {
      is: { whole: { min: 0 } },
      describe: 'How the command must end; 0 when left out.',
    },
  },
  harness: {
    entrypoint: {
      is: { either: ['name', { list: 'name', atLeast: 1 }] },
      describe: 'The command, as a line or as a list of words. No shell reads it.',
      missing: {
        message: 'cli.run requires explicit harness.entrypoint',
        category: 'runtime',
        hint: 'Name the command under harness: `entrypoint: ls`.',
      },
    },
    env: {
      is: { mappingOf: 'scalar' },
      describe: 'Variables of its environment; null takes one away.',
    },
    stdin_text: { is: 'text', describe: 'What it can read from standard input.' },
    stdin_isatty: { is: 'flag', describe: 'Whether standard input claims to be a terminal.' },
    setup_files: {
      is: { either: [{ list: setupFile() }, setupFile()] },
      describe: 'Files that lie in its temporary folder before it runs.',
    },
    cwd: {
      is: { oneOf: ['root', 'temp'] },
      describe: 'Where it runs: the contract root, or its temporary folder; root.',
    },
    timeout_ms: {
      is: { whole: { min: 1 } },
      describe: 'Milliseconds until it and all it started are ended; 30000.',
    },
    hook_before: { is: 'name', describe: 'A command that runs before.' },
    hook_after: { is: 'name', describe: 'A command that runs after, before the assertions.' },
    hook_kwargs: { is: { mappingOf: 'any' }, describe: 'What both hooks are given.' },
  },
  targets,

  async run({ value }, context) {
    const command = cliCommand(value)
    if (isSpecErrorOf(command)) return command
    const refused = refusedHook(command, context)
    if (refused !== undefined) return refused
    const setting = await settingOf(command, context)
    const { entrypoint, words, argv, stdin } = command
    const before = await runHook('hook_before', command.hookBefore, setting)
    if (before !== undefined) return before
    const [program, ...args] = words
    const result = await runCommand(
      { ...setting.place, name: 'cli.run', words: [program, ...args, ...argv], stdin },
      context,
    )
    if (isSpecErrorOf(result)) return await withoutResult(result, setting)
    const after = await runHook('hook_after', command.hookAfter, setting, result)
    if (after !== undefined) return after
    const known = { argv, entrypoint, result }
    const subjects = subjectsOf(known, setting.place.cwd, context)
    return {
      byTarget: new Map(Object.entries(subjects)),
      demands: [exitDemand(command, result)],
    }
  },
}

function setupFile() {
  return {
    mapping: {
      path: { is: 'name', describe: 'Within the temporary folder.', required: true },
      text: { is: 'scalar', describe: 'What it holds; nothing when left out.' },
    },
  } as const
}

/** It was ended, or never began: what it left is cleaned up all the same, unless all is to end. */
async function withoutResult(why: SpecError, setting: CliSetting): Promise<SpecError> {
  const { command, context } = setting
  const hook = context.run.stopped ? undefined : command.hookAfter
  const after = await runHook('hook_after', hook, setting)
  const message = after === undefined ? why.message : `${why.message}; ${after.message}`
  return { ...why, message, path: 'harness.entrypoint' }
}

const exitDemand = ({ exitCode }: CliCommand, result: CommandResult): Demand => ({
  name: 'exit_code',
  expected: exitCode,
  actual: result.exitCode,
  said: { stdout: result.stdout, stderr: result.stderr },
})

/** Before anything runs: what a hook would have done must not be half done. */
function refusedHook(
  { hookBefore, hookAfter }: CliCommand,
  { safeMode }: ExecutionContext,
): SpecError | undefined {
  if (!safeMode || (hookBefore === undefined && hookAfter === undefined)) return undefined
  const key = hookBefore === undefined ? 'hook_after' : 'hook_before'
  const message = `harness.${key} does not run in safe mode (${safeModeVariable})`
  return { category: 'runtime', message, path: `harness.${key}` }
}

interface CliSetting {
  readonly command: CliCommand
  readonly context: ExecutionContext
  readonly place: Pick<CommandRun, 'cwd' | 'env' | 'timeoutMs'>
}

/** Where the command finds its temporary folder, if it has one. */
export const temporaryVariable = 'SPEC_RUNNER_TMP'

/** The folder, its files, and the variables. */
async function settingOf(command: CliCommand, context: ExecutionContext): Promise<CliSetting> {
  const { setupFiles, cwd, timeoutMs } = command
  const { temporaryFolder, document } = context
  const needsFolder = setupFiles.length > 0 || cwd === 'temp'
  const folder = needsFolder ? await temporaryFolder.make() : undefined
  if (folder !== undefined) await writeFiles(command, folder, context)
  const place = {
    cwd: cwd === 'temp' && folder !== undefined ? folder : document.root,
    env: environmentOf(command, folder, context),
    timeoutMs,
  }
  return { command, context, place }
}

/** The paths were looked at: none leads out of the folder, and there is no link in it yet. */
async function writeFiles(
  { setupFiles }: CliCommand,
  folder: string,
  { run }: ExecutionContext,
): Promise<void> {
  const disk = await run.world.disk()
  for (const { path, text } of setupFiles) {
    const whole = `${folder}/${path}`
    await disk.makeFolderLoosely(whole.slice(0, whole.lastIndexOf('/')))
    await disk.replaceLoosely(whole, new TextEncoder().encode(text))
  }
}

/** A value that names a setup file becomes its path, wherever the command runs. */
function environmentOf(
  { env, setupFiles }: CliCommand,
  folder: string | undefined,
  context: ExecutionContext,
): CommandRun['env'] {
  const paths = new Set(setupFiles.map(({ path }) => path))
  const own = [...env].map(([name, value]) => [
    name,
    value === null ? undefined : paths.has(value) ? `${folder}/${value}` : value,
  ])
  return {
    ...context.env,
    ...(folder !== undefined && { [temporaryVariable]: folder }),
    ...Object.fromEntries(own),
  }
}

/** A command beside the one that is looked at. What it should know it reads from standard input. */
async function runHook(
  name: 'hook_before' | 'hook_after',
  words: CommandLine | undefined,
  { command, context, place }: CliSetting,
  result?: CommandResult,
): Promise<SpecError | undefined> {
  if (words === undefined) return undefined
  const told = new Map<string, SpecValue>([
    ['hook', name],
    ['case_id', context.caseId],
    ['kwargs', command.hookKwargs],
  ])
  if (result !== undefined) told.set('result', resultValue(result))
  const stdin = `${printText(told, unlimitedMeter())}\n`
  const ended = await runCommand({ ...place, name, words, stdin }, context)
  const path = `harness.${name}`
  if (isSpecErrorOf(ended)) return { ...ended, path }
  if (ended.exitCode === 0) return undefined
  const said = ended.stderr.trim().slice(-400)
  const message = `${name} ended with ${ended.exitCode}${said === '' ? '' : `: ${said}`}`
  return { category: 'runtime', message, path }
}

function subjectsOf(
  known: Known,
  cwd: string,
  context: ExecutionContext,
): Readonly<Record<CliTarget, SubjectSource>> {
  const { stdout, stderr } = known.result
  const printed = new PrintedPath(stdout, cwd, context)
  return {
    stdout: () => ({ value: stdout }),
    stdout_json: () => jsonOf(stdout),
    stderr: () => ({ value: stderr }),
    stdout_path: () => printed.path(),
    stdout_path_text: () => printed.text(),
    'stdout_path.exists': () => printed.exists(),
    context_json: () => ({ value: contextOf(known, context) }),
  }
}

/** It was to print JSON, and nothing can be said of what it printed instead. */
function jsonOf(stdout: string): Subject {
  const value = readJson(stdout)
  if (!(value instanceof Failure)) return { value }
  return {
    category: 'runtime',
    message: `stdout is not JSON: ${value.message}`,
    hint: 'Make the command print one JSON value and nothing else, or assert on stdout as text.',
  }
}

const resultValue = ({ exitCode, stdout, stderr }: CommandResult): SpecValue =>
  new Map<string, SpecValue>([
    ['exit_code', exitCode],
    ['stdout', stdout],
    ['stderr', stderr],
  ])

interface Known {
  readonly argv: readonly string[]
  readonly entrypoint: SpecValue
  readonly result: CommandResult
}

const contextOf = ({ argv, entrypoint, result }: Known, { caseId, safeMode }: ExecutionContext) =>
  envelope({
    profile: 'cli.run',
    version: 1,
    value: resultValue(result),
    meta: { target: 'cli.run', case_id: caseId, argv },
    context: { entrypoint, safe_mode: safeMode },
  })

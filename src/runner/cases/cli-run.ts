import type { Demand } from '../../kernel/spec/assert/demand.ts'
import { envelope, type Subject } from '../../kernel/spec/assert/subject.ts'
import {
  type CliCommand,
  type CommandLine,
  cliCommand,
  exitCodeKey,
  outputTarget,
} from '../../kernel/spec/case/cli-command.ts'
import { commandFlaws } from '../../kernel/spec/case/command-flaws.ts'
import { safeModeVariable } from '../../kernel/spec/case/environment.ts'
import { outputOf } from '../../kernel/spec/case/shell-session.ts'
import { timeCeilingMs } from '../../kernel/spec/case/time-limits.ts'
import { unlimitedMeter } from '../../kernel/spec/lang/meter.ts'
import { printText } from '../../kernel/spec/lang/print-value.ts'
import { readJson } from '../../kernel/spec/lang/read-json.ts'
import { Failure, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type CaseHarness, isSpecErrorOf, type SubjectSource } from './case-harness.ts'
import { failureIn, sessionOf, sessionResult, sessionSubjects, wordsOf } from './cli-session.ts'
import {
  type CommandFailure,
  type CommandResult,
  type CommandRun,
  runCommand,
  withOutput,
} from './command-run.ts'
import { PrintedPath } from './printed-path.ts'

/** Subjects of assertions, and sources of chain exports. */
const targets = [
  'stdout',
  'stdout_json',
  'stderr',
  outputTarget,
  exitCodeKey,
  'stdout_path',
  'stdout_path_text',
  'stdout_path.exists',
  'context_json',
] as const

/** Targets that need stdout or stderr alone. */
const separateTargets = [
  'stdout',
  'stdout_json',
  'stderr',
  'stdout_path',
  'stdout_path_text',
  'stdout_path.exists',
] as const satisfies readonly CliTarget[]

type CliTarget = (typeof targets)[number]

const sessionCommand = {
  run: { is: 'name', describe: 'Text for the shell.', required: true },
  exit_code: {
    is: { whole: { min: 0, max: 255 } },
    describe: 'The expected exit code; default 0.',
  },
} as const

/** Runs a program without a shell and offers its output. */
export const cliRun: CaseHarness = {
  type: 'cli.run',
  describe: 'Runs a command and checks its output and exit code.',
  keys: {
    argv: { is: { either: ['text', { list: 'scalar' }] }, describe: 'The arguments.' },
    commands: {
      is: { list: { either: ['name', { mapping: sessionCommand }] }, atLeast: 1 },
      describe:
        'Commands to run one after another in one shell, which the entrypoint names. Each has the subject `output[n]`, counted from 0.',
    },
    [exitCodeKey]: {
      is: { either: [{ whole: { min: 0 } }, { list: { whole: { min: 0 } }, atLeast: 1 }] },
      describe: 'The expected exit code, or a list of them; default 0.',
    },
  },
  harness: {
    entrypoint: {
      is: { either: ['name', { list: 'name', atLeast: 1 }] },
      describe: 'The command, as a line or a list of words. It runs without a shell.',
      missing: {
        message: 'cli.run requires explicit harness.entrypoint',
        category: 'runtime',
        hint: 'Name the command under harness: `entrypoint: ls`.',
      },
    },
    env: {
      is: { mappingOf: 'scalar' },
      describe: 'Environment variables; null removes one.',
    },
    stdin_text: { is: 'text', describe: 'The text on standard input.' },
    stdin_isatty: { is: 'flag', describe: 'Make standard input a terminal. Not supported.' },
    setup_files: {
      is: { either: [{ list: setupFile() }, setupFile()] },
      describe: 'Files to create in the temporary folder before the command runs.',
    },
    cwd: {
      is: { oneOf: ['root', 'temp'] },
      describe:
        'The working folder: root (the contract root, default) or temp (the temporary folder).',
    },
    timeout_ms: {
      is: { whole: { min: 1, max: timeCeilingMs } },
      describe: 'Timeout in milliseconds for the command and its children; default 30000.',
    },
    hook_before: { is: 'name', describe: 'A command to run before the main command.' },
    hook_after: {
      is: 'name',
      describe: 'A command to run after the main command and before the assertions.',
    },
    hook_kwargs: { is: { mappingOf: 'any' }, describe: 'Arguments passed to both hooks.' },
  },
  flaws: commandFlaws,
  targets,
  joined: { name: outputTarget, parts: separateTargets },
  targetsOf: value => {
    const commands = value.get('commands')
    return Array.isArray(commands) ? commands.map((_, at) => outputOf(at)) : []
  },

  async run({ value }, context) {
    const command = cliCommand(value)
    if (isSpecErrorOf(command)) return command
    const refused = refusedHook(command, context)
    if (refused !== undefined) return refused
    const setting = await settingOf(command, context)
    if (isSpecErrorOf(setting)) return setting
    const { entrypoint, argv, stdin, joinsOutputs } = command
    const before = await runHook('hook_before', command.hookBefore, setting)
    if (before !== undefined) return before
    const mark = context.run.world.random()
    const ran = await runCommand(
      { ...setting.place, name: 'cli.run', words: wordsOf(command, mark), stdin, joinsOutputs },
      context,
    )
    if (isSpecErrorOf(ran)) return await withoutResult(failureIn(command, ran, mark), setting)
    const session = sessionOf(command, ran, mark)
    const result = session === undefined ? ran : sessionResult(session)
    const after = await runHook('hook_after', command.hookAfter, setting, result)
    if (after !== undefined) return after
    const known = { argv, entrypoint, result }
    const subjects = subjectsOf(known, setting.place.cwd, context)
    if (session !== undefined) return sessionSubjects(subjects, command, session)
    const demands = exitDemands(command, result)
    return { byTarget: new Map(Object.entries(subjects)), demands }
  },
}

function setupFile() {
  return {
    mapping: {
      path: { is: 'name', describe: 'Path below the temporary folder.', required: true },
      text: { is: 'scalar', describe: 'Content; default empty.' },
    },
  } as const
}

/**
 * The command timed out or did not start. The after hook still cleans up, unless the run is
 * stopping.
 */
async function withoutResult(why: CommandFailure, setting: CliSetting): Promise<CaseFailure> {
  const { command, context } = setting
  const hook = context.run.stopped ? undefined : command.hookAfter
  const after = await runHook('hook_after', hook, setting)
  const message = after === undefined ? why.message : `${why.message}; ${after.message}`
  return withOutput({ path: 'harness.entrypoint', ...why, message }, context)
}

function exitDemands({ exitCodes }: CliCommand, result: CommandResult): readonly Demand[] {
  if (exitCodes === undefined) return []
  const { exitCode: actual, ...streams } = result
  const [only, ...others] = exitCodes
  const expected = only !== undefined && others.length === 0 ? only : exitCodes
  return [{ name: exitCodeKey, expected, actual, streams }]
}

/** Refuse before anything runs, so that nothing is left half done. */
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

/** Passes the path of the temporary folder to the command. */
export const temporaryVariable = 'SPEC_RUNNER_TMP'

/** Prepares the working folder, the setup files and the environment. */
async function settingOf(
  command: CliCommand,
  context: ExecutionContext,
): Promise<CliSetting | SpecError> {
  const { setupFiles, cwd, timeoutMs } = command
  const { temporaryFolder, document } = context
  const needsFolder = setupFiles.length > 0 || cwd === 'temp' || temporaryFolder.isShared
  const folder = needsFolder ? await temporaryFolder.make() : undefined
  const refused = folder === undefined ? undefined : await writeFiles(command, folder, context)
  if (refused !== undefined) return refused
  const place = {
    cwd: cwd === 'temp' && folder !== undefined ? folder : document.root,
    env: environmentOf(command, folder, context),
    timeoutMs,
  }
  return { command, context, place }
}

/** The paths were checked: none leaves the folder, unless an earlier case left a link in it. */
async function writeFiles(
  { setupFiles }: CliCommand,
  folder: string,
  { run, temporaryFolder }: ExecutionContext,
): Promise<SpecError | undefined> {
  const disk = await run.world.disk()
  for (const [at, { path, text }] of setupFiles.entries()) {
    const whole = `${folder}/${path}`
    if (temporaryFolder.isShared && !isWithin(await disk.realPath(whole), folder)) {
      const key = `harness.setup_files[${at}].path`
      const message = `${key} leaves the temporary folder through a link: ${path}`
      return { category: 'runtime', message, path: key }
    }
    await disk.makeFolderLoosely(whole.slice(0, whole.lastIndexOf('/')))
    await disk.replaceLoosely(whole, new TextEncoder().encode(text))
  }
  return undefined
}

const isWithin = (path: string, folder: string) => path.startsWith(`${folder}/`)

/** A value that names a setup file is replaced by its absolute path. */
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

/** Runs a hook. It gets its arguments as JSON on standard input. */
async function runHook(
  name: 'hook_before' | 'hook_after',
  words: CommandLine | undefined,
  { command, context, place }: CliSetting,
  result?: CommandResult,
): Promise<CaseFailure | undefined> {
  if (words === undefined) return undefined
  const hookInput = new Map<string, SpecValue>([
    ['hook', name],
    ['case_id', context.caseId],
    ['kwargs', command.hookKwargs],
  ])
  if (result !== undefined) hookInput.set('result', resultValue(result))
  const stdin = `${printText(hookInput, unlimitedMeter())}\n`
  const ended = await runCommand({ ...place, name, words, stdin }, context)
  const path = `harness.${name}`
  if (isSpecErrorOf(ended)) return withOutput({ ...ended, path }, context)
  if (ended.exitCode === 0) return undefined
  // Mask secrets before cutting: half a secret is still a leak.
  const stderr = context.run.secrets.text(ended.stderr.trim()).slice(-400)
  const message = `${name} exited with ${ended.exitCode}${stderr === '' ? '' : `: ${stderr}`}`
  return { category: 'runtime', message, path }
}

function subjectsOf(
  known: Known,
  cwd: string,
  context: ExecutionContext,
): Readonly<Record<CliTarget, SubjectSource>> {
  const { exitCode } = known.result
  if ('output' in known.result) return joinedSubjects(known, known.result.output, context)
  const { stdout, stderr } = known.result
  const printed = new PrintedPath(stdout, cwd, context)
  return {
    [outputTarget]: () => missingSubject(outputTarget, `no assertion is on ${outputTarget}`),
    [exitCodeKey]: () => ({ value: exitCode }),
    stdout: () => ({ value: stdout }),
    stdout_json: () => jsonOf(stdout),
    stderr: () => ({ value: stderr }),
    stdout_path: () => printed.path(),
    stdout_path_text: () => printed.text(),
    'stdout_path.exists': () => printed.exists(),
    context_json: () => ({ value: contextOf(known, context) }),
  }
}

/** An export may still ask for a stream that went to the shared pipe. */
function joinedSubjects(
  known: Known,
  output: string,
  context: ExecutionContext,
): Readonly<Record<CliTarget, SubjectSource>> {
  const none = (target: CliTarget) => [
    target,
    () => missingSubject(target, 'both streams go to one pipe'),
  ]
  return {
    ...(Object.fromEntries(separateTargets.map(none)) as Record<SeparateTarget, SubjectSource>),
    [outputTarget]: () => ({ value: output }),
    [exitCodeKey]: () => ({ value: known.result.exitCode }),
    context_json: () => ({ value: contextOf(known, context) }),
  }
}

type SeparateTarget = (typeof separateTargets)[number]

const missingSubject = (target: CliTarget, why: string): Subject => ({
  category: 'schema',
  message: `the case has no ${target}: ${why}`,
})

/** Invalid JSON is an error of the subject, not a value to compare. */
function jsonOf(stdout: string): Subject {
  const value = readJson(stdout)
  if (!(value instanceof Failure)) return { value }
  return {
    category: 'runtime',
    message: `stdout is not JSON: ${value.message}`,
    hint: 'Make the command print one JSON value and nothing else, or assert on stdout as text.',
  }
}

const resultValue = ({ exitCode, ...outputs }: CommandResult): SpecValue =>
  new Map<string, SpecValue>([[exitCodeKey, exitCode], ...Object.entries(outputs)])

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

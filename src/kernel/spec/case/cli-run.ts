import type { CaseType } from './case-type.ts'

/** What can be asserted about a command, and taken from it by a chain. */
const targets = [
  'stdout',
  'stdout_json',
  'stderr',
  'stdout_path',
  'stdout_path_text',
  'stdout_path.exists',
  'context_json',
] as const

export type CliTarget = (typeof targets)[number]

export const cliRun: CaseType = {
  type: 'cli.run',
  describe: 'Runs a command and looks at what it printed and how it ended.',
  executable: true,
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
}

function setupFile() {
  return {
    mapping: {
      path: { is: 'name', describe: 'Within the temporary folder.', required: true },
      text: { is: 'scalar', describe: 'What it holds; nothing when left out.' },
    },
  } as const
}

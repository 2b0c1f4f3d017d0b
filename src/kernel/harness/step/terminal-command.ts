/**
 * A command in a pseudo-terminal of its own, which `script` of util-linux makes. Ctrl-C and Ctrl-\ are
 * meant for the agent. They reach every process with that terminal, and only the agent decides.
 */
import { quoted } from '../../spec/case/shell-session.ts'

export interface TerminalCommand {
  /** Text for `sh`; or a sandbox and its arguments. */
  readonly command: string | readonly [program: string, ...args: string[]]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** `script` takes its input from the real terminal, and passes what the command prints to stdout. */
export function inTerminal(
  script: string,
  { command, env }: TerminalCommand,
): TerminalCommand & { readonly command: readonly [string, ...string[]] } {
  const text = typeof command === 'string' ? agentText(command) : sandboxText(command)
  // It runs the text by the shell that SHELL names, which may not be one that reads this text.
  const own = env['SHELL']
  const shell = own === undefined ? 'unset SHELL' : `SHELL=${quoted(own)}`
  return {
    command: [script, ...terminalArguments(`${shell}\n${text}`)],
    env: { ...env, SHELL: '/bin/sh' },
  }
}

/** Short options, which busybox has too. The file for a copy of the output is none. */
const terminalArguments = (text: string): readonly string[] => [
  '-q',
  '-f',
  '-e',
  '-c',
  text,
  '/dev/null',
]

/** A shell that waits for the agent must not die of the key. A trap does not reach its commands. */
const agentText = (text: string) => `trap : INT QUIT\n${text}`

/** The sandbox would die of the key. What it ignores, its commands ignore too. */
const sandboxText = (command: readonly string[]) =>
  `trap '' INT QUIT\nexec ${command.map(quoted).join(' ')}`

/** The text of an agent for such a sandbox. A shell could not stop ignoring. */
export const agentInSandbox = (text: string): readonly string[] => [
  '/usr/bin/env',
  '--default-signal=INT,QUIT',
  '/bin/sh',
  '-c',
  agentText(text),
]

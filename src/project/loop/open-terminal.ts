/** Gives the work of a step a pseudo-terminal, for an agent that talks with the person there. */
import { Fault } from '../../fault.ts'
import type { Harness } from '../../harness/harness.ts'
import { agentInSandbox, inTerminal } from '../../kernel/harness/step/terminal-command.ts'
import type { Project } from '../open.ts'
import { programPath } from './open-sandbox.ts'

/** Returns the program that makes pseudo-terminals. Faults if there is none, or no terminal here. */
export async function terminalProgram(harness: Harness, project: Project): Promise<string> {
  if (!project.isAtTerminal()) {
    throw new Fault('usage', '--terminal needs a terminal, and standard input is none', {
      hint: 'No issue was claimed. Run premath in a terminal, or leave out --terminal for an agent that asks nobody.',
    })
  }
  const program = await programPath('script', harness)
  if (program === undefined) throw missing('script is not on PATH')
  if (!(await passesExitCodeOn(program, harness)))
    throw missing(`${program}, or env, is another program`)
  return program
}

/** Other systems have a `script` and an `env` with other options. */
async function passesExitCodeOn(program: string, { processes, root, env }: Harness) {
  const [first = '', ...args] = agentInSandbox('exit 7')
  const { exitCode } = await processes.run({
    ...inTerminal(program, { command: [first, ...args], env }),
    cwd: root,
    timeoutMs: 10_000,
    outputBytesMax: 0,
  })
  return exitCode === 7
}

const missing = (why: string) =>
  new Fault('unavailable', `--terminal needs script of util-linux and env of coreutils: ${why}`, {
    hint: 'No issue was claimed. Install util-linux and coreutils, and run again.',
  })

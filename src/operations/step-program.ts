/** The flag --work-program of the commands that run steps. */
import { Fault } from '../fault.ts'
import type { OperationContext } from '../project/context.ts'
import type { OpenedProgram } from './work-program.ts'

interface ProgramInput {
  readonly workProgram: string | undefined
  readonly workCmd: string | undefined
  readonly terminal?: boolean
}

interface WithProgram<T> {
  /** Its work command is the text that names the program, if there is one. */
  readonly input: T
  readonly program: OpenedProgram | undefined
}

export async function withProgram<T extends ProgramInput>(
  input: T,
  context: OperationContext,
): Promise<WithProgram<T>> {
  const { workProgram, workCmd, terminal } = input
  if (workProgram === undefined) return { input, program: undefined }
  if (workCmd !== undefined) throw excluded('--work-cmd', 'One of them does the work.')
  if (terminal) throw excluded('--terminal', 'A program talks with nobody.')
  // Most steps run a command, and the language is large.
  const { openWorkProgram } = await import('./work-program.ts')
  const program = await openWorkProgram(workProgram, context)
  return { input: { ...input, workCmd: program.text }, program }
}

const excluded = (flag: string, why: string) =>
  new Fault('usage', `--work-program and ${flag} exclude each other`, {
    hint: `Pass one of them. ${why}`,
  })

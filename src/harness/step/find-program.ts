/** Looks for the program of a command, as the shell would. */
import { Fault } from '../../fault.ts'
import { programOf } from '../../kernel/harness/step/command-program.ts'
import type { Disk } from '../../world/world.ts'

interface ProgramPlace {
  /** The folder in which the command runs. Without it, only PATH is searched. */
  readonly folder: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly disk: Disk
}

/** Returns the program if the shell would not find it, and `undefined` if it would or may. */
export async function missingProgram(
  command: string,
  place: ProgramPlace,
): Promise<string | undefined> {
  const program = programOf(command)
  if (program === undefined) return undefined
  for (const path of pathsOf(program, place)) {
    if (path === undefined || (await isProgram(path, place))) return undefined
  }
  return program
}

/** `undefined` stands for a place that is not known here, where the program may be. */
function pathsOf(program: string, { folder, env }: ProgramPlace): readonly (string | undefined)[] {
  const from = (path: string) =>
    path.startsWith('/') ? path : folder === undefined ? undefined : `${folder}/${path}`
  if (program.includes('/')) return [from(program)]
  const { PATH } = env
  // Without a PATH the shell has a default of its own.
  if (PATH === undefined) return [undefined]
  return PATH.split(':').map(entry => from(`${entry || '.'}/${program}`))
}

async function isProgram(path: string, { disk }: ProgramPlace): Promise<boolean> {
  try {
    const entry = await disk.entry(await disk.realPath(path))
    return entry?.kind === 'file' && entry.isExecutable
  } catch (error) {
    // The shell passes over a folder of PATH that it cannot enter.
    if (error instanceof Fault) return false
    throw error
  }
}

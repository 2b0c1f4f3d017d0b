/** Tells whether git could run the merge driver of a clone. Runs nothing of it. */
import { Fault } from '../../fault.ts'
import { missingProgram } from '../../harness/step/find-program.ts'
import { askGit } from '../../harness/worktree/git.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { driverName, programsOfDriver } from './merge-driver.ts'

/** `merge.premath.driver`, and the configuration that has it. */
export interface DriverSetting {
  readonly scope: string
  readonly value: string
}

interface DriverPlace {
  /** The top of the repository, where git runs the driver. */
  readonly top: string
  readonly project: Pick<OperationContext, 'env'>
  readonly disk: Disk
}

/** Faults where git would go on with the driver of a person, which cannot run. */
export async function mustMakeWay(top: string, project: OperationContext): Promise<void> {
  const [processes, disk] = await Promise.all([project.processes(), project.disk()])
  const place = { root: top, env: project.env, processes, disk }
  const setting = async (name: string) => {
    const asked = ['config', '--show-scope', '-z', '--get', `merge.premath.${name}`]
    return (await askGit(place, top, asked)).stdout.split('\0')
  }
  const [scope = '', value] = await setting('driver')
  if (value === undefined) return
  // An older driver of premath, which the new one follows.
  const [, name] = await setting('name')
  if (name === driverName) return
  const unusable = await unusableDriver(value, { top, project, disk })
  if (unusable === undefined || unusable.isOurs) return
  throw new Fault('unavailable', `the merge driver of this clone cannot run: ${unusable.why}`, {
    hint: `Nothing was changed. ${removesForeign(scope)}`,
    detail: { driver: value },
  })
}

/** premath did not write the driver, so a person decides. */
export const removesForeign = (scope: string): string =>
  `premath did not write it. Remove it: git config --${scope} --remove-section merge.premath. Then run premath init --merge-driver.`

/** `undefined` where git could run it. */
export async function unusableDriver(
  command: string,
  place: DriverPlace,
): Promise<{ readonly why: string; readonly isOurs: boolean } | undefined> {
  const programs = programsOfDriver(command)
  const why = programs ? await whyOurs(programs, place) : await whyForeign(command, place)
  return why === undefined ? undefined : { why, isOurs: programs !== undefined }
}

/** As the shell looks for them: the installed ones, the project's own, then those on PATH. */
async function whyOurs(
  { node, main, own }: NonNullable<ReturnType<typeof programsOfDriver>>,
  place: DriverPlace,
): Promise<string | undefined> {
  const { top, disk } = place
  const mains = [main, `${top}/${own}`]
  const hasMain = await Promise.all(mains.map(async path => (await disk.stamp(path)) !== undefined))
  if (!hasMain.includes(true)) {
    const isMissing = await isNotFound('premath', place)
    return isMissing ? `${shown(main)} is gone, and no premath is on the PATH` : undefined
  }
  const isMissing = (await isNotFound(node, place)) && (await isNotFound('node', place))
  return isMissing ? `${shown(node)} is gone, and no node is on the PATH` : undefined
}

async function whyForeign(command: string, place: DriverPlace): Promise<string | undefined> {
  if (!/\bmerge-driver\b/.test(command)) return 'it does not call premath merge-driver'
  const missing = await missingProgram(command, placeOf(place))
  return missing === undefined ? undefined : `there is no program ${shown(missing)}`
}

const placeOf = ({ top, project, disk }: DriverPlace) => ({ folder: top, env: project.env, disk })

async function isNotFound(program: string, place: DriverPlace): Promise<boolean> {
  if (program.startsWith('/')) return (await place.disk.stamp(program)) === undefined
  return (await missingProgram(program, placeOf(place))) !== undefined
}

/** Asks the resident process of a project. Whatever goes wrong, the caller does without it. */
import { Fault } from '../fault.ts'
import type { JsonObject } from '../kernel/json.ts'
import { inStepOf } from '../project/authority/known-step.ts'
import type { OperationContext } from '../project/context.ts'
import { openProject, type Project } from '../project/open.ts'
import { mainInPackage, version } from '../project/version.ts'
import { askedIn, environmentOf, isAnswered } from './answered.ts'
import {
  type Answered,
  answerIn,
  printRequest,
  type ResidentStatus,
  readReply,
  statusIn,
} from './messages.ts'
import { type ResidentPlace, residentPlace } from './place.ts'

/** An answer takes a few milliseconds. After this time the caller reads the files itself. */
const askMsMax = 200

/** After a process was started, or did not answer, the next questions of this process do without it. */
const pauseNs = 2_000_000_000n
const pausedUntil = new Map<string, bigint>()

export interface Call {
  readonly command: string
  readonly args: JsonObject
  readonly names: JsonObject
}

/**
 * The answer of the resident process. `undefined` without one, which is started for the next question
 * if it may be.
 */
export async function askResident(
  { command, args, names }: Call,
  context: OperationContext,
): Promise<Answered | undefined> {
  if (!isAnswered(command)) return undefined
  // Work gets no answer from outside of its step, and leaves no process that outlives it.
  const known = await inStepOf(context, {})
  const { env, surface } = known
  if (env['PREMATH_STEP_ID']) return undefined
  const project = await projectHere(known)
  const place = project && (await residentPlace(project))
  if (!project || !place || isPaused(place, project)) return undefined
  const question = { command, args, names, cwd: context.cwd(), env: askedIn(env), surface }
  const request = printRequest({ ask: 'answer', question }, version)
  const reply = await place.services.ask(place.socket, request, askMsMax)
  if ('line' in reply) {
    const members = readReply(reply.line)
    const { refused } = members
    if (refused === 'version' || refused === 'ending') await startIfAllowed(place, project)
    return answerIn(members)
  }
  if (reply.failed === 'absent') await startIfAllowed(place, project)
  else pause(place, project)
  return undefined
}

/** Starts the process of the project, for the next questions. */
async function startIfAllowed(place: ResidentPlace, project: Project): Promise<void> {
  pause(place, project)
  const { env } = project
  if (env['CI'] || !(await isWanted(project))) return
  const main = `${project.packageFolder()}/${mainInPackage}`
  const own = { ...environmentOf(env), PREMATH_ROOT: project.root }
  place.services.launch([project.nodePath(), main, 'resident', 'serve'], own)
}

async function isWanted(project: Project): Promise<boolean> {
  try {
    return (await project.config()).config.residentMemory === 'on'
  } catch (error) {
    // The command that needs the configuration reports it.
    if (error instanceof Fault) return false
    throw error
  }
}

/** The process of the project; `undefined` where none answers. */
export async function residentStatus(
  place: ResidentPlace,
  ask: 'status' | 'stop',
): Promise<ResidentStatus | undefined> {
  const reply = await place.services.ask(place.socket, printRequest({ ask }, version), statusMsMax)
  if (!('line' in reply)) return undefined
  return statusIn(readReply(reply.line))
}

const statusMsMax = 5000

const isPaused = ({ socket }: ResidentPlace, { clock }: Project): boolean =>
  clock.steady() < (pausedUntil.get(socket) ?? 0n)

function pause({ socket }: ResidentPlace, { clock }: Project): void {
  pausedUntil.set(socket, clock.steady() + pauseNs)
}

async function projectHere(context: OperationContext): Promise<Project | undefined> {
  try {
    const project = await openProject(context)
    return project.isFound ? project : undefined
  } catch (error) {
    // The command says why there is no project.
    if (error instanceof Fault) return undefined
    throw error
  }
}

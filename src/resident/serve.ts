/** The resident process: it answers questions about one project from warm memory, and ends when nobody asks. */
import { Fault } from '../fault.ts'
import { timestampOf } from '../kernel/timestamp.ts'
import type { OperationContext } from '../project/context.ts'
import type { Project } from '../project/open.ts'
import { mainInPackage, version } from '../project/version.ts'
import { isAnswered } from './answered.ts'
import {
  type Answered,
  printReply,
  type Question,
  type Reply,
  type Request,
  readRequest,
} from './messages.ts'
import { type ResidentPlace, residentPlace } from './place.ts'
import { questionContext } from './read-only-context.ts'

/** Runs the command of a question. `undefined` if it would write: it did not run. */
export type Answering = (
  question: Question,
  context: OperationContext,
) => Promise<Answered | undefined>

export type EndReason =
  /** Nobody asked for the idle time. */
  | 'idle'
  /** A person, a signal or a client of another version ended it. */
  | 'stopped'
  /** Its program, its project, its socket, its lock or its setting changed. */
  | 'outdated'
  /** A question took too long. */
  | 'stuck'

const limits = { lineBytesMax: 16 * 1024 * 1024, connectionsMax: 64, silentMsMax: 10_000 } as const
const questionMsMax = 10_000
const lookMsMax = 15_000
/** A process of another version is ending. */
const lockWaitMs = 2000
const nanosPerMilli = 1_000_000n

interface ServeOptions {
  readonly answering: Answering
  readonly idleMs: number
}

/** Returns when the process has ended; the holder of the lock if there is one already. */
export async function serveResident(
  project: Project,
  options: ServeOptions,
): Promise<{ readonly ended: EndReason } | { readonly holder: string }> {
  const place = await residentPlace(project)
  if (place === undefined) throw noFolder()
  const lock = await (await project.disk()).lock(place.lock, lockWaitMs)
  if (!lock.held) return { holder: lock.holder }
  const resident = new Resident(project, place, options)
  try {
    return { ended: await resident.live(() => lock.isValid()) }
  } finally {
    await lock.release()
  }
}

class Resident {
  readonly #project: Project
  readonly #place: ResidentPlace
  readonly #options: ServeOptions
  readonly #kept = new Map<string, object>()
  readonly #startedAt: bigint
  readonly #ended: Promise<EndReason>
  #end: (reason: EndReason) => void = () => {}
  /** Questions are answered one by one, because they share memory. */
  #last: Promise<unknown> = Promise.resolve()
  #askedAt: bigint
  #beganAt: bigint | undefined
  /** The question that warms up is not counted. */
  #questions = -1
  #isEnding = false
  #isCurrent: () => Promise<boolean> = async () => true

  constructor(project: Project, place: ResidentPlace, options: ServeOptions) {
    this.#project = project
    this.#place = place
    this.#options = options
    this.#startedAt = project.clock.now()
    this.#askedAt = project.clock.steady()
    this.#ended = new Promise(resolve => {
      this.#end = reason => {
        this.#isEnding = true
        resolve(reason)
      }
    })
  }

  async live(holdsLock: () => boolean): Promise<EndReason> {
    const { services, socket } = this.#place
    const program = await this.#programStamp()
    await this.#warmUp()
    const service = await services.serve(socket, { ...limits, answer: line => this.#reply(line) })
    this.#isCurrent = async () =>
      holdsLock() &&
      service.isReachable() &&
      (await this.#programStamp()) === program &&
      (await this.#isWanted())
    const processes = await this.#project.processes()
    const removeHandler = processes.onStopSignal(() => this.#end('stopped'))
    void this.#lookAround()
    const reason = await this.#ended
    removeHandler()
    await service.close()
    return reason
  }

  /** The first client does not wait for the code and the rows. */
  async #warmUp(): Promise<void> {
    const { root: cwd } = this.#project
    const asked = { command: 'issue ready', args: { limit: 1 }, names: {} }
    await this.#judge({ ...asked, cwd, env: {}, surface: 'cli' })
  }

  /** An update of the package replaces files that this process has not loaded yet. */
  async #programStamp(): Promise<string> {
    const { disk, packageFolder } = this.#project
    const stamp = await (await disk()).stamp(`${packageFolder()}/${mainInPackage}`)
    return stamp ? `${stamp.identity} ${stamp.size} ${stamp.changedNs}` : ''
  }

  /** The project is there, and its setting allows the process. */
  async #isWanted(): Promise<boolean> {
    const project = this.#project.reopened()
    if ((await project.files.kindOf(project.at('.premath'))) !== 'folder') return false
    try {
      return (await project.config()).config.residentMemory === 'on'
    } catch (error) {
      // Commands report a broken configuration, and this process answers none of them.
      if (error instanceof Fault) return false
      throw error
    }
  }

  async #lookAround(): Promise<void> {
    const { clock } = this.#project
    const { idleMs } = this.#options
    const sinceMs = (time: bigint) => Number((clock.steady() - time) / nanosPerMilli)
    while (!this.#isEnding) {
      const idleLeft = idleMs - sinceMs(this.#askedAt)
      if (idleLeft <= 0 && this.#beganAt === undefined) return this.#end('idle')
      if (this.#beganAt !== undefined && sinceMs(this.#beganAt) > questionMsMax) {
        return this.#end('stuck')
      }
      if (!(await this.#isCurrent())) return this.#end('outdated')
      await clock.sleep(Math.min(Math.max(idleLeft, 1), lookMsMax))
    }
  }

  async #reply(line: string): Promise<string | undefined> {
    const request = readRequest(line, version)
    if (request === 'malformed') return printReply({ refused: request })
    if (typeof request === 'string') {
      this.#end('stopped')
      return printReply({ refused: request })
    }
    return printReply(await this.#answer(request))
  }

  async #answer(request: Request): Promise<Reply> {
    if (request.ask === 'answer') return await this.#inTurn(request.question)
    if (request.ask === 'stop') this.#end('stopped')
    const [own] = await this.#project.ancestors()
    return {
      status: {
        pid: own?.id ?? null,
        version,
        startedAt: timestampOf(this.#startedAt),
        questions: this.#questions,
      },
    }
  }

  #inTurn(question: Question): Promise<Reply> {
    const turn = this.#last.then(() => this.#judge(question))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #judge(question: Question): Promise<Reply> {
    if (!isAnswered(question.command)) return { refused: 'not_answered' }
    if (this.#isEnding) return { refused: 'ending' }
    if (!(await this.#isCurrent())) {
      this.#end('outdated')
      return { refused: 'ending' }
    }
    const { clock } = this.#project
    this.#askedAt = clock.steady()
    this.#beganAt = this.#askedAt
    this.#questions++
    try {
      const context = await questionContext(question, this.#project, this.#kept)
      const answer = await this.#options.answering(question, context)
      return answer ? { answer } : { refused: 'not_answered' }
    } finally {
      this.#beganAt = undefined
    }
  }
}

const noFolder = () =>
  new Fault('unavailable', 'there is no folder for the socket that only this user can enter', {
    hint: 'Set XDG_RUNTIME_DIR to a folder of yours with mode 700. Commands work without the resident process.',
  })

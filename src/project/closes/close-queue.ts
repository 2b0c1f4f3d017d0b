/**
 * The queue of closes: one file for each claim whose holder asked for one. A file gives no right.
 * Whoever works it off asks the door again, as the agent over MCP.
 */
import { Flaw } from '../../kernel/artifact/flaw.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import {
  type ClosedIssue,
  closeFile,
  fenceInFile,
  inTurn,
  isPending,
  printCloseRequest,
  progressWith,
  readCloseRequest,
  unreadableRequest,
} from '../../kernel/landing/close-request.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { underLock } from '../../store/lock.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { CloseProgress, CloseRequest } from '../../wire/landing/close-request.ts'
import type { Disk } from '../../world/world.ts'
import type { Project } from '../open.ts'
import { isWithin, mustStayInside } from '../paths.ts'

/** To take the work of a large repository may take seconds. */
const askingWaitMs = 30_000

export class CloseQueue {
  readonly #folder: string
  readonly #root: string
  readonly #disk: Disk
  readonly #sha256: Sha256

  constructor(disk: Disk, { root, sha256, at }: Pick<Project, 'root' | 'sha256' | 'at'>) {
    this.#folder = at(closesFolder)
    this.#root = root
    this.#disk = disk
    this.#sha256 = sha256
  }

  /** Held by the process that works the queue off. */
  get lockPath(): string {
    return `${this.#folder}/queue.lock`
  }

  /** Runs `act` while nobody else asks for a close. */
  async asking<T>(act: () => Promise<T>): Promise<T> {
    await this.#makeFolder()
    return await underLock(this.#disk, `${this.#folder}/asking.lock`, askingWaitMs, act, {
      noun: 'close-queue',
    })
  }

  /** The requests, in turn. A file that cannot be read asks for nothing. */
  async all(): Promise<readonly CloseRequest[]> {
    const names = (await this.#disk.names(this.#folder)).filter(name => name.endsWith('.json'))
    const read = await Promise.all(names.map(name => this.#read(name)))
    return read.flatMap(one => (one instanceof Flaw ? [] : [one])).sort(inTurn)
  }

  /** The requests that wait. */
  async pending(): Promise<readonly CloseRequest[]> {
    return (await this.all()).filter(isPending)
  }

  /** The request of the last claim; a refusal if its file cannot be read. */
  async of(issue: ClosedIssue): Promise<CloseRequest | IssueRefusal | undefined> {
    const [name] = await this.#namesOf(issue)
    if (name === undefined) return undefined
    const request = await this.#read(name)
    return request instanceof Flaw ? unreadableRequest(`${closesFolder}/${name}`, request) : request
  }

  /** Durable when it returns. Requests of earlier claims are over, so their files go. */
  async put(request: CloseRequest): Promise<void> {
    await this.#makeFolder()
    const name = closeFile(request, request.fence, this.#sha256)
    const bytes = new TextEncoder().encode(printCloseRequest(request))
    await this.#disk.replace(`${this.#folder}/${name}`, bytes)
    for (const other of await this.#namesOf(request)) {
      const fence = fenceInFile(other, request, this.#sha256) ?? request.fence
      if (fence < request.fence) await this.#disk.remove(`${this.#folder}/${other}`)
    }
  }

  async #makeFolder(): Promise<void> {
    await mustStayInside(this.#folder, this.#root, this.#disk)
    await makeGitignoredFolder(this.#folder, this.#disk)
  }

  /** The files of an issue, that of the last claim first. */
  async #namesOf(issue: ClosedIssue): Promise<readonly string[]> {
    const fenceIn = (name: string) => fenceInFile(name, issue, this.#sha256)
    const names = (await this.#disk.names(this.#folder)).filter(name => fenceIn(name) !== undefined)
    return names.sort((a, b) => (fenceIn(b) ?? 0) - (fenceIn(a) ?? 0))
  }

  async #read(name: string): Promise<CloseRequest | Flaw> {
    const read = await readPlain(`${this.#folder}/${name}`, { root: this.#root, disk: this.#disk })
    if ('why' in read) return new Flaw(read.why.replace(/^it /, ''))
    const request = readCloseRequest(read.text)
    if (request instanceof Flaw) return request
    const isNamed = closeFile(request, request.fence, this.#sha256) === name
    const isOwn = isWithin(request.issuesPath, await this.#disk.realPath(this.#root))
    return isNamed && isOwn ? request : new Flaw('is about another issue than its name says')
  }
}

/** The queue of a project; `undefined` if nobody ever asked for a close. */
export async function closeQueueIfAny(project: Project): Promise<CloseQueue | undefined> {
  if ((await project.files.kindOf(project.at(closesFolder))) !== 'folder') return undefined
  return new CloseQueue(await project.disk(), project)
}

/** How far the close of an issue is that its holder asked for. */
export async function shownProgress(
  issue: Issue,
  issuesPath: string,
  project: Project,
): Promise<CloseProgress | undefined> {
  const queue = await closeQueueIfAny(project)
  return progressWith(issue, await queue?.of({ issueId: issue.id, issuesPath }))
}

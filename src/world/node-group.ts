/** The processes of a command: telling them from others, and ending them. */
import { Fault } from '../fault.ts'
import { processTable } from './process-table.ts'
import { codeOf, reason } from './system-error.ts'
import type { ProcessGroup } from './world.ts'

export const groupVariable = 'PREMATH_GROUP'
export const graceMsDefault = 2_000

const lookAgainMs = 10
/** A process that waits for a disk ends when the disk answers, killed or not. */
const killedMsMax = 10_000

/** The group that a process of ours leads. Whoever writes it down asks while that runs. */
export function groupOf(leader: number, mark: string): ProcessGroup {
  let startedAt: string | undefined
  return {
    id: leader,
    // Most commands are never looked for again, and the answer is in a file of the system's.
    get startedAt() {
      startedAt ??= processTable.startOf(leader) ?? ''
      return startedAt
    },
    mark,
  }
}

/** What runs under a number that may belong to others by now. */
export function isGroupAlive({ id, startedAt, mark }: ProcessGroup): boolean {
  // To the system, -0 is our own group and -1 is everybody.
  if (!Number.isSafeInteger(id) || id <= 1) return false
  const members = processTable.membersOf(id)
  if (members.length === 0) return false
  const leaderStartedAt = processTable.startOf(id)
  if (leaderStartedAt !== undefined) return leaderStartedAt === startedAt
  // While a group has members, its number is given to nobody else: one that is ours proves all.
  return members.some(pid => processTable.carries(pid, `${groupVariable}=${mark}`))
}

export async function endGroup(group: ProcessGroup): Promise<void> {
  if (!isGroupAlive(group)) return
  signalGroup(group.id, 'SIGTERM')
  if (await isGoneWithin(group.id, graceMsDefault)) return
  signalGroup(group.id, 'SIGKILL')
  if (await isGoneWithin(group.id, killedMsMax)) return
  throw new Fault('unavailable', `process group ${group.id} is still there after a kill`, {
    hint: 'Look at it with ps, and run again when it is gone.',
  })
}

export function signalGroup(id: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-id, signal)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return
    // Somebody else's now, by a change of user; that they stay is seen by who waits for them.
    if (codeOf(error) === 'EPERM') return
    throw new Fault('unavailable', `could not end process group ${id}: ${reason(error)}`, {
      cause: error,
    })
  }
}

/** For a group known to be ours, and watched from then on. */
export async function isGoneWithin(id: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (processTable.membersOf(id).length > 0) {
    if (performance.now() >= until) return false
    await new Promise(resolve => setTimeout(resolve, lookAgainMs))
  }
  return true
}

/** Ends the group of a command of ours, once, however often it is asked to. */
export class GroupEnding {
  readonly #id: number
  readonly #graceMs: number
  #asked = false
  /** From here on the number may be given to others. */
  #over = false
  #kill: NodeJS.Timeout | undefined

  constructor(id: number, graceMs: number) {
    this.#id = id
    this.#graceMs = graceMs
  }

  ask(): void {
    if (this.#asked || this.#over) return
    this.#asked = true
    signalGroup(this.#id, 'SIGTERM')
    this.#kill = setTimeout(() => this.insist(), this.#graceMs)
  }

  insist(): void {
    if (this.#over) return
    this.#asked = true
    signalGroup(this.#id, 'SIGKILL')
  }

  /** After the leader's end: what is left gets `leftoverMs` to end by itself, and is ended. */
  async settle(leftoverMs: number): Promise<'none' | 'ended' | 'alive'> {
    const byItself = !this.#asked
    let gone = byItself && (await isGoneWithin(this.#id, leftoverMs))
    const leftBehind = byItself && !gone ? 'ended' : 'none'
    if (!gone) this.ask()
    gone ||= await isGoneWithin(this.#id, this.#graceMs + killedMsMax)
    clearTimeout(this.#kill)
    this.#over = true
    return gone ? leftBehind : 'alive'
  }
}

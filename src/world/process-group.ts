/** The process group of a command: tells it from other groups, and ends it. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Fault } from '../fault.ts'
import { hasProc, readProc, startedAt as startOf, statOf } from './proc.ts'
import { codeOf, reason } from './system-error.ts'
import type { ProcessGroup } from './world.ts'

export const groupVariable = 'PREMATH_GROUP'
export const graceMsDefault = 2_000

const pollMs = 10
/** A process that waits for a disk ends only when the disk answers, also after SIGKILL. */
const killedMsMax = 10_000

/** The group of a child process that has not been reaped yet. */
export const groupOf = (leader: number, mark: string): ProcessGroup => ({
  id: leader,
  startedAt: processTable.startOf(leader) ?? '',
  mark,
})

export function isProcess(id: number): boolean {
  // kill(0) signals our own group.
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    // EPERM: it runs under another user.
    return codeOf(error) === 'EPERM'
  }
}

/** The system may have given the same number to another group since. */
export function isGroupAlive({ id, startedAt, mark }: ProcessGroup): boolean {
  // kill(0) signals our own group, and kill(-1) every process.
  if (!Number.isSafeInteger(id) || id <= 1) return false
  const members = processTable.membersOf(id)
  if (members.length === 0) return false
  const leaderStartedAt = processTable.startOf(id)
  if (leaderStartedAt !== undefined) return leaderStartedAt === startedAt
  // The number stays taken while the group has members, so one marked member identifies it.
  return members.some(pid => processTable.carries(pid, `${groupVariable}=${mark}`))
}

/** Ends a group that may be another process's. */
export async function endGroup(group: ProcessGroup): Promise<void> {
  if (!isGroupAlive(group)) return
  const ending = new GroupEnding(group.id, graceMsDefault)
  ending.terminate()
  if ((await ending.settle()) !== 'alive') return
  throw new Fault('unavailable', `process group ${group.id} still runs after SIGKILL`, {
    hint: 'Look at it with ps, and run again when it is gone.',
  })
}

export function signalGroup(id: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-id, signal)
  } catch (error) {
    // EPERM: its processes changed their user. Whoever waits for them sees that they stay.
    if (['ESRCH', 'EPERM'].includes(codeOf(error))) return
    throw new Fault('unavailable', `could not end process group ${id}: ${reason(error)}`, {
      cause: error,
    })
  }
}

async function isGoneWithin(id: number, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (processTable.membersOf(id).length > 0) {
    if (performance.now() >= until) return false
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
  return true
}

/** Ends one group, however often it is asked to: SIGTERM, and SIGKILL after the grace period. */
export class GroupEnding {
  readonly #id: number
  readonly #graceMs: number
  readonly #isContained: boolean
  #signalled = false
  /** From here on the number may belong to another group. */
  #over = false
  #killTimer: NodeJS.Timeout | undefined

  constructor(id: number, graceMs: number, isContained = false) {
    this.#id = id
    this.#graceMs = graceMs
    this.#isContained = isContained
  }

  terminate(): void {
    if (this.#signalled || this.#over) return
    this.#signalled = true
    // The first process of the group would die at once, and all processes of its sandbox with it.
    const within = this.#isContained ? processTable.childOf(this.#id) : undefined
    signalGroup(within ?? this.#id, 'SIGTERM')
    this.#killTimer = setTimeout(() => this.kill(), this.#graceMs)
  }

  kill(): void {
    if (this.#over) return
    this.#signalled = true
    signalGroup(this.#id, 'SIGKILL')
  }

  /** After the leader's end: the rest gets `leftoverMs` to end by itself, and is ended then. */
  async settle(leftoverMs = 0): Promise<'none' | 'ended' | 'alive'> {
    const byItself = !this.#signalled
    let gone = byItself && (await isGoneWithin(this.#id, leftoverMs))
    const leftBehind = byItself && !gone ? 'ended' : 'none'
    if (!gone) this.terminate()
    gone ||= await isGoneWithin(this.#id, this.#graceMs + killedMsMax)
    clearTimeout(this.#killTimer)
    this.#over = true
    return gone ? leftBehind : 'alive'
  }
}

/** Ends the processes that carry a mark, also those that have left their group. */
export async function endMarked(mark: string, graceMs: number): Promise<void> {
  const left = () => processTable.carriersOf(`${groupVariable}=${mark}`)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const until = performance.now() + (signal === 'SIGTERM' ? graceMs : killedMsMax)
    // One of them may have started another meanwhile.
    for (let pids = left(); pids.length > 0 && performance.now() < until; pids = left()) {
      for (const pid of pids) signalProcess(pid, signal)
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }
}

function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(codeOf(error))) throw error
  }
}

/** The processes of this machine, ours and others. */
interface ProcessTable {
  /** Differs for each process that ever has this number; `undefined` when no process has it. */
  startOf(pid: number): string | undefined
  /** The processes of a group, without zombies. */
  membersOf(group: number): readonly number[]
  /** The first child process; `undefined` where that is unknown. */
  childOf(pid: number): number | undefined
  /** Whether the process started with this in its environment; `false` where that is unknown. */
  carries(pid: number, variable: string): boolean
  /** The processes that carry it, without zombies; none where that is unknown. */
  carriersOf(variable: string): readonly number[]
}

export const procTable: ProcessTable = {
  startOf,

  membersOf(group) {
    if (!mayHaveMembers(group)) return []
    return allPids().filter(pid => {
      const stat = statOf(pid)
      return stat?.group === group && isRunning(stat.state)
    })
  },

  childOf: pid => allPids().find(one => statOf(one)?.parent === pid),

  carries(pid, variable) {
    return readProc(pid, 'environ')?.split('\0').includes(variable) ?? false
  },

  // A zombie has no environment.
  carriersOf: variable => allPids().filter(pid => procTable.carries(pid, variable)),
}

const allPids = () => readdirSync('/proc').map(Number).filter(Number.isInteger)

/** For systems without `/proc`. Start times are exact to the second. */
export const psTable: ProcessTable = {
  startOf(pid) {
    return ps(['-o', 'lstart=', '-p', String(pid)])[0]
  },

  membersOf(group) {
    if (!mayHaveMembers(group)) return []
    return ps(['-A', '-o', 'pid=,pgid=,stat='])
      .map(line => line.split(/\s+/))
      .filter(([, of, state = '']) => Number(of) === group && isRunning(state))
      .map(([pid]) => Number(pid))
  },

  childOf: () => undefined,
  carries: () => false,
  carriersOf: () => [],
}

function ps(args: readonly string[]): string[] {
  const { stdout, error } = spawnSync('ps', args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  if (error) {
    throw new Fault('unavailable', `could not list processes: ${reason(error)}`, { cause: error })
  }
  return stdout
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** Much cheaper than a look at all processes, and mostly the answer is no. */
function mayHaveMembers(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

const isRunning = (state: string) => !/^[ZX]/.test(state)

const processTable = hasProc ? procTable : psTable

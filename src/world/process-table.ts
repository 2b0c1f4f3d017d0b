/** What the machine knows about processes that need not be ours. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'

export interface ProcessTable {
  /** A word that no other process with this number has or gets; `undefined`: there is none. */
  startOf(pid: number): string | undefined
  /** The processes of a group. One that has ended and waits to be collected does not count. */
  membersOf(group: number): readonly number[]
  /** Whether the process was started with this in its environment; `false` where nobody says. */
  carries(pid: number, variable: string): boolean
}

interface ProcStat {
  readonly state: string
  readonly group: number
  readonly startTicks: string
}

let machine: string | undefined

/** Ticks are counted from the start of the machine, and numbers are given out per namespace. */
function thisMachine(): string {
  const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const numbers = () => readlinkSync('/proc/self/ns/pid')
  machine ??= `${ifTold(boot) ?? ''}/${ifTold(numbers) ?? ''}`
  return machine
}

export const procTable: ProcessTable = {
  startOf(pid) {
    const stat = statOf(pid)
    return stat && `${thisMachine()}/${stat.startTicks}`
  },

  membersOf(group) {
    if (!mayHaveMembers(group)) return []
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
    return pids.filter(pid => {
      const stat = statOf(pid)
      return stat?.group === group && isRunning(stat.state)
    })
  },

  carries(pid, variable) {
    return ofProcess(pid, 'environ')?.split('\0').includes(variable) ?? false
  },
}

function statOf(pid: number): ProcStat | undefined {
  const line = ofProcess(pid, 'stat')
  if (line === undefined) return undefined
  // The name comes second, in parentheses, and may hold anything.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state = '', , group = '', ...rest] = fields
  return { state, group: Number(group), startTicks: rest[16] ?? '' }
}

function ofProcess(pid: number, name: string): string | undefined {
  return ifTold(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
}

/** Not there when the process has ended, or when it is none of our business. */
function ifTold<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return undefined
    throw error
  }
}

/** For systems without `/proc`. Start times are told to the second. */
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

  carries: () => false,
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

/** Cheap, and mostly the end of the question. */
function mayHaveMembers(group: number): boolean {
  // Mostly there is nobody, and finding out where that was asked takes longer than asking.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const isRunning = (state: string) => !/^[ZX]/.test(state)

const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

export const processTable = hasProc ? procTable : psTable

/** The processes of this machine, ours and others. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'

export interface ProcessTable {
  /** Differs for each process that ever has this number; `undefined` when no process has it. */
  startOf(pid: number): string | undefined
  /** The processes of a group, without zombies. */
  membersOf(group: number): readonly number[]
  /** Whether the process started with this in its environment; `false` where that is unknown. */
  carries(pid: number, variable: string): boolean
}

interface ProcStat {
  readonly state: string
  readonly group: number
  readonly startTicks: string
}

let machine: string | undefined

/** Start times count from the machine's boot, and each pid namespace has numbers of its own. */
function thisMachine(): string {
  const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespace = () => readlinkSync('/proc/self/ns/pid')
  machine ??= `${ifReadable(boot) ?? ''}/${ifReadable(namespace) ?? ''}`
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
    return readProc(pid, 'environ')?.split('\0').includes(variable) ?? false
  },
}

function statOf(pid: number): ProcStat | undefined {
  const line = readProc(pid, 'stat')
  if (line === undefined) return undefined
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state = '', , group = '', ...rest] = fields
  return { state, group: Number(group), startTicks: rest[16] ?? '' }
}

function readProc(pid: number, name: string): string | undefined {
  return ifReadable(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
}

/** `undefined` when the process has ended, or belongs to another user. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) return undefined
    throw error
  }
}

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

const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

export const processTable = hasProc ? procTable : psTable

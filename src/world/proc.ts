/** Reads the table of processes that Linux has in `/proc`. */
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { codeOf } from './system-error.ts'
import type { Ancestor } from './world.ts'

export const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

interface ProcStat {
  readonly state: string
  readonly parent: number
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

/** Differs for each process that ever has this number; `undefined` when no process has it. */
export function startedAt(pid: number): string | undefined {
  const stat = statOf(pid)
  return stat && startIn(stat)
}

const startIn = ({ startTicks }: ProcStat) => `${thisMachine()}/${startTicks}`

/** This process, its parent and so on. None where the system does not tell. */
export function ancestors(): readonly Ancestor[] {
  const found: Ancestor[] = []
  if (!hasProc) return found
  for (let id = process.pid; id > 1; ) {
    const stat = statOf(id)
    if (!stat) break
    found.push({ id, startedAt: startIn(stat) })
    id = stat.parent
  }
  return found
}

export function statOf(pid: number): ProcStat | undefined {
  const line = readProc(pid, 'stat')
  if (line === undefined) return undefined
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent = '', group = '', ...rest] = fields
  return { state, parent: Number(parent), group: Number(group), startTicks: rest[16] ?? '' }
}

export function readProc(pid: number, name: string): string | undefined {
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

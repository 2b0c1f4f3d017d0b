/** Finds resident processes by their runtime folder, also those that nobody can reach. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

interface RunningResident {
  readonly pid: number
  /** The folder of its project; empty for one that a person started. */
  readonly root: string
}

export function residentsOf(runtimeFolder: string): readonly RunningResident[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      const variables = processFile(pid, 'environ')
      const isOurs = variables.includes(`XDG_RUNTIME_DIR=${runtimeFolder}`)
      if (!isOurs || !processFile(pid, 'cmdline').includes('resident')) return []
      const root = variables.find(variable => variable.startsWith(rootVariable)) ?? rootVariable
      return [{ pid: Number(pid), root: root.slice(rootVariable.length) }]
    })
}

const rootVariable = 'PREMATH_ROOT='

/** The parts of a file about a process that may have ended. */
function processFile(pid: string, name: 'cmdline' | 'environ'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  } catch {
    return []
  }
}

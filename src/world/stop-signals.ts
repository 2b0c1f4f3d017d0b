/** Being asked to stop, while commands of ours run. */
import { signalGroup } from './node-group.ts'
import type { StopSignal } from './world.ts'

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Ctrl-C reaches us from the terminal and once more from npm, which passes it on. */
const sameSignalMs = 250

const runningGroups = new Set<number>()
const handlers = new Set<(signal: StopSignal) => void>()
let listening = false
let toldAt: number | undefined

// Whatever makes us leave early, nothing goes on without us.
process.on('exit', killRunningGroups)

export function onStopSignal(handler: (signal: StopSignal) => void): () => void {
  handlers.add(handler)
  listenIfNeeded()
  return () => {
    handlers.delete(handler)
    if (handlers.size === 0) toldAt = undefined
    listenIfNeeded()
  }
}

/** Until the function it returns is called, the group does not outlive us if we can help it. */
export function groupRuns(id: number): () => void {
  runningGroups.add(id)
  listenIfNeeded()
  return () => {
    runningGroups.delete(id)
    listenIfNeeded()
  }
}

function listenIfNeeded(): void {
  const needed = handlers.size > 0 || runningGroups.size > 0
  if (needed === listening) return
  listening = needed
  for (const signal of stopSignals) {
    if (needed) process.on(signal, receive)
    else process.off(signal, receive)
  }
  if (needed) process.on('SIGQUIT', leave)
  else process.off('SIGQUIT', leave)
}

function receive(signal: StopSignal): void {
  const now = performance.now()
  if (handlers.size > 0 && toldAt === undefined) {
    toldAt = now
    for (const handler of handlers) handler(signal)
    return
  }
  if (toldAt !== undefined && now - toldAt <= sameSignalMs) return
  leave(signal)
}

/** At once, taking along what runs. */
function leave(signal: NodeJS.Signals): void {
  killRunningGroups()
  for (const each of stopSignals) process.off(each, receive)
  process.off('SIGQUIT', leave)
  // Whoever waits for us learns that it was the signal.
  process.kill(process.pid, signal)
}

function killRunningGroups(): void {
  for (const group of runningGroups) signalGroup(group, 'SIGKILL')
}

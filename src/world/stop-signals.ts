/** Signals that ask this process to stop, and the commands that must not outlive it. */
import { signalGroup } from './process-group.ts'
import type { StopSignal } from './world.ts'

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** npm passes Ctrl-C on, so one key press can arrive twice. */
const sameSignalMs = 250

/** With what has to happen after each was killed. */
const runningGroups = new Map<number, () => void>()
const handlers = new Set<(signal: StopSignal) => void>()
let listening = false
let handledAt: number | undefined

process.on('exit', killRunningGroups)

export function onStopSignal(handler: (signal: StopSignal) => void): () => void {
  handlers.add(handler)
  listenIfNeeded()
  return () => {
    handlers.delete(handler)
    if (handlers.size === 0) handledAt = undefined
    listenIfNeeded()
  }
}

/**
 * Runs a function that blocks this thread, so that no handler could run. A stop signal then ends the
 * process at once, by its default action. Commands that run must be ended first, so with them the
 * signal waits for the function.
 */
export function whileBlocked<T>(act: () => T): T {
  if (!listening || runningGroups.size > 0) return act()
  for (const signal of stopSignals) process.off(signal, receive)
  try {
    return act()
  } finally {
    for (const signal of stopSignals) process.on(signal, receive)
  }
}

/** Kills the group when this process ends. Returns a function that takes the group off the list. */
export function killGroupAtExit(id: number, afterwards: () => void): () => void {
  runningGroups.set(id, afterwards)
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
  if (needed) process.on('SIGQUIT', exitNow)
  else process.off('SIGQUIT', exitNow)
}

function receive(signal: StopSignal): void {
  const now = performance.now()
  if (handlers.size > 0 && handledAt === undefined) {
    handledAt = now
    for (const handler of handlers) handler(signal)
    return
  }
  if (handledAt !== undefined && now - handledAt <= sameSignalMs) return
  exitNow(signal)
}

/** Ends this process at once, by the same signal, and kills the commands. */
function exitNow(signal: NodeJS.Signals): void {
  killRunningGroups()
  for (const each of stopSignals) process.off(each, receive)
  process.off('SIGQUIT', exitNow)
  process.kill(process.pid, signal)
}

function killRunningGroups(): void {
  for (const [group, afterwards] of runningGroups) {
    signalGroup(group, 'SIGKILL')
    afterwards()
  }
}

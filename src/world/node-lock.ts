/** Exclusive use of a file among processes, and a note in it that says who has it. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename } from 'node:path'
import { doing, notFollowed } from './disk-fault.ts'
import { kernelLock } from './kernel-lock.ts'
import type { HeldLock, LockBusy } from './world.ts'

const append = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | notFollowed

const retryMsMax = 12

/** Locks that others were waiting for when we gave them back. */
const awaited = new Set<string>()

/** Locks that this process has, and who of it looks again as soon as it gives one back. */
const heldHere = new Map<string, Set<() => void>>()

export async function lockFile(path: string, waitMs: number): Promise<HeldLock | LockBusy> {
  const tryLock = await kernelLock()
  const until = performance.now() + waitMs
  // Who has just had it lets those who wait go first; they look again within this time.
  if (awaited.delete(path)) await pause(retryMsMax)
  let file = doing('lock', path, () => openSync(path, append))
  while (!doing('lock', path, () => tryLock(file)) || !isStillAt(file, path)) {
    if (!isStillAt(file, path)) {
      closeSync(file)
      file = doing('lock', path, () => openSync(path, append))
      continue
    }
    if (performance.now() >= until) {
      closeSync(file)
      return { held: false, holder: holderIn(path) }
    }
    const waiting = heldHere.get(path)
    // One of us is told without it, and does not let others go first for our sake.
    if (!waiting) knock(file)
    // By chance, so that many who wait do not keep meeting.
    await pause(1 + Math.random() * (retryMsMax - 1), waiting)
  }
  return heldLock(file, path)
}

/** Shorter where somebody calls us. */
function pause(ms: number, calls: Set<() => void> = new Set()): Promise<void> {
  return new Promise(settle => {
    const over = () => {
      clearTimeout(timer)
      calls.delete(over)
      settle()
    }
    const timer = setTimeout(over, ms)
    calls.add(over)
  })
}

/** A mark behind the holder's note, which tells the holder that somebody waits. */
function knock(file: number): void {
  try {
    writeSync(file, '.')
  } catch {
    // It is a courtesy; the lock works without it.
  }
}

/** Somebody may have removed the file between our opening it and locking it. */
function isStillAt(file: number, path: string): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  const ours = fstatSync(file, { bigint: true })
  return there?.ino === ours.ino && there.dev === ours.dev
}

function heldLock(file: number, path: string): HeldLock {
  const note = holderNote()
  const waiting = new Set<() => void>()
  rewrite(file, note)
  heldHere.set(path, waiting)
  return {
    held: true,
    isValid: () => doing('lock', path, () => isStillAt(file, path)),
    async release() {
      doing('unlock', path, () => {
        if (fstatSync(file).size > Buffer.byteLength(note)) awaited.add(path)
        rewrite(file, '')
        // Closing gives the lock back.
        closeSync(file)
      })
      // Somebody else may have one of that name: where the file was removed, ours keeps nobody out.
      if (heldHere.get(path) === waiting) heldHere.delete(path)
      for (const call of waiting) call()
    },
  }
}

/** The note is for people; the lock holds without it, on a full disk too. */
function rewrite(file: number, note: string): void {
  try {
    // Whoever gave it back left it empty, unless it was killed.
    if (fstatSync(file).size > 0) ftruncateSync(file, 0)
    if (note !== '') writeSync(file, note)
  } catch {
    // As said above.
  }
}

function holderNote(): string {
  holder ??= thisProcess()
  return `${holder}since: ${new Date().toISOString()}\n`
}

/** It stays the same, and a loop takes a lock ten times a step. */
let holder: string | undefined

function thisProcess(): string {
  const { hostname } = process.getBuiltinModule('node:os')
  const words = [basename(process.argv[1] ?? process.argv0), ...process.argv.slice(2)]
  return [
    `pid: ${process.pid}`,
    `host: ${hostname()}`,
    `command: ${words.join(' ').replace(/\s+/g, ' ').slice(0, 200)}`,
    '',
  ].join('\n')
}

/** The note of whoever holds the lock: `pid 12 on host (command) since …`. */
function holderIn(path: string): string {
  let note: string
  try {
    note = readFileSync(path, 'utf8')
  } catch {
    return 'an unknown process'
  }
  const said = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1]
  const pid = said('pid')
  if (pid === undefined) return 'an unknown process'
  const host = said('host')
  return `pid ${pid}${host ? ` on ${host}` : ''} (${said('command') ?? 'unknown'}) since ${said('since') ?? 'an unknown time'}`
}

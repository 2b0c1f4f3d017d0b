/**
 * An exclusive lock on a file among processes, with a note in the file that names the holder.
 * The kernel keeps the lock for an open file and drops it when the process ends.
 */
/// <reference path="./fs-native-extensions.d.ts" />
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
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { Fault } from '../fault.ts'
import { foundAt } from './stat.ts'
import { awaitSystem, callSystem, reason } from './system-error.ts'
import type { HeldLock, LockBusy } from './world.ts'
import { noFollow } from './write-file.ts'

const append = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | noFollow

const retryMsMax = 12

/** Node loads `performance` at its first use, which takes a millisecond. */
const steadyMs = () => Number(process.hrtime.bigint()) / 1e6

/** Paths of locks that other processes waited for when this process released them. */
const awaited = new Set<string>()

/** Locks that this process holds, with the callbacks of the waiters in this process. */
const ownLocks = new Map<string, Set<() => void>>()

export async function lockFile(path: string, waitMs: number): Promise<HeldLock | LockBusy> {
  kernelLocks ??= loadKernelLocks()
  const { tryLock } = kernelLocks
  const until = steadyMs() + waitMs
  // Lets waiting processes go first: each of them tries again within this time.
  if (awaited.delete(path)) await pause(retryMsMax)
  for (;;) {
    const file = openLock(path)
    const tried = await awaitSystem('lock', path, () => tryUntil(until, tryLock, file, path))
    if (tried === 'held') return heldLock(file, path)
    callSystem('lock', path, () => closeSync(file))
    if (tried === 'busy') return { held: false, holder: await holderOf(path) }
  }
}

/** Closes the file where a call fails: it may hold the lock, and nobody would release it. */
async function tryUntil(
  until: number,
  tryLock: (file: number) => boolean,
  file: number,
  path: string,
): Promise<'held' | 'busy' | 'removed'> {
  try {
    for (;;) {
      const isHeld = tryLock(file)
      if (!isStillAt(file, path)) return 'removed'
      if (isHeld) return 'held'
      if (steadyMs() >= until) return 'busy'
      const waiting = ownLocks.get(path)
      // A holder in this process calls its waiters, so it need not let others go first for them.
      if (!waiting) markWaiting(file)
      // A random delay keeps waiters from trying in step.
      await pause(1 + Math.random() * (retryMsMax - 1), waiting)
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function openLock(path: string): number {
  return callSystem('lock', path, () => {
    // A pipe can be locked, but to read the note in it would wait for ever.
    foundAt(path)
    return openSync(path, append)
  })
}

let kernelLocks: typeof import('fs-native-extensions') | undefined

/** Loaded with the first lock: finding its native part takes as long as half a bare start. */
function loadKernelLocks(): typeof import('fs-native-extensions') {
  try {
    // Loading the same as an ES module takes half as long again.
    return createRequire(import.meta.filename)('fs-native-extensions')
  } catch (error) {
    throw new Fault('unavailable', `file locks are not available: ${reason(error)}`, {
      hint: 'Issue memory needs Linux with glibc, macOS or Windows on x64 or arm64.',
      cause: error,
    })
  }
}

/** Waits for the time, or until one of the calls is made. */
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

/** Appends a mark to the note, which tells the holder that a process waits. */
function markWaiting(file: number): void {
  try {
    writeSync(file, '.')
  } catch {
    // The lock works without the mark; only fairness suffers.
  }
}

/** Whether the path still names the open file, which may be removed before it is locked. */
function isStillAt(file: number, path: string): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  const ours = fstatSync(file, { bigint: true })
  return there?.ino === ours.ino && there.dev === ours.dev
}

function heldLock(file: number, path: string): HeldLock {
  const note = holderNote()
  const waiting = new Set<() => void>()
  rewrite(file, note)
  ownLocks.set(path, waiting)
  return {
    held: true,
    isValid: () => callSystem('lock', path, () => isStillAt(file, path)),
    async release() {
      if (isLonger(file, note)) awaited.add(path)
      rewrite(file, '')
      try {
        // Closing gives the lock back, also where it fails.
        callSystem('unlock', path, () => closeSync(file))
      } finally {
        // Where the file was removed, another lock of this process may have the same path.
        if (ownLocks.get(path) === waiting) ownLocks.delete(path)
        for (const call of waiting) call()
      }
    },
  }
}

/** True if waiters left marks behind the note. Where the disk cannot tell, nobody goes first. */
function isLonger(file: number, note: string): boolean {
  try {
    return fstatSync(file).size > Buffer.byteLength(note)
  } catch {
    return false
  }
}

/** The note is for people; the lock holds without it, for example on a full disk. */
function rewrite(file: number, note: string): void {
  try {
    // A release empties the file; a killed holder leaves its note.
    if (fstatSync(file).size > 0) ftruncateSync(file, 0)
    if (note !== '') writeSync(file, note)
  } catch {
    // See above: the lock holds without its note.
  }
}

function holderNote(): string {
  holder ??= thisProcess()
  // On lines of its own: a waiter may have left its mark between the lock and this note.
  return `\n${holder}since: ${new Date().toISOString()}\n`
}

/** Kept, because a loop takes a lock ten times a step. */
let holder: string | undefined

function thisProcess(): string {
  const { hostname } = process.getBuiltinModule('node:os')
  // People know the command by its name, however Node was started.
  const program = basename(process.argv[1] ?? process.argv0).replace(/^main\.cjs$/, 'premath')
  const words = [program, ...process.argv.slice(2)]
  return [
    `pid: ${process.pid}`,
    `host: ${hostname()}`,
    `command: ${words.join(' ').replace(/\s+/g, ' ').slice(0, 200)}`,
    '',
  ].join('\n')
}

const noteReadsMax = 20

/** The holder takes the lock and then writes its note, so a missing note is read again. */
async function holderOf(path: string): Promise<string> {
  for (let reads = 1; reads <= noteReadsMax; reads++) {
    const holder = holderIn(path)
    if (holder !== undefined) return holder
    await pause(retryMsMax)
  }
  return 'an unknown process'
}

/** The holder as its note names it: `pid 12 on host (command) since …`. */
function holderIn(path: string): string | undefined {
  let note: string
  try {
    note = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1]
  const pid = field('pid')
  if (pid === undefined) return undefined
  const host = field('host')
  return `pid ${pid}${host ? ` on ${host}` : ''} (${field('command') ?? 'unknown'}) since ${field('since') ?? 'an unknown time'}`
}

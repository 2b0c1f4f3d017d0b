import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

export const lockWaitMsDefault = 5_000

/** A setting is a function, which is called if the lock is busy: most changes never read it. */
export type LockWait = number | (() => Promise<number>)

/** Faults where the lock file was removed. Called right before a write that cannot be undone. */
export type LockGuard = () => void

export interface LockWords {
  readonly noun?: string
  readonly hint?: string
  /** The message about a busy lock, where a person need not know that there is a lock. */
  readonly busy?: (holder: string) => string
}

/** Runs `act` under a lock. A busy lock is a conflict that names its holder. */
export async function underLock<T>(
  disk: Disk,
  path: string,
  wait: LockWait,
  act: (guard: LockGuard) => Promise<T>,
  { noun = 'issue-memory', hint = busyHint, busy }: LockWords = {},
): Promise<T> {
  const lock = await lockWithin(disk, path, wait)
  if (!lock.held) {
    const message = busy?.(lock.holder) ?? `${noun} lock busy: ${path}, held by ${lock.holder}`
    throw new Fault('conflict', message, {
      hint,
      detail: { path, holder: lock.holder },
    })
  }
  try {
    return await act(() => {
      if (!lock.isValid()) throw lockRemoved(path)
    })
  } finally {
    await lock.release()
  }
}

async function lockWithin(disk: Disk, path: string, wait: LockWait) {
  if (typeof wait === 'number') return await disk.lock(path, wait)
  const lock = await disk.lock(path, 0)
  return lock.held ? lock : await disk.lock(path, await wait())
}

const busyHint = 'Try again. If that process hangs, end it: that releases the lock.'

const lockRemoved = (path: string) =>
  new Fault('conflict', `the lock ${path} was removed while this process held it`, {
    hint: 'Nothing was changed. Do not remove lock files: a lock ends with its process. Try again.',
    detail: { path },
  })

/** Runs calls one at a time, in the order they come. A failure goes to its own caller only. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act)
    this.#last = mine.catch(() => {})
    return mine
  }
}

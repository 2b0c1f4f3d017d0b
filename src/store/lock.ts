import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

export const lockWaitMsDefault = 5_000

/** Asked before what cannot be taken back: faults where the lock keeps nobody out any more. */
export type LockGuard = () => void

/** Runs `act` while nobody else may write; a busy lock is a conflict that says who holds it. */
export async function underLock<T>(
  disk: Disk,
  path: string,
  waitMs: number,
  act: (guard: LockGuard) => Promise<T>,
  { noun = 'issue-memory', hint = tryAgain } = {},
): Promise<T> {
  const lock = await disk.lock(path, waitMs)
  if (!lock.held) {
    throw new Fault('conflict', `${noun} lock busy: ${path}, held by ${lock.holder}`, {
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

const tryAgain = 'Try again. If that process hangs, end it: the lock ends with it.'

const lockRemoved = (path: string) =>
  new Fault('conflict', `the lock ${path} was removed while we held it`, {
    hint: 'Nothing was changed. Leave lock files alone, they end with their process; then try again.',
    detail: { path },
  })

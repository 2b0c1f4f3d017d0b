import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

export const lockWaitMsDefault = 5_000

/** Runs `act` while nobody else may write; a busy lock is a conflict that says who holds it. */
export async function underLock<T>(
  disk: Disk,
  path: string,
  waitMs: number,
  act: () => Promise<T>,
): Promise<T> {
  const lock = await disk.lock(path, waitMs)
  if (!lock.held) {
    throw new Fault('conflict', `issue-memory lock busy: ${path}, held by ${lock.holder}`, {
      hint: 'Try again. If that process hangs, end it: the lock ends with it.',
      detail: { path, holder: lock.holder },
    })
  }
  try {
    return await act()
  } finally {
    await lock.release()
  }
}

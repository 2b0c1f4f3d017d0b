/** Writing to an open file, and waiting until the disk has it. */
import { closeSync, fdatasync, fsync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

// Not synchronous, as other calls are: of several workers, only one has to wait for the disk.
export const toDisk = promisify(fsync)
/** Without what nobody needs to read it again. */
export const contentToDisk = promisify(fdatasync)

/** One write takes it all, unless the disk is nearly full; then the next one says so. */
export function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}

/** A name is durable when the folder that holds it is. Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    await toDisk(folder)
  } finally {
    closeSync(folder)
  }
}

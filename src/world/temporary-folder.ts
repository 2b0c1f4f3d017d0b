import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { doing } from './disk-fault.ts'

export function makeTemporaryFolder(): string {
  const place = tmpdir()
  return doing('write', place, () => mkdtempSync(join(place, 'premath-')))
}

/** A folder that is gone again when `use` returns; what is open by then has no name and lives on. */
export function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = makeTemporaryFolder()
  return doing('write', folder, () => {
    try {
      return use(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

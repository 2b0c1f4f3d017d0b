import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { doing } from './disk-fault.ts'

/** A folder that is gone again when `use` returns; what is open by then has no name and lives on. */
export function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const place = tmpdir()
  return doing('write', place, () => {
    const folder = mkdtempSync(join(place, 'premath-'))
    try {
      return use(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

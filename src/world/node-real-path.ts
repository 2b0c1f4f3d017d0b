import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from './system-error.ts'

const linksMax = 40

/** Also of a path that is not there yet, and of a link whose target is not. */
export function realPathOf(path: string, links = 0): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || links > linksMax) throw error
    const target = linkAt(path)
    if (target !== undefined) return realPathOf(resolve(dirname(path), target), links + 1)
    const above = dirname(path)
    return above === path ? path : join(realPathOf(above, links + 1), basename(path))
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

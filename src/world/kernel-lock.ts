/** Locks that the kernel keeps for an open file and drops with it. */
/// <reference path="./fs-native-extensions.d.ts" />
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'

type TryLock = (file: number) => boolean

/** What the addon itself offers; `fs-native-extensions` wraps it. */
interface Addon {
  tryLock(file: number, offset: number, length: number, exclusive: boolean): void
}

let found: TryLock | undefined

export async function kernelLock(): Promise<TryLock> {
  found ??= fromAddon() ?? (await fromPackage())
  return found
}

/**
 * The prebuilt addon, opened where the package keeps it. The package's own way of finding it takes
 * thirty milliseconds, as long as a whole command may.
 */
function fromAddon(): TryLock | undefined {
  try {
    const require = createRequire(import.meta.filename)
    const folder = dirname(require.resolve('fs-native-extensions'))
    const name = `${process.platform}-${process.arch}/fs-native-extensions.node`
    const addon: Addon = require(join(folder, 'prebuilds', name))
    return file => {
      try {
        addon.tryLock(file, 0, 0, true)
        return true
      } catch (error) {
        if (codeOf(error) === 'EAGAIN') return false
        throw error
      }
    }
  } catch {
    return undefined
  }
}

async function fromPackage(): Promise<TryLock> {
  try {
    const { tryLock } = await import('fs-native-extensions')
    return file => tryLock(file)
  } catch (error) {
    throw new Fault('unavailable', `this system has no file locks we can use: ${reason(error)}`, {
      hint: 'Issue memory needs Linux with glibc, macOS or Windows on x64 or arm64.',
      cause: error,
    })
  }
}

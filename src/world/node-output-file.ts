import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { doing, notFollowed } from './disk-fault.ts'
import type { OutputFile } from './kept-output.ts'

export interface OpenOutputFile extends OutputFile {
  close(): void
}

/** Each write goes to the end, also after a cut. */
const emptyToAppend =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND | notFollowed

/**
 * A file for the output of a command, made when there is any: most commands leave one output empty,
 * and a new file is dear. One of that name is emptied at once.
 */
export function openOutputFile(path: string): OpenOutputFile {
  const open = () => openSync(path, emptyToAppend)
  const written = (write: (file: number) => void) =>
    doing('write', path, () => {
      file ??= open()
      write(file)
    })
  let file = doing('write', path, () => {
    if (existsSync(path)) return open()
    // Found out before the command runs, not when it first says something.
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
    return undefined
  })
  return {
    append: bytes =>
      written(file => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      }),
    cut: size => written(file => ftruncateSync(file, size)),
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}

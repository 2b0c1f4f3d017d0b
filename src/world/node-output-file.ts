import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs'
import { doing } from './disk-fault.ts'
import type { OutputFile } from './kept-output.ts'

export interface OpenOutputFile extends OutputFile {
  close(): void
}

/** Each write goes to the end, also after a cut. */
const emptyToAppend =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

/** A new file for the output of a command; one of that name is emptied. */
export function openOutputFile(path: string): OpenOutputFile {
  const file = doing('write', path, () => openSync(path, emptyToAppend))
  return {
    append(bytes) {
      doing('write', path, () => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      })
    },
    cut: size => doing('write', path, () => ftruncateSync(file, size)),
    close: () => closeSync(file),
  }
}

/**
 * Writes output on a thread of its own. A write blocks for as long as the terminal is stopped or
 * the pager is not read, and the work must not wait for it.
 */
import { Worker } from 'node:worker_threads'
import { Fault } from '../fault.ts'
import type { ThreadedOutput } from './world.ts'

/** Source text, because a bundle has no separate file for the thread. */
const thread = `
const { parentPort, workerData } = require('node:worker_threads')
const { writeSync } = require('node:fs')
const pause = new Int32Array(new SharedArrayBuffer(4))
parentPort.on('message', text => {
  const bytes = Buffer.from(text)
  let written = 0
  let code = ''
  while (written < bytes.length && code === '') {
    try {
      written += writeSync(workerData.file, bytes, written)
    } catch (error) {
      if (error.code === 'EAGAIN') Atomics.wait(pause, 0, 0, 5)
      else code = error.code ?? error.message
    }
  }
  parentPort.postMessage(code)
})
`

export class NodeThreadedOutput implements ThreadedOutput {
  #thread: Worker | undefined
  readonly #file: { readonly name: string; write(text: string): boolean }
  #waiting: (() => void)[] = []
  readonly #unwritten: string[] = []
  isGone = false
  #failure: Fault | undefined

  constructor(descriptor: number, file: { readonly name: string; write(text: string): boolean }) {
    this.#file = file
    const worker = new Worker(thread, { eval: true, workerData: { file: descriptor } })
    this.#thread = worker
    // Only a flush keeps this process alive.
    worker.unref()
    worker.on('message', code => this.#written(code))
    // A thread cannot start when the working folder has been removed.
    worker.on('error', () => this.#writeWithoutThread())
  }

  get pending(): number {
    return this.#unwritten.length
  }

  write(text: string): boolean {
    if (this.#failure) throw this.#failure
    if (this.isGone) return false
    if (!this.#thread) return this.#file.write(text)
    this.#unwritten.push(text)
    this.#thread.postMessage(text)
    return true
  }

  async flush(): Promise<void> {
    this.#thread?.ref()
    if (this.pending > 0) {
      await new Promise<void>(settle => {
        this.#waiting.push(settle)
      })
    }
    this.#thread?.unref()
    if (this.#failure) throw this.#failure
  }

  #written(code: string): void {
    this.#unwritten.shift()
    if (code === 'EPIPE') this.isGone = true
    else if (code !== '') {
      this.#failure ??= new Fault('unavailable', `could not write ${this.#file.name}: ${code}`)
    }
    this.#settle()
  }

  /** From here on a slow reader slows the work. */
  #writeWithoutThread(): void {
    this.#thread = undefined
    try {
      this.isGone ||= !this.#file.write(this.#unwritten.splice(0).join(''))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#failure ??= error
    }
    this.#settle()
  }

  #settle(): void {
    if (this.pending > 0) return
    for (const settle of this.#waiting.splice(0)) settle()
  }
}

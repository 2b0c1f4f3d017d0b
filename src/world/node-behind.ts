/**
 * Output on a thread of its own. A terminal that was stopped, or a pager that nobody reads, makes
 * whoever writes wait for ever; work must not wait with it.
 */
import { Worker } from 'node:worker_threads'
import { Fault } from '../fault.ts'
import type { BehindOutput } from './world.ts'

/** Plain text: the thread has no files of its own, wherever this program is installed. */
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

export class NodeBehindOutput implements BehindOutput {
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
    // What is still to be written keeps us, and nothing else.
    worker.unref()
    worker.on('message', code => this.#written(code))
    // A thread does not start where the folder that this program runs in is gone.
    worker.on('error', () => this.#writeAlone())
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

  /** Better late than never: whoever reads slowly slows us from now on. */
  #writeAlone(): void {
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

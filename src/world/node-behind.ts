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
  readonly #thread: Worker
  readonly #name: string
  #waiting: (() => void)[] = []
  pending = 0
  isGone = false
  #failure: Fault | undefined

  constructor(file: number, name: string) {
    this.#name = name
    this.#thread = new Worker(thread, { eval: true, workerData: { file } })
    // What is still to be written keeps us, and nothing else.
    this.#thread.unref()
    this.#thread.on('message', code => this.#written(code))
  }

  write(text: string): boolean {
    if (this.#failure) throw this.#failure
    if (this.isGone) return false
    this.pending++
    this.#thread.postMessage(text)
    return true
  }

  async flush(): Promise<void> {
    this.#thread.ref()
    if (this.pending > 0) {
      await new Promise<void>(settle => {
        this.#waiting.push(settle)
      })
    }
    this.#thread.unref()
    if (this.#failure) throw this.#failure
  }

  #written(code: string): void {
    this.pending--
    if (code === 'EPIPE') this.isGone = true
    else if (code !== '') {
      this.#failure ??= new Fault('unavailable', `could not write ${this.#name}: ${code}`)
    }
    if (this.pending > 0) return
    for (const settle of this.#waiting.splice(0)) settle()
  }
}

/**
 * JavaScript's own regular expressions, which can take forever, in a thread that is ended when
 * they take too long. The caller waits: an expression has its verdict when it is evaluated.
 */
import { Worker } from 'node:worker_threads'

/** What the thread says through shared memory. */
const said = { nothing: 0, ready: 1, yes: 2, no: 3, tooLarge: 4 } as const

/** A text, not a file of its own, so that it is the same before and after bundling. */
const threadCode = `
const { parentPort, workerData: signal } = require('node:worker_threads')
function answer({ source, flags, text }) {
  try {
    return new RegExp(source, flags).test(text) ? ${said.yes} : ${said.no}
  } catch {
    return ${said.tooLarge}
  }
}
function say(word) {
  Atomics.store(signal, 0, word)
  Atomics.notify(signal, 0)
}
parentPort.on('message', question => say(answer(question)))
say(${said.ready})
`

/** Starting has nothing to do with a pattern; only a machine that stands still takes this long. */
const startLimitMs = 30_000

interface Thread {
  readonly worker: Worker
  readonly signal: Int32Array
}

export type BoundedAnswer = 'yes' | 'no' | 'too late' | 'too large'

export class BoundedRegex {
  /** Started when first needed, and again after it had to be ended. */
  #thread: Thread | undefined

  test(source: string, flags: string, text: string, limitMs: number): BoundedAnswer {
    this.#thread ??= start()
    const { worker, signal } = this.#thread
    Atomics.store(signal, 0, said.nothing)
    worker.postMessage({ source, flags, text })
    Atomics.wait(signal, 0, said.nothing, limitMs)
    const word = Atomics.load(signal, 0)
    if (word === said.yes) return 'yes'
    if (word === said.no) return 'no'
    if (word === said.tooLarge) return 'too large'
    this.close()
    return 'too late'
  }

  close(): void {
    void this.#thread?.worker.terminate()
    this.#thread = undefined
  }
}

function start(): Thread {
  const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(threadCode, { eval: true, workerData: signal, execArgv: [], env: {} })
  // A program that is done does not wait for a thread that waits for questions.
  worker.unref()
  // One that cannot start answers nothing, and what is not answered is too late.
  worker.on('error', () => {})
  Atomics.wait(signal, 0, said.nothing, startLimitMs)
  return { worker, signal }
}

/**
 * Runs JavaScript regular expressions in a worker thread with a timeout, because they can take
 * exponential time. The caller blocks until the verdict.
 */
import { Worker } from 'node:worker_threads'

/** The thread's answers in shared memory. */
const said = { nothing: 0, ready: 1, yes: 2, no: 3, tooLarge: 4 } as const

/** Source text instead of a file, so that it works the same bundled and unbundled. */
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

/** Starting the thread does not depend on the pattern. Only a stalled machine takes this long. */
const startLimitMs = 30_000

interface Thread {
  readonly worker: Worker
  readonly signal: Int32Array
}

type BoundedAnswer = 'yes' | 'no' | 'too late' | 'too large'

export class BoundedRegex {
  /** Started on first use, and again after a timeout. */
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
  // An idle thread does not keep the process alive.
  worker.unref()
  // A thread that fails to start never answers, so the match times out.
  worker.on('error', () => {})
  Atomics.wait(signal, 0, said.nothing, startLimitMs)
  return { worker, signal }
}

/**
 * Hands the command lines of `in-process.ts` to a process that runs them, and wakes the test that
 * waits. The process is small: a process that has run many suites takes three times as long to
 * start another one, and most commands start many.
 */
import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

const { signal, port, entry } = workerData
let runner

function answer(end) {
  port.postMessage(end)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
}

/** One that ended or became large is replaced. */
function startRunner() {
  const started = fork(resolve('test/command-process.mjs'), [entry], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started.on('message', ({ isLarge, ...end }) => {
    if (isLarge) {
      runner = undefined
      started.disconnect()
    }
    answer(end)
  })
  started.on('exit', (status, by) => {
    if (runner !== started) return
    runner = undefined
    answer({ status, stdout: '', stderr: `the process of the commands ended by ${by ?? status}\n` })
  })
  return started
}

parentPort.on('message', command => {
  runner ??= startRunner()
  runner.send(command)
})

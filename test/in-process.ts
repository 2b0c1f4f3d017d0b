/**
 * The built command in one process for all suites of a worker: a new process for each command line
 * takes ten times as much of the processor. The caller waits for its end. Tests
 * that are about processes (signals, terminals, pipes, crashes, two commands at once) start them.
 */
import { resolve } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { asksFirst } from './at-a-terminal.ts'
import './built-command.ts'

export interface CommandLine {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input: string
  readonly laterFrom?: LaterFrom | undefined
  /**
   * Runs at a terminal at which somebody answers yes, and leaves the questions out of stderr. Defaults
   * to true for a command that asks.
   */
  readonly isConfirmed?: boolean
}

/** If the file exists, the command's clock is ahead by `ms`. */
export interface LaterFrom {
  readonly path: string
  readonly ms: number
  /** The time has passed. Otherwise somebody set the clock. */
  readonly hasPassed?: true
}

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const signal = new Int32Array(new SharedArrayBuffer(4))
const { port1: answers, port2: port } = new MessageChannel()
let thread: Worker | undefined

export function runInProcess(command: CommandLine): Ended {
  thread ??= startThread()
  Atomics.store(signal, 0, 0)
  const isConfirmed = command.isConfirmed ?? (command.input === '' && asksFirst(command.args))
  thread.postMessage({ ...command, isConfirmed })
  // The notification of the last command can arrive late and wake this wait.
  while (Atomics.load(signal, 0) === 0) Atomics.wait(signal, 0, 0)
  const answer = receiveMessageOnPort(answers)
  if (!answer) throw new Error(`no answer to premath ${command.args.join(' ')}`)
  return answer.message
}

function startThread(): Worker {
  const worker = new Worker(resolve('test/command-thread.mjs'), {
    workerData: { signal, port, entry: resolve('dist/in-process/start.cjs') },
    transferList: [port],
  })
  worker.unref()
  return worker
}

import { Socket } from 'node:net'
import { giveBack, type Pipe, readPipe } from './node-pipes.ts'

/**
 * A command that ends soon has said all it will when it ends, and is read then. Until then it is
 * looked at now and then, each time after twice as long; whoever has said something, or goes on, is
 * listened to.
 */
const firstLookMs = 20
const lastLookMs = 40

/** One output of a command. */
export class PipeReader {
  readonly #pipe: Pipe
  readonly #take: (bytes: Uint8Array) => void
  #timer: NodeJS.Timeout
  #socket: Socket | undefined
  #isAtEnd = false

  constructor(pipe: Pipe, take: (bytes: Uint8Array) => void) {
    this.#pipe = pipe
    this.#take = take
    this.#timer = this.#lookAfter(firstLookMs)
  }

  #lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(ms), ms)
  }

  #look(waitedMs: number): void {
    let hasSaid = false
    const now = readPipe(this.#pipe, bytes => {
      hasSaid = true
      this.#take(bytes)
    })
    this.#isAtEnd = now === 'at its end'
    if (this.#isAtEnd) return
    if (hasSaid || waitedMs >= lastLookMs) this.listen()
    else this.#timer = this.#lookAfter(2 * waitedMs)
  }

  listen(): void {
    if (this.#socket !== undefined || this.#isAtEnd) return
    clearTimeout(this.#timer)
    this.#socket = new Socket({ fd: this.#pipe.openReader(), writable: false })
    this.#socket.on('data', chunk => this.#take(chunk))
  }

  /** Reads what is there, if nobody listens yet. Whether everything was read, and no more can come. */
  isAtEnd(): boolean {
    if (this.#socket !== undefined) return this.#socket.closed
    this.#isAtEnd ||= readPipe(this.#pipe, this.#take) === 'at its end'
    return this.#isAtEnd
  }

  async untilEnd(): Promise<void> {
    this.listen()
    const socket = this.#socket
    if (socket === undefined || socket.closed) return
    await new Promise(resolve => socket.once('close', resolve))
  }

  /** When nothing is read any more. */
  close(): void {
    clearTimeout(this.#timer)
    this.#socket?.destroy()
    giveBack(this.#pipe)
  }
}

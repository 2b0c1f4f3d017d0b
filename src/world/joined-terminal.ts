/**
 * The terminal of this process, while a command uses it through a pseudo-terminal. `script` sets its
 * modes and restores them, unless it is killed.
 */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { callSystem, codeOf } from './system-error.ts'

const path = '/dev/tty'
const opened = () => callSystem('read', path, () => openSync(path, 'r+'))

export class JoinedTerminal {
  readonly #file = opened()
  readonly #modes = spawnSync('stty', ['-g'], { stdio: [this.#file, 'pipe', 'ignore'] })
    .stdout.toString()
    .trim()
  #resized: (() => void) | undefined

  /** A descriptor for the command, which the caller closes. */
  input(): number {
    return opened()
  }

  /** The system tells only this process that the terminal has another size. */
  follow(child: ChildProcess): void {
    this.#resized = () => void child.kill('SIGWINCH')
    process.on('SIGWINCH', this.#resized)
  }

  show(bytes: Uint8Array): void {
    try {
      writeFileSync(this.#file, bytes)
    } catch (error) {
      // Its window was closed. The signal about that ends the command.
      if (codeOf(error) !== 'EIO') throw error
    }
  }

  restore(): void {
    if (this.#modes !== '')
      spawnSync('stty', [this.#modes], { stdio: [this.#file, 'ignore', 'ignore'] })
  }

  end(): void {
    if (this.#resized) process.off('SIGWINCH', this.#resized)
    this.restore()
    closeSync(this.#file)
  }
}

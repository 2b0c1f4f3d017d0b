/** A project in memory: commands run in this process, on a simulated disk, clock and programs. */
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { retryPolicyPath } from '../src/kernel/harness/retry/retry-policy.ts'
import { SimDisk, type SimFault } from '../src/testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../src/testing/sim-processes.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import type { CommandSpec } from '../src/world/world.ts'
import { checkedOperations } from './checked-answers.ts'

type Value = ReturnType<typeof JSON.parse>

export interface MemorySetup {
  /** Rows of issue memory. */
  readonly issues?: readonly object[]
  /** The effect of each shell command. A program started as a list of words, such as git, is not found. */
  readonly programs?: Readonly<Record<string, (command: CommandSpec) => SimScript>>
  /** Called before each call of the disk that commands make. */
  readonly fault?: (call: number, what: string, path: string) => SimFault | undefined
}

const root = '/p'
const retryPolicy = readFileSync(retryPolicyPath, 'utf8')

export class MemoryProject {
  readonly disk: SimDisk
  /** The same files, for access beside the commands. */
  readonly #others: SimDisk
  readonly processes: SimProcesses
  #second = 1_800_000_000

  constructor({ issues = [], programs = {}, fault }: MemorySetup = {}) {
    const rows = issues.map(row => `${JSON.stringify(row)}\n`).join('')
    this.disk = new SimDisk({
      files: {
        [`${root}/.premath/issues.jsonl`]: rows,
        [`/package/${retryPolicyPath}`]: retryPolicy,
      },
      ...(fault && { fault }),
    })
    this.#others = this.disk.sharedWith({})
    this.processes = new SimProcesses({
      disk: this.disk,
      script: spec =>
        typeof spec.command === 'string' ? programs[spec.command]?.(spec) : undefined,
    })
  }

  /** The exit code and the JSON answer. */
  readonly asked = async (...words: readonly string[]) => {
    const { disk, processes } = this
    const clock = {
      now: () => BigInt(this.#second++) * 1_000_000_000n,
      steady: () => BigInt(this.#second) * 1_000_000_000n,
      sleep: async (ms: number) => {
        this.#second += Math.ceil(ms / 1000)
        // A sleep must let the other tasks of the process run.
        await setImmediate()
      },
    }
    const world = simWorld({ disk, processes, clock, cwd: root, env: { NO_COLOR: '1' } })
    const exit = await runCommand([...words, '--json'], checkedOperations, world)
    const { out, err } = world.printed
    const json: Value = out === '' ? undefined : JSON.parse(out)
    return { exit, json, out, err }
  }

  /** The answer of a command that must succeed. */
  readonly done = async (...words: readonly string[]): Promise<Value> => {
    const { exit, json, err } = await this.asked(...words)
    expect({ exit, err: exit === 0 ? '' : err }).toEqual({ exit: 0, err: '' })
    return json
  }

  readonly issue = async (id: string): Promise<Value> =>
    (await this.done('issue', 'show', id)).issue

  /** Writes a file of the project beside the commands; a value that is not text becomes JSON. */
  readonly put = async (path: string, content: unknown): Promise<void> => {
    const text = typeof content === 'string' ? content : `${JSON.stringify(content)}\n`
    const whole = path.startsWith('/') ? path : `${root}/${path}`
    await this.#others.makeFolderLoosely(whole.slice(0, whole.lastIndexOf('/')))
    await this.#others.replaceLoosely(whole, new TextEncoder().encode(text))
  }

  readonly remove = (path: string): Promise<void> => this.#others.remove(`${root}/${path}`)

  readonly has = (path: string): boolean => this.#others.contentOf(`${root}/${path}`) !== undefined

  readonly text = (path: string): string =>
    new TextDecoder().decode(this.#others.contentOf(`${root}/${path}`))

  readonly json = (path: string): Value => JSON.parse(this.text(path))

  /** Every row of a file of lines. */
  readonly rows = (path: string): Value[] =>
    this.text(path)
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => JSON.parse(line))

  get trajectory(): Value[] {
    return this.rows('.premath/harness_trajectory.jsonl')
  }
}

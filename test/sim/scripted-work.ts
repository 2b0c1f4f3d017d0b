/** Issues that wait for each other, and what happens when somebody works on one. */
import type { SimDisk } from '../../src/testing/sim-disk.ts'
import type { SimScript } from '../../src/testing/sim-processes.ts'
import type { CommandSpec } from '../../src/world/world.ts'
import type { Machine } from './machine.ts'

/** Each with how many of a thousand are so. */
const shares = {
  passes: 855,
  /** Takes longer than a lease. */
  'takes long': 30,
  /** Until others have got somewhere. */
  'waits for others': 10,
  'hangs once': 15,
  'is killed once': 15,
  'fails verification once': 15,
  'is not there once': 10,
  /** Neither tried again nor blocked: the next run may. */
  'gives up once': 10,
  'leaves an open turn once': 10,
  'leaves an open turn': 10,
  'leaves nonsense': 5,
  fails: 10,
  /** Tried again and again, and in the end another issue is added. */
  'is killed': 5,
} as const

type Kind = keyof typeof shares

const never: readonly Kind[] = ['leaves an open turn', 'leaves nonsense', 'fails', 'is killed']

interface Planned {
  readonly kind: Kind
  readonly blockers: readonly string[]
}

/** An issue may wait for some that come shortly before it. */
const reach = 40

export const workCommand = 'work'
export const verifyCommand = 'npm test'
export const workTimeoutMs = 600_000

export class ScriptedWork {
  readonly rows: string
  /** Ids of issues that can be closed, whatever happens. */
  readonly closable: ReadonlySet<string>
  readonly #plan = new Map<string, Planned>()
  readonly #tries = new Map<string, number>()
  readonly #machine: Machine
  readonly #openTurn: Uint8Array

  constructor(machine: Machine, issues: number, openTurn: string) {
    this.#machine = machine
    this.#openTurn = new TextEncoder().encode(openTurn)
    const rows = Array.from({ length: issues }, (_, at) => this.#row(at + 1))
    this.rows = rows.map(row => `${JSON.stringify(row)}\n`).join('')
    this.closable = this.#closable()
  }

  get planned(): readonly string[] {
    return [...this.#plan.keys()]
  }

  #row(number: number): object {
    const machine = this.#machine
    const id = `bd-${number}`
    const blockers = new Set<string>()
    for (let more = Math.floor(machine.between(-1, 3)); more > 0; more--) {
      const back = Math.ceil(machine.chance() * reach)
      if (back < number) blockers.add(`bd-${number - back}`)
    }
    this.#plan.set(id, { kind: this.#kind(), blockers: [...blockers] })
    return {
      id,
      title: `Issue ${number}`,
      description: 'Acceptance:\n- it works\n\nVerification commands:\n- `npm test`\n',
      priority: Math.floor(machine.between(0, 5)),
      dependencies: [...blockers].map(depends_on_id => ({
        issue_id: id,
        depends_on_id,
        type: 'blocks',
        created_by: 'sim',
      })),
    }
  }

  #kind(): Kind {
    let drawn = this.#machine.chance() * 1_000
    for (const [kind, share] of Object.entries(shares)) {
      drawn -= share
      if (drawn < 0) return kind as Kind
    }
    return 'passes'
  }

  #closable(): ReadonlySet<string> {
    const closable = new Set<string>()
    // A blocker stands before those that wait for it.
    for (const [id, { kind, blockers }] of this.#plan) {
      if (!never.includes(kind) && blockers.every(blocker => closable.has(blocker)))
        closable.add(id)
    }
    return closable
  }

  /** The effect of a command; `othersDone` resolves when other programs have made progress. */
  script({ command, env }: CommandSpec, disk: SimDisk, othersDone: () => Promise<void>): SimScript {
    // Git, asked for the files of a worktree that has none.
    if (typeof command !== 'string') return {}
    const id = env['PREMATH_ISSUE_ID'] ?? ''
    const kind = this.#plan.get(id)?.kind ?? 'passes'
    return command === workCommand
      ? this.#work(id, kind, { evidence: env['PREMATH_TURN_EVIDENCE'] ?? '', disk, othersDone })
      : this.#verify(id, kind)
  }

  #work(
    id: string,
    kind: Kind,
    {
      evidence,
      disk,
      othersDone,
    }: {
      readonly evidence: string
      readonly disk: SimDisk
      readonly othersDone: () => Promise<void>
    },
  ): SimScript {
    const machine = this.#machine
    const first = this.#isFirst(`work ${id}`)
    const usual = { stdout: 'working\n', until: machine.sleep(machine.between(1_000, 15_000)) }
    const leaving = (bytes: Uint8Array) => ({
      ...usual,
      effect: async () => await disk.replaceLoosely(evidence, bytes),
    })
    switch (kind) {
      case 'takes long':
        return { ...usual, until: machine.sleep(machine.between(150_000, 400_000)) }
      case 'waits for others':
        return { ...usual, until: Promise.race([othersDone(), machine.sleep(200_000)]) }
      case 'hangs once':
        return first ? { takesMs: 2 * workTimeoutMs } : usual
      case 'is killed once':
        return first ? { ...usual, signal: 'SIGKILL' } : usual
      case 'is killed':
        return { ...usual, signal: 'SIGKILL' }
      case 'is not there once':
        return first ? { exitCode: 127, stderr: 'sh: not found\n' } : usual
      case 'gives up once':
        return first ? { ...usual, exitCode: 1, stderr: 'gave_up: not today\n' } : usual
      case 'leaves an open turn once':
        return first ? leaving(this.#openTurn) : usual
      case 'leaves an open turn':
        return leaving(this.#openTurn)
      case 'leaves nonsense':
        return leaving(new TextEncoder().encode('nonsense\n'))
      default:
        return usual
    }
  }

  #verify(id: string, kind: Kind): SimScript {
    const until = this.#machine.sleep(this.#machine.between(100, 2_000))
    if (kind === 'fails') return { until, exitCode: 1 }
    if (kind !== 'fails verification once') return { until }
    return { until, exitCode: this.#isFirst(`verify ${id}`) ? 1 : 0 }
  }

  #isFirst(what: string): boolean {
    const tries = (this.#tries.get(what) ?? 0) + 1
    this.#tries.set(what, tries)
    return tries === 1
  }
}

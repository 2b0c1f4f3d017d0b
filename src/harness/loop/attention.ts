/** Reports each attention once per run, to the observers and to the attention file. */
import { matterOf } from '../../kernel/harness/run/run-attention.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { LineLog } from '../../store/line-log.ts'
import type { AttentionFacts, Attention as AttentionRow } from '../../wire/run/attention.ts'
import type { Clock } from '../../world/world.ts'
import type { Notify } from './notify.ts'

export class Attention {
  readonly #log: LineLog
  readonly #clock: Clock
  readonly #runId: string
  readonly #emit: (event: RunEvent) => void
  readonly #reported = new Set<string>()
  #writing: Promise<void> = Promise.resolve()
  readonly #failures: unknown[] = []
  readonly #notify: Notify | undefined
  readonly #notifying: Promise<void>[] = []

  constructor(
    log: LineLog,
    clock: Clock,
    runId: string,
    emit: (event: RunEvent) => void,
    notify?: Notify,
  ) {
    this.#log = log
    this.#clock = clock
    this.#runId = runId
    this.#emit = emit
    this.#notify = notify
  }

  get count(): number {
    return this.#reported.size
  }

  /** Returns without waiting for the disk. */
  call(facts: AttentionFacts): void {
    const matter = matterOf(facts)
    if (this.#reported.has(matter)) return
    this.#reported.add(matter)
    this.#emit({ event: 'attention', ...facts })
    const at = timestampOf(this.#clock.now())
    const row: AttentionRow = {
      schema: 1,
      attentionKind: 'premath.harness.attention.v1',
      at,
      runId: this.#runId,
      ...facts,
    }
    this.#writing = this.#writing
      .then(() => this.#log.append(JSON.stringify(row)))
      // `settle` reports the failure. One failed write must not lose the rows after it.
      .catch(error => void this.#failures.push(error))
    const notify = this.#notify
    if (notify) this.#notifying.push(this.#writing.then(() => notify(row)))
  }

  /** Waits until everybody is notified. */
  async notified(): Promise<void> {
    await Promise.all(this.#notifying)
  }

  /** Waits until all rows are written. Throws if a write failed. */
  async settle(): Promise<void> {
    await this.#writing
    await this.notified()
    if (this.#failures.length > 0) throw this.#failures[0]
  }
}

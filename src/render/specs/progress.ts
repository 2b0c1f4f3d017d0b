/** One line of progress for a spec run. */

import type { Page } from '../../answer.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import { cut, widthOf } from '../../kernel/text/text-width.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { CaseOutcome } from '../../runner/case-outcome.ts'
import type { Clock } from '../../world/world.ts'
import { withoutInk } from '../inked-text.ts'

const nanosPerSecond = 1_000_000_000

export class SpecProgress {
  readonly #total: number
  readonly #clock: Clock
  readonly #began: bigint
  /** In the order they began. */
  readonly #running = new Set<RawCase>()
  #ended = 0
  #failed = 0

  constructor(total: number, clock: Clock) {
    this.#total = total
    this.#clock = clock
    this.#began = clock.steady()
  }

  readonly onBegin = (raw: RawCase): void => {
    this.#running.add(raw)
  }

  readonly onOutcome = (raw: RawCase, { status }: Pick<CaseOutcome, 'status'>): void => {
    this.#running.delete(raw)
    this.#ended++
    if (status === 'fail') this.#failed++
  }

  /** With the case that has been running longest, in what room the rest leaves. */
  readonly line = ({ columns, ink }: Page): string => {
    const failed = `${this.#failed} failed`
    const seconds = Number(this.#clock.steady() - this.#began) / nanosPerSecond
    const before = `  ${this.#ended}/${this.#total}  ${this.#failed > 0 ? ink('red', failed) : failed}`
    const after = `  ${seconds.toFixed(1)} s`
    const room = columns - widthOf(withoutInk(before + after)) - 2
    const [longest] = this.#running
    const name = longest && room > 0 ? cut(visible(`${longest.file}#${longest.id}`), room) : ''
    return `${before}${name && `  ${name}`}${after}`
  }
}

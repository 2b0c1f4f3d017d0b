/** Fences only grow. Two places that disagree about this are an integrity fault. */
import { Fault } from '../../../fault.ts'
import { fenceOf, type Issue } from '../issue.ts'
import { withMetadata } from '../issue-metadata.ts'

/** A fence, and where it is written, in words. */
export interface PlacedFence {
  readonly fence: number
  readonly place: string
}

/** A fence that cannot be read is refused elsewhere, with a remedy of its own. */
export const isLower = (fence: number, before: number): boolean => fence >= 0 && fence < before

/** The row with at least this fence. */
export const withFence = (issue: Issue, least: number): Issue =>
  isLower(fenceOf(issue), least)
    ? { ...issue, metadata: withMetadata(issue, { premathFence: least }) }
    : issue

export class ContradictingFences extends Fault {
  constructor(id: string, before: PlacedFence, after: PlacedFence) {
    super(
      'corrupt',
      `the fence of ${id} goes back: ${before.fence} in ${before.place}, then ${after.fence} in ${after.place}`,
      {
        hint: 'A worker that lost its lease could write again. premath doctor --fix merges the rows and keeps the larger fence.',
        detail: { id, before, after },
      },
    )
  }
}

/** Checks the rows of a file in their order. */
export class FenceOrder {
  readonly #path: string
  readonly #last = new Map<string, { readonly fence: number; readonly line: number }>()

  constructor(path: string) {
    this.#path = path
  }

  take(issue: Issue, line: number): void {
    const fence = fenceOf(issue)
    const before = this.#last.get(issue.id)
    if (before && isLower(fence, before.fence)) {
      const place = (at: number) => `line ${at} of ${this.#path}`
      throw new ContradictingFences(
        issue.id,
        { fence: before.fence, place: place(before.line) },
        { fence, place: place(line) },
      )
    }
    // Most issues were never claimed.
    if (fence > 0) this.#last.set(issue.id, { fence, line })
  }
}

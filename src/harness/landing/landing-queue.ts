/**
 * The merge queue of a run. The base of a candidate is the candidate before it, so several can be
 * verified at the same time, and a candidate lands only after the one before it.
 */

/** How the candidate before ended. `rebuilt`: it is a different commit now. */
type End = 'landed' | 'failed' | 'rebuilt'

export type Stacked<Candidate, Verdict> =
  | { readonly candidate: Candidate; readonly verdict: Verdict; readonly place: QueuePlace }
  /** The candidate cannot be made on the target as it is. */
  | { readonly failure: Failure<Candidate> }

type Failure<Candidate> = Exclude<Made<Candidate>, { readonly candidate: Candidate }>

/** A candidate, or why there is none. Only a conflict may end when the base changes. */
export type Made<Candidate> =
  | { readonly candidate: Candidate; readonly commit: string }
  /** The files that conflict with the base. */
  | { readonly conflict: readonly string[] }
  | { readonly nothing: true }
  /** The work changed files that judge it. */
  | { readonly judgeChanged: JudgeChanged }

export interface JudgeChanged {
  readonly failureClass: 'protected_path_changed' | 'close_specs_changed'
  readonly summary: string
}

export interface QueueTask<Candidate, Verdict> {
  /** Makes the candidate on the commit of the one before it, or on the target. */
  make(base: string | undefined): Promise<Made<Candidate>>
  verify(candidate: Candidate): Promise<Verdict>
  /** Called when a candidate that was verified has to be made again on another base. */
  onRebuild?(): void
}

/** A place in the queue that is held by a candidate until it ends. */
export interface QueuePlace {
  /** Lets those behind it go on. Only the first call counts. */
  end(end: 'landed' | 'failed'): void
}

/** A promise that is settled from outside. */
class Deferred<T> {
  resolve: (value: T) => void = () => {}
  readonly promise = new Promise<T>(resolve => {
    this.resolve = resolve
  })
}

/** One candidate of an entry: the commit that those behind it build on, and how it ends. */
class Standing {
  /** `undefined` if the candidate ends without a commit. */
  readonly commit = new Deferred<string | undefined>()
  readonly end = new Deferred<End>()

  finish(end: End): void {
    this.commit.resolve(undefined)
    this.end.resolve(end)
  }
}

class Entry {
  before: Entry | undefined
  ended: 'landed' | 'failed' | undefined
  standing = new Standing()

  constructor(before: Entry | undefined) {
    this.before = before
  }

  rebuild(): void {
    this.standing.finish('rebuilt')
    this.standing = new Standing()
  }

  finish(end: 'landed' | 'failed'): void {
    if (this.ended !== undefined) return
    this.ended = end
    this.before = aliveBefore(this)
    this.standing.finish(end)
  }
}

export class LandingQueue {
  #last: Entry | undefined

  /**
   * Returns when the candidate is the first of the queue and is verified on the target, or when it
   * cannot be made. Whoever gets a place must end it.
   */
  async enter<Candidate, Verdict>(
    task: QueueTask<Candidate, Verdict>,
  ): Promise<Stacked<Candidate, Verdict>> {
    const entry = new Entry(this.#last)
    this.#last = entry
    try {
      return await this.#stack(entry, task)
    } catch (error) {
      entry.finish('failed')
      throw error
    }
  }

  async #stack<Candidate, Verdict>(
    entry: Entry,
    task: QueueTask<Candidate, Verdict>,
  ): Promise<Stacked<Candidate, Verdict>> {
    for (;;) {
      const before = aliveBefore(entry)?.standing
      const base = await before?.commit.promise
      // The one before ended, or was built anew, while this one waited for its commit.
      if (before && base === undefined) continue
      const made = await task.make(base)
      if (!('candidate' in made)) {
        if (before && (await before.end.promise)) continue
        entry.finish('failed')
        return { failure: made as Failure<Candidate> }
      }
      entry.standing.commit.resolve(made.commit)
      const verdict = await task.verify(made.candidate)
      if (!before || (await before.end.promise) === 'landed') {
        const place = { end: (end: 'landed' | 'failed') => entry.finish(end) }
        return { candidate: made.candidate, verdict, place }
      }
      task.onRebuild?.()
      entry.rebuild()
    }
  }
}

/** Skips entries that have ended: what landed is in the target, and what failed is gone. */
function aliveBefore(entry: Entry): Entry | undefined {
  while (entry.before?.ended !== undefined) entry.before = entry.before.before
  return entry.before
}

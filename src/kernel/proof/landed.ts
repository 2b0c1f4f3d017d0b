/** Proof that a commit is on its target branch: the evidence that ends a landing. */

/** Module-private: a TypeScript `private` constructor is open at run time. */
const maker = Symbol('Landed')

interface LandedFacts {
  readonly issueId: string
  readonly commit: string
  readonly target: string
  /** git reports that the commit is the head of the target, or an ancestor of it. */
  readonly isInTarget: true
}

/** Only `of` creates one. A function that takes a `Landed` cannot close an issue without it. */
export class Landed {
  readonly #issued = true
  readonly issueId: string
  readonly commit: string
  readonly target: string

  private constructor(key: typeof maker, { issueId, commit, target }: LandedFacts) {
    if (key !== maker) throw new TypeError('a Landed is made from the state of the target')
    this.issueId = issueId
    this.commit = commit
    this.target = target
    Object.freeze(this)
  }

  static of(facts: LandedFacts): Landed {
    if (facts.isInTarget !== true) {
      throw new TypeError(`${facts.commit} is not on ${facts.target}`)
    }
    return new Landed(maker, facts)
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is Landed {
    return #issued in value && value.#issued
  }
}

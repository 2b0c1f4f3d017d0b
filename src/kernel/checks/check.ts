/** A check of a project: rules over facts, each answered as one obligation. */
import type { CheckFinding, Obligation } from '../../wire/checks/check-report.ts'

/** Findings that one obligation lists; it counts the others. */
const findingsMax = 50

export interface RuleText {
  /** One sentence: what holds in a sound project. */
  readonly means: string
  /** How to fix a finding, where the finding itself does not say it. */
  readonly next: string
}

/** A rule of a check. Its key in the table is the id of its obligation. */
export interface Rule<Facts> extends RuleText {
  look(facts: Facts, tally: Tally): void
}

export type Rules<Facts> = Readonly<Record<string, Rule<Facts>>>

interface Found {
  readonly at: string
  readonly message: string
  readonly next?: string
  /** The class of the rule, where it is left out. */
  readonly failureClass?: string
}

/** Counts what one rule looked at. It keeps only the first findings, so its size is bounded. */
export class Tally {
  readonly #failureClass: string
  readonly #text: RuleText
  readonly #id: string
  readonly #classes = new Set<string>()
  readonly #findings: CheckFinding[] = []
  #checked = 0
  #found = 0
  #note: string | undefined

  constructor(check: string, id: string, text: RuleText) {
    this.#id = id
    this.#text = text
    this.#failureClass = `${check}.${id}`
  }

  checked(count = 1): void {
    this.#checked += count
  }

  found({ at, message, next = this.#text.next, failureClass = this.#failureClass }: Found): void {
    this.#found++
    this.#classes.add(failureClass)
    if (this.#findings.length < findingsMax) {
      this.#findings.push({ failureClass, at, message, next })
    }
  }

  note(text: string): void {
    this.#note = text
  }

  obligation(): Obligation {
    return {
      obligationId: this.#id,
      result: this.#found === 0 ? 'accepted' : 'rejected',
      failureClasses: [...this.#classes].sort(),
      details: {
        means: this.#text.means,
        checkedCount: this.#checked,
        findingCount: this.#found,
        findings: this.#findings,
        ...(this.#note !== undefined && { note: this.#note }),
      },
    }
  }
}

export function judge<Facts>(
  check: string,
  rules: Rules<Facts>,
  facts: Facts,
): readonly Obligation[] {
  return Object.entries(rules).map(([id, rule]) => {
    const tally = new Tally(check, id, rule)
    rule.look(facts, tally)
    return tally.obligation()
  })
}

export const isAccepted = (obligations: readonly Obligation[]): boolean =>
  obligations.every(({ result }) => result === 'accepted')

export const failureClassesOf = (obligations: readonly Obligation[]): readonly string[] =>
  [...new Set(obligations.flatMap(({ failureClasses }) => failureClasses))].sort()

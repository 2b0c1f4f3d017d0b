/** Records the actions and times of one case, for `--trace` and `--profile`. */
import type { AssertLeaf } from '../kernel/spec/assert/assert-tree.ts'
import { isSubjectError, type Subject } from '../kernel/spec/assert/subject.ts'
import { shortened, writingOf } from '../kernel/spec/assert/written-value.ts'
import {
  type Environment,
  type HiddenValues,
  hiddenValues,
  withoutValues,
} from '../kernel/spec/case/environment.ts'
import { unlimitedMeter } from '../kernel/spec/lang/meter.ts'
import { printText } from '../kernel/spec/lang/print-value.ts'
import type { Secrets } from '../kernel/text/secrets.ts'
import type { SpecCaseTimes, SpecCaseTrace } from '../wire/spec/spec-report.ts'
import type { TraceRow } from './run-chain.ts'

/** `times` records durations only. `all` records the actions too. */
export type Recording = 'times' | 'all'

type Part = keyof SpecCaseTimes
type Rows<K extends keyof SpecCaseTrace> = SpecCaseTrace[K][number]

export class CaseRecord {
  readonly times: Record<Part, number> = {
    compilingMs: 0,
    chainMs: 0,
    effectsMs: 0,
    assertionsMs: 0,
  }
  readonly #trace: { readonly [K in keyof SpecCaseTrace]: Rows<K>[] } = {
    chain: [],
    commands: [],
    requests: [],
    predicates: [],
  }
  readonly #recording: Recording
  readonly #now: () => number
  readonly #secrets: Secrets
  #hidden: HiddenValues
  #part: Part = 'compilingMs'
  #since: number

  /** `env` holds the variables commands may see. Their values are masked in the record. */
  constructor(recording: Recording, now: () => number, env: Environment, secrets: Secrets) {
    this.#recording = recording
    this.#now = now
    this.#secrets = secrets
    this.#since = now()
    this.#hidden = hiddenValues(recording === 'all' ? env : {})
  }

  /** The recorded actions; `undefined` if only times are recorded. */
  get trace(): SpecCaseTrace | undefined {
    return this.#isAll ? this.#trace : undefined
  }

  /** Books the time from now on to this part. */
  enter(part: Part): void {
    const now = this.#now()
    this.times[this.#part] += now - this.#since
    this.#part = part
    this.#since = now
  }

  end(): this {
    this.enter(this.#part)
    return this
  }

  chainRan({ step_id, ref_case_id, ref_doc_path, status }: TraceRow, waitedMs: number): void {
    if (!this.#isAll) return
    const row = { stepId: step_id, caseId: ref_case_id, document: ref_doc_path, status, waitedMs }
    this.#trace.chain.push(row)
  }

  commandRan({ words, why, ...row }: Rows<'commands'>, env: Environment): void {
    if (!this.#isAll) return
    this.#hidden = hiddenValues(env)
    this.#trace.commands.push({
      ...row,
      words: words.map(word => this.#without(word)),
      ...(why !== undefined && { why: this.#without(why) }),
    })
  }

  requestSent({ url, why, ...row }: Rows<'requests'>): void {
    if (!this.#isAll) return
    this.#trace.requests.push({
      ...row,
      url: this.#without(url),
      ...(why !== undefined && { why: this.#without(why) }),
    })
  }

  decided(
    { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>,
    verdict: Rows<'predicates'>['verdict'],
    subject: Subject,
  ): void {
    if (!this.#isAll) return
    const seen = isSubjectError(subject) ? this.#without(subject.message) : this.#shown(subject)
    this.#trace.predicates.push({ assertPath: path, target, op, verdict, subject: seen })
  }

  get #isAll(): boolean {
    return this.#recording === 'all'
  }

  #without(text: string): string {
    return withoutValues(this.#secrets.text(text), this.#hidden)
  }

  /** Mask secrets before cutting: half a secret is still a leak. */
  #shown({ value }: Extract<Subject, { value: unknown }>): string {
    const text = printText(value, unlimitedMeter())
    const shown = this.#without(typeof text === 'string' ? text : '')
    return shortened(shown, writingOf(value), charsShown)
  }
}

/** Limit for a subject. Each predicate prints one line. */
const charsShown = 120

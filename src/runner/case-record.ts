/** What was done for a case and how long it took, for whoever asked to see it. */
import type { AssertLeaf } from '../kernel/spec/assert/assert-tree.ts'
import { shortened, writingOf } from '../kernel/spec/assert/shortened.ts'
import { isSubjectError, type Subject } from '../kernel/spec/assert/subject.ts'
import type { Environment } from '../kernel/spec/case/environment.ts'
import {
  type HiddenValues,
  hiddenValues,
  withoutValues,
} from '../kernel/spec/case/hidden-values.ts'
import { unlimitedMeter } from '../kernel/spec/lang/meter.ts'
import { printText } from '../kernel/spec/lang/print-value.ts'
import type { SpecCaseTimes, SpecCaseTrace } from '../wire/spec/spec-report.ts'
import type { TraceRow } from './run-chain.ts'

/** `times`: how long each part took. `all`: what was done, too. */
export type Recording = 'times' | 'all'

type Part = keyof SpecCaseTimes
type Rows<K extends keyof SpecCaseTrace> = SpecCaseTrace[K][number]

export class CaseRecord {
  readonly times: SpecCaseTimes = { compilingMs: 0, chainMs: 0, effectsMs: 0, assertionsMs: 0 }
  readonly #trace: SpecCaseTrace = { chain: [], commands: [], predicates: [] }
  readonly #recording: Recording
  readonly #now: () => number
  #hidden: HiddenValues
  #part: Part = 'compilingMs'
  #since: number

  /** `env`: what commands may have got; none of its values is shown. */
  constructor(recording: Recording, now: () => number, env: Environment) {
    this.#recording = recording
    this.#now = now
    this.#since = now()
    this.#hidden = hiddenValues(recording === 'all' ? env : {})
  }

  /** What was done; `undefined` where only times are recorded. */
  get trace(): SpecCaseTrace | undefined {
    return this.#isAll ? this.#trace : undefined
  }

  /** From now on time is spent on this. */
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
      words: words.map(word => withoutValues(word, this.#hidden)),
      ...(why !== undefined && { why: withoutValues(why, this.#hidden) }),
    })
  }

  decided(
    { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>,
    verdict: Rows<'predicates'>['verdict'],
    subject: Subject,
  ): void {
    if (!this.#isAll) return
    const seen = isSubjectError(subject)
      ? withoutValues(subject.message, this.#hidden)
      : this.#shown(subject)
    this.#trace.predicates.push({ assertPath: path, target, op, verdict, subject: seen })
  }

  get #isAll(): boolean {
    return this.#recording === 'all'
  }

  /** Hidden before it is cut: half a secret is one too. */
  #shown({ value }: Extract<Subject, { value: unknown }>): string {
    const text = printText(value, unlimitedMeter())
    const shown = withoutValues(typeof text === 'string' ? text : '', this.#hidden)
    return shortened(shown, writingOf(value), charsShown)
  }
}

/** Of a subject: there is a line for each predicate. */
const charsShown = 120

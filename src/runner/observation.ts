/** The subjects and verdicts of a case, for `spec explain` and `spec update`. */

import { Fault } from '../fault.ts'
import type { AssertNode, AssertRoot } from '../kernel/spec/assert/assert-tree.ts'
import type { Demand } from '../kernel/spec/assert/demand.ts'
import type { AssertFailure } from '../kernel/spec/assert/run-assert.ts'
import { isJsonValue, isSubjectError, type Subject } from '../kernel/spec/assert/subject.ts'
import { chainTarget } from '../kernel/spec/case/key-shape.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { Offered } from '../kernel/spec/lang/builtin.ts'
import type { PatternTest } from '../kernel/spec/lang/expected-lines.ts'
import { unlimitedMeter } from '../kernel/spec/lang/meter.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import type { Subjects } from './cases/case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { Masking } from './masking.ts'
import { assertionFailure } from './run-assertions.ts'

export interface Observation {
  readonly root: AssertRoot
  readonly demands: readonly Demand[]
  subjectOf(target: string): Promise<Subject>
  /** Whether a text matches a pattern. */
  readonly test: PatternTest<object>
  /** Why this node fails on its own; `undefined` if it holds. */
  failureOf(node: AssertNode): AssertFailure | undefined
}

/** Called after the verdict, while the temporary folder still exists. */
export type Observer = (raw: RawCase, seen: Observation) => Promise<void>

export async function observation(
  root: AssertRoot,
  { demands = [] }: Subjects,
  resolved: ResolvedSubjects,
  context: ExecutionContext,
): Promise<Observation> {
  // A failed demand ends a run before its subjects are read.
  for (const target of root.subjects) await resolved.resolveSubjectForTarget(target)
  return {
    root,
    demands,
    subjectOf: async target => await resolved.resolveSubjectForTarget(target),
    test: (text, pattern) => context.regex.test(pattern, text, unlimitedMeter()),
    failureOf: node => assertionFailure(node, resolved, context),
  }
}

/** Resolves subjects to JSON, each once and on first use. */
export class ResolvedSubjects {
  readonly #subjects: Subjects
  readonly #masking: Masking
  readonly #context: ExecutionContext
  readonly #unmasked = new Map<string, Subject>()
  readonly #resolved = new Map<string, Subject>()

  constructor(subjects: Subjects, masking: Masking, context: ExecutionContext) {
    this.#subjects = subjects
    this.#masking = masking
    this.#context = context
  }

  /** As assertions see it: text is masked. Only a subject that is still to come is a promise. */
  resolveSubjectForTarget(target: string): Subject | Promise<Subject> {
    const known = this.#resolved.get(target)
    if (known !== undefined) return known
    return whenThere(this.unmasked(target), found => {
      const subject = this.#masking.masked(found)
      this.#resolved.set(target, subject)
      return subject
    })
  }

  /** Values for expressions beside the subject, by name. */
  readonly offered: Offered = {
    get: name => {
      if (name === 'chain') return this.#context.chain.state
      return name === 'vars' ? this.#context.run.variables : this.#subjects.offered?.get(name)
    },
  }

  /** As the case made it. */
  unmasked(target: string): Subject | Promise<Subject> {
    const known = this.#unmasked.get(target)
    if (known !== undefined) return known
    return whenThere(this.#resolve(target), subject => {
      this.#unmasked.set(target, subject)
      return subject
    })
  }

  /** For a target that was resolved before. */
  subjectOf(target: string): Subject {
    return this.#resolved.get(target) ?? unknownTarget(target, this.#context)
  }

  #resolve(target: string): Subject | Promise<Subject> {
    if (target === chainTarget) return { value: chainSubject(this.#context) }
    const source = this.#subjects.byTarget.get(target)
    if (source === undefined) return unknownTarget(target, this.#context)
    try {
      const found = source()
      if (!(found instanceof Promise)) return asJson(found, target)
      return found.then(one => asJson(one, target)).catch(faultSubject)
    } catch (error) {
      return faultSubject(error)
    }
  }
}

/** Waits for nothing that is there already: a run asks for many thousand subjects. */
const whenThere = (
  found: Subject | Promise<Subject>,
  use: (subject: Subject) => Subject,
): Subject | Promise<Subject> => (found instanceof Promise ? found.then(use) : use(found))

function asJson(found: Subject, target: string): Subject {
  if (isSubjectError(found) || isJsonValue(found.value)) return found
  return { category: 'schema', message: `the subject ${target} is not a JSON value` }
}

function faultSubject(error: unknown): Subject {
  if (!(error instanceof Fault)) throw error
  return { category: 'runtime', message: error.message }
}

const unknownTarget = (target: string, { type }: ExecutionContext): Subject => ({
  category: 'schema',
  message: `unknown assert target for ${type}: ${target}`,
})

/** The exports of the chain and the cases it ran. */
const chainSubject = ({ chain }: ExecutionContext): SpecValue =>
  new Map<string, SpecValue>([
    ['state', chain.state],
    ['trace', chain.trace.map(row => new Map(Object.entries(row)))],
  ])

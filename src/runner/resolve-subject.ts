/** Resolves subjects to JSON, each once and on first use. */
import { Fault } from '../fault.ts'
import { isJsonValue, isSubjectError, type Subject } from '../kernel/spec/assert/subject.ts'
import { chainTarget } from '../kernel/spec/case/case-type.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import type { Subjects } from './cases/case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'

export class ResolvedSubjects {
  readonly #subjects: Subjects
  readonly #context: ExecutionContext
  readonly #resolved = new Map<string, Subject>()

  constructor(subjects: Subjects, context: ExecutionContext) {
    this.#subjects = subjects
    this.#context = context
  }

  async resolveSubjectForTarget(target: string): Promise<Subject> {
    const known = this.#resolved.get(target)
    if (known !== undefined) return known
    const subject = await this.#resolve(target)
    this.#resolved.set(target, subject)
    return subject
  }

  /** For a target that was resolved before. */
  subjectOf(target: string): Subject {
    return this.#resolved.get(target) ?? unknownTarget(target, this.#context)
  }

  async #resolve(target: string): Promise<Subject> {
    if (target === chainTarget) return { value: chainSubject(this.#context) }
    const source = this.#subjects.byTarget.get(target)
    if (source === undefined) return unknownTarget(target, this.#context)
    const found = await madeBy(source)
    if (isSubjectError(found) || isJsonValue(found.value)) return found
    const message = `the subject ${target} is not a JSON value`
    return { category: 'schema', message }
  }
}

async function madeBy(source: () => Subject | Promise<Subject>): Promise<Subject> {
  try {
    return await source()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { category: 'runtime', message: error.message }
  }
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
